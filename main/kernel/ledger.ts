import { isoTime } from '../contract/request.ts'
import type { Clock } from './clock.ts'
import type { Tx } from './db.ts'
import type { AccountId, EventId, Ids, InstanceId } from './ids.ts'
import { sql } from './sql.ts'

/** What happened, before it has an id. */
export interface Fact {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly type: string
  /** The envelope's `instance`, as it stands at this moment. */
  readonly instance: object
  readonly data: object
}

/**
 * A recorded event. The body of attempt n is `head + n + tail`: all attempts differ only in those digits,
 * and the payload is stored once for all webhooks.
 */
export interface LedgerEvent {
  readonly seq: number
  readonly eventId: EventId
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  /** The same two as numbers, for tables that grow with the events. */
  readonly accountSeq: number
  readonly instanceSeq: number
  readonly type: string
  readonly createdAtMs: number
  readonly head: string
  readonly tail: string
}

/** Called inside the commit that records the event: what it writes is committed or rolled back with it. */
export type LedgerSubscriber = (tx: Tx, event: LedgerEvent) => Promise<void>

export interface Ledger {
  /** Records the fact and lets every listener write what it causes, all in the caller's unit of work. */
  append(tx: Tx, fact: Fact): Promise<LedgerEvent>
  /** Listeners run in the order they were added, in every later append. */
  subscribe(listener: LedgerSubscriber): void
}

/** For what did not happen to everybody, such as a test. */
export interface QuietLedger {
  /** Records the fact without calling listeners. The caller names the recipient in `only_for`. */
  record(tx: Tx, fact: Fact): Promise<LedgerEvent>
}

const insert = sql<{
  seq: number
  eventId: string
  accountSeq: number
  instanceSeq: number
  type: string
  createdAtMs: number
  head: string
  tail: string
}>(`INSERT INTO events (seq, event_id, account_seq, instance_seq, type, created_at, head, tail)
    VALUES (:seq, :eventId, :accountSeq, :instanceSeq, :type, :createdAtMs, :head, :tail)`)

/** The number of an account or instance in the tables that grow with events: `… = ${subjectSeq(':accountId')}`. */
export const subjectSeq = (parameter: string) => `(SELECT seq FROM subjects WHERE id = ${parameter})`

const subject = sql<{ id: string }, { seq: number }>('SELECT seq FROM subjects WHERE id = :id')

const addSubject = sql<{ seq: number; id: string }>('INSERT INTO subjects (seq, id) VALUES (:seq, :id)')

/** Numbers kept in memory; above this the cache is cleared. */
const KNOWN_SUBJECTS = 20_000

export function createLedger({ clock, ids }: { clock: Clock; ids: Ids }): Ledger & QuietLedger {
  const listeners: LedgerSubscriber[] = []
  const numbers = new Map<string, number>()

  async function numberOf(tx: Tx, id: string): Promise<number> {
    const known = numbers.get(id)
    if (known !== undefined) return known
    const found = await tx.one(subject, { id })
    const seq = found?.seq ?? (await tx.next('subjects'))
    if (!found) await tx.run(addSubject, { seq, id })
    // Not before: the unit may be undone, and its number with it.
    tx.afterCommit(() => {
      if (numbers.size >= KNOWN_SUBJECTS) numbers.clear()
      numbers.set(id, seq)
    })
    return seq
  }

  async function record(tx: Tx, fact: Fact): Promise<LedgerEvent> {
    const event: LedgerEvent = {
      seq: await tx.next('events'),
      accountSeq: await numberOf(tx, fact.accountId),
      instanceSeq: await numberOf(tx, fact.instanceId),
      ...write(fact, ids.event(), clock.now()),
    }
    await tx.run(insert, event)
    return event
  }

  return {
    subscribe: (listener) => void listeners.push(listener),
    async append(tx, fact) {
      const event = await record(tx, fact)
      for (const listener of listeners) await listener(tx, event)
      return event
    },
    record,
  }
}

/** The exact text receivers get, cut where the attempt number goes (spec: Event envelope). */
function write(fact: Fact, eventId: EventId, createdAtMs: number) {
  const { accountId, instanceId, type } = fact
  const rest = { created_at: isoTime(createdAtMs), account_id: accountId, instance: fact.instance, data: fact.data }
  return {
    eventId,
    accountId,
    instanceId,
    type,
    createdAtMs,
    head: `{"event_id":${JSON.stringify(eventId)},"type":${JSON.stringify(type)},"attempt":`,
    tail: `,${JSON.stringify(rest).slice(1)}`,
  }
}
