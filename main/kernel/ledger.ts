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
  readonly type: string
  readonly createdAtMs: number
  readonly head: string
  readonly tail: string
}

/** Hears an event inside the commit that records it: what it writes lives and dies with the event. */
export type EventListener = (tx: Tx, event: LedgerEvent) => Promise<void>

export interface Ledger {
  /** Records the fact and lets every listener write what it causes, all in the caller's unit of work. */
  append(tx: Tx, fact: Fact): Promise<LedgerEvent>
  /** Listeners run in the order they were added, in every later append. */
  hear(listener: EventListener): void
}

/** For what did not happen to everybody, such as a test. */
export interface QuietLedger {
  /** Records the fact and tells no listener. Whoever asks for it says in `only_for` whom it is for. */
  record(tx: Tx, fact: Fact): Promise<LedgerEvent>
}

const insert = sql<{
  seq: number
  eventId: string
  accountId: string
  instanceId: string
  type: string
  createdAt: number
  head: string
  tail: string
}>(`INSERT INTO events (seq, event_id, account_id, instance_id, type, created_at, head, tail)
    VALUES (:seq, :eventId, :accountId, :instanceId, :type, :createdAt, :head, :tail)`)

export function createLedger({ clock, ids }: { clock: Clock; ids: Ids }): Ledger & QuietLedger {
  const listeners: EventListener[] = []

  async function record(tx: Tx, fact: Fact): Promise<LedgerEvent> {
    const event = write(fact, await tx.next('events'), ids.event(), clock.now())
    const { createdAtMs, ...columns } = event
    await tx.run(insert, { ...columns, createdAt: createdAtMs })
    return event
  }

  return {
    hear: (listener) => void listeners.push(listener),
    async append(tx, fact) {
      const event = await record(tx, fact)
      for (const listener of listeners) await listener(tx, event)
      return event
    },
    record,
  }
}

/** The exact text receivers get, cut where the attempt number goes (spec: Event envelope). */
function write(fact: Fact, seq: number, eventId: EventId, createdAtMs: number): LedgerEvent {
  const { accountId, instanceId, type } = fact
  const rest = { created_at: isoTime(createdAtMs), account_id: accountId, instance: fact.instance, data: fact.data }
  return {
    seq,
    eventId,
    accountId,
    instanceId,
    type,
    createdAtMs,
    head: `{"event_id":${JSON.stringify(eventId)},"type":${JSON.stringify(type)},"attempt":`,
    tail: `,${JSON.stringify(rest).slice(1)}`,
  }
}
