import type { AccountFacts, EventData, EventType } from '../contract/events.ts'
import type { LineEventType } from '../contract/line-events.ts'
import type { SendOrigin } from '../contract/send-origin.ts'
import { isoTime } from '../contract/request.ts'
import type { Clock } from './clock.ts'
import type { Tx } from './db.ts'
import type { AccountId, EventId, Ids, InstanceId } from './ids.ts'
import { sql } from './sql.ts'

/** What happened to an instance, before it has an id. The instances room, which announces it, types the data. */
export interface Fact {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly type: EventType
  /** The envelope's `instance`, as it stands at this moment. */
  readonly instance: object
  readonly data: object
  /** Of a message that another room sent. It reaches the subscribers of the commit only. */
  readonly origin?: SendOrigin | null
}

/** What happened to an account and to none of its instances. */
interface AccountFact<T extends keyof AccountFacts = keyof AccountFacts> {
  readonly accountId: AccountId
  readonly type: T
  readonly data: AccountFacts[T]
}

/** What happened on a line and is for the webhook of the instance alone. */
interface LineFact extends Omit<Fact, 'type'> {
  readonly type: LineEventType
}

interface Recorded {
  readonly seq: number
  readonly eventId: EventId
  readonly accountId: AccountId
  /** Account and instance as numbers, for tables that grow with the events. */
  readonly accountSeq: number
  /** The account's own number if the fact is about the account. */
  readonly instanceSeq: number
  readonly createdAtMs: number
  /** Of a message that another room sent; otherwise null. */
  readonly origin: SendOrigin | null
  /** The body of attempt n is `head + n + tail`: the payload is stored once for all webhooks and attempts. */
  readonly head: string
  readonly tail: string
}

type InstanceEvent = {
  [T in EventType]: Recorded & {
    readonly instanceId: InstanceId
    readonly type: T
    readonly data: EventData[T] & { readonly occurred_at: string; readonly sequence: number }
  }
}[EventType]
type AccountEvent = {
  [T in keyof AccountFacts]: Recorded & { readonly instanceId: null; readonly type: T; readonly data: AccountFacts[T] }
}[keyof AccountFacts]

/** A recorded fact. `type` says what its `data` is; `instanceId` is null if it is about the account. */
export type LedgerEvent = InstanceEvent | AccountEvent

type LedgerEventType = LedgerEvent['type']

/** A recorded fact of one of these types. */
export type EventOf<T extends LedgerEventType> = Extract<LedgerEvent, { type: T }>

/**
 * When a subscriber runs: `record` writes down what the event says, `derive` decides from what was written down, and
 * `enqueue` tells others. Within a phase the order means nothing.
 */
const PHASES = ['record', 'derive', 'enqueue'] as const
type Phase = (typeof PHASES)[number]

/** What is done inside the commit that records an event: what it writes is committed or rolled back with it. */
export interface InCommit<T extends LedgerEventType = LedgerEventType> {
  readonly phase: Phase
  readonly on: readonly T[]
  run(tx: Tx, event: EventOf<T>): Promise<void>
}

export interface Ledger {
  /** Records the fact and runs the subscribers of the commit, all in the caller's unit of work. */
  append(tx: Tx, fact: Fact | AccountFact): Promise<LedgerEvent>
  /** For what must be in the same commit as the fact. */
  inCommit<const T extends LedgerEventType>(subscriber: InCommit<T>): void
  /** Called once the commit is durable. */
  subscribe(subscriber: (event: LedgerEvent) => void): void
}

/** For what did not happen to everybody, such as a test. */
export interface QuietLedger {
  /** Records the fact without calling subscribers. The caller names the recipient in `only_for`. */
  record(tx: Tx, fact: Fact | AccountFact | LineFact): Promise<LedgerEvent>
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

/** Size of the cache. When it is full, it is cleared. */
const KNOWN_SUBJECTS = 20_000

/** What is done in the commits of events, found by the type of the event. */
export function createSubscribers() {
  const byType = new Map<LedgerEventType, readonly Omit<InCommit, 'on'>[]>()
  return {
    add<const T extends LedgerEventType>({ phase, on, run }: InCommit<T>): void {
      const added = { phase, run: (tx: Tx, event: LedgerEvent) => run(tx, event as EventOf<T>) }
      for (const type of on) {
        const all = [...(byType.get(type) ?? []), added]
        byType.set(
          type,
          PHASES.flatMap((each) => all.filter((one) => one.phase === each)),
        )
      }
    },
    async run(tx: Tx, event: LedgerEvent): Promise<void> {
      for (const subscriber of byType.get(event.type) ?? []) await subscriber.run(tx, event)
    },
  }
}

export function createLedger({ clock, ids }: { clock: Clock; ids: Ids }): Ledger & QuietLedger {
  const inCommit = createSubscribers()
  const subscribers: ((event: LedgerEvent) => void)[] = []
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

  async function record(tx: Tx, fact: Fact | AccountFact | LineFact): Promise<LedgerEvent> {
    const { accountId, type, data } = fact
    const instanceId = 'instanceId' in fact ? fact.instanceId : null
    const [eventId, createdAtMs, accountSeq] = [ids.event(), clock.now(), await numberOf(tx, accountId)]
    const row = {
      ...{ seq: await tx.next('events'), eventId, accountSeq, type, createdAtMs },
      instanceSeq: instanceId === null ? accountSeq : await numberOf(tx, instanceId),
      ...envelope(fact, eventId, createdAtMs),
    }
    await tx.run(insert, row)
    const origin = ('origin' in fact ? fact.origin : null) ?? null
    // The types Announce and AccountFact make sure that the data fits the event type.
    return { ...row, accountId, instanceId, data, origin } as LedgerEvent
  }

  return {
    inCommit: inCommit.add,
    subscribe: (subscriber) => void subscribers.push(subscriber),
    async append(tx, fact) {
      const event = await record(tx, fact)
      await inCommit.run(tx, event)
      if (subscribers.length > 0) tx.afterCommit(() => subscribers.forEach((subscriber) => subscriber(event)))
      return event
    },
    record,
  }
}

/** The exact text receivers get, cut where the attempt number goes (spec: Event envelope). */
function envelope(fact: Fact | AccountFact | LineFact, eventId: EventId, createdAtMs: number) {
  const instance = 'instance' in fact ? { instance: fact.instance } : {}
  const rest = { created_at: isoTime(createdAtMs), account_id: fact.accountId, ...instance, data: fact.data }
  return {
    head: `{"event_id":${JSON.stringify(eventId)},"type":${JSON.stringify(fact.type)},"attempt":`,
    tail: `,${JSON.stringify(rest).slice(1)}`,
  }
}
