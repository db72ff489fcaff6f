import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { Alarms } from '../alarms.ts'
import type { Item } from './callback-items.ts'
import { parseCallback, type Change } from './callback-parser.ts'
import type { CallbackNotes } from './callback-notes.ts'
import { createCallbackQueue } from './callback-queue.ts'
import type { Inbound } from './inbound.ts'
import { hasCredentials, type ConnectedNumber, type Numbers, type OfficialNumber } from './numbers.ts'
import type { PendingSends } from './send.ts'
import { keepUnread, pruneUnread, removeCallback, unreadOf, type CallbackRow } from './store.ts'

interface JournalDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly alarms: Alarms
  readonly numbers: Numbers
  readonly inbound: Inbound
  readonly unnamed: PendingSends
  readonly notes: Pick<CallbackNotes, 'note'>
}

export interface Journal {
  /** A callback of the instance was stored. */
  wake(instanceId: InstanceId): void
  /** Callbacks of an instance that could not be read. */
  unread(id: InstanceId): { readonly count: number; readonly sinceMs: number | null }
  /** Starts to process the stored callbacks. */
  open(): Promise<void>
  /** Resolves when nothing is being processed; the rest stays in storage. */
  close(): Promise<void>
}

/** The work for one number from one callback, in the order of its lane. */
interface Act {
  readonly row: CallbackRow
  readonly lane: string
  readonly run: () => Promise<void>
}

/** Chats and messages whose items are published at the same time. */
const LANES_AT_ONCE = 64
const REST_MS = 1_000
/** After this many refusals by the rooms, the item is given up. */
const TRIES = 5
/** The longest that a status waits for the id of a message that is still being sent. */
const UNNAMED_MS = 60_000
const KEEP_UNREAD_MS = 7 * 24 * 60 * 60_000
const NONE = { count: 0, sinceMs: null } as const

/**
 * Processes callbacks at least once: a row is deleted only after everything in it is durable in the rooms, which
 * ignore repeats. Items of one chat or message are published in order, others concurrently. These are not jobs,
 * because one callback carries items of many chats, and 64 callbacks are finished in one commit.
 */
export function createJournal(needs: JournalDeps): Journal {
  const { db, clock, log, alarms, numbers, inbound, unnamed, notes } = needs
  const queue = createCallbackQueue({ db, clock, accountOf: (instanceId) => numbers.of(instanceId)?.accountId })
  const tries = new Map<number, number>()
  const unread = new Map<InstanceId, { count: number; sinceMs: number | null }>()
  let isOpen = false
  let isAsked = false
  let running: Promise<void> | undefined

  function continueReading(): void {
    isAsked = true
    if (!isOpen || running) return
    running = turns().finally(() => {
      running = undefined
      if (isOpen && isAsked) continueReading()
    })
  }

  async function turns(): Promise<void> {
    try {
      while (isOpen && isAsked) {
        isAsked = false
        if (await turn()) isAsked = true
      }
      restUntilDue()
    } catch (error) {
      log.warn({ event: 'official.callbacks_unread', cause: cause(error) })
      rest()
    }
  }

  const rest = () => alarms.set('callbacks', clock.now() + REST_MS, continueReading)

  const restUntilDue = () => {
    const dueAtMs = queue.dueAtMs()
    if (dueAtMs !== undefined) alarms.set('callbacks', dueAtMs, continueReading)
  }

  /** @returns whether there may be more to do immediately. */
  async function turn(): Promise<boolean> {
    const rows = await queue.next()
    const readings = new Map(rows.map((row) => [row.seq, parseCallback(row.body, row.receivedAtMs)]))
    const acts = new Map(rows.map((row) => [row.seq, actsOf(row, readings.get(row.seq) ?? [])]))
    const lanesOf = ({ seq }: CallbackRow) => (acts.get(seq) ?? []).map(({ lane }) => lane)
    const ready = rows.filter((row) => {
      const isHeld = mustWait(row, readings.get(row.seq) ?? []) || queue.isBehindHeld(row, lanesOf(row))
      if (isHeld) queue.hold(row, lanesOf(row))
      return !isHeld
    })
    for (const { seq, instanceId } of ready)
      for (const { noted } of readings.get(seq) ?? []) notes.note(instanceId, noted)
    const failed = await carryOut(ready.flatMap(({ seq }) => acts.get(seq) ?? []))
    for (const row of ready) if (!failed.has(row.seq)) tries.delete(row.seq)
    for (const row of await settle(ready, readings, failed)) queue.hold(row, lanesOf(row))
    return rows.length > 0
  }

  function mustWait({ instanceId, receivedAtMs }: CallbackRow, changes: readonly Change[]): boolean {
    if (!unnamed.any(instanceId) || clock.now() - receivedAtMs >= UNNAMED_MS) return false
    return changes.some(({ items }) => items.some((item) => inbound.isUnnamed(item)))
  }

  function actsOf(row: CallbackRow, changes: readonly Change[]): Act[] {
    return changes.flatMap((change) =>
      targetsOf(row, change).flatMap((number) =>
        change.items.map((item) => ({
          row,
          lane: `${number.instanceId} ${laneOf(item)}`,
          run: () => inbound.publish(number, item),
        })),
      ),
    )
  }

  /**
   * One Meta app has one callback URL for many numbers, so each change looks up its own instances: those of that
   * number whose app signed the callback.
   */
  function targetsOf({ instanceId }: CallbackRow, change: Change): ConnectedNumber[] {
    const origin = numbers.of(instanceId)
    if (!hasCredentials(origin)) return []
    const found = concerned(change)
      .filter(hasCredentials)
      .filter((number) => haveOneApp(origin, number))
    if (found.length === 0 && change.items.length > 0) {
      log.info({ event: 'official.callback_for_nobody', instanceId, items: change.items.length })
    }
    return found
  }

  function concerned({ phoneNumberId, wabaId, displayNumber }: Change): readonly OfficialNumber[] {
    if (phoneNumberId !== null) return numbers.having(phoneNumberId)
    const ofAccount = numbers.ofAccount(wabaId)
    return displayNumber === null ? ofAccount : ofAccount.filter(({ number }) => number === displayNumber)
  }

  /** @returns the rows with something that was refused. */
  async function carryOut(acts: readonly Act[]): Promise<ReadonlySet<number>> {
    const failed = new Set<number>()
    const lanes = Map.groupBy(acts, ({ lane }) => lane).values()
    await Promise.all(
      Array.from({ length: LANES_AT_ONCE }, async () => {
        for (const lane of lanes) {
          await carryOutLane(lane, failed)
          await yieldToEventLoop()
        }
      }),
    )
    return failed
  }

  async function carryOutLane(lane: readonly Act[], failed: Set<number>): Promise<void> {
    for (const { row, run } of lane) {
      try {
        await run()
      } catch (error) {
        failed.add(row.seq)
        log.warn({ event: 'official.callback_not_taken', instanceId: row.instanceId, cause: cause(error) })
        // Later items of this chat must not overtake it.
        for (const later of lane.slice(lane.findIndex((act) => act.row === row))) failed.add(later.row.seq)
        return
      }
    }
  }

  /** @returns the rows to try again. */
  async function settle(
    rows: readonly CallbackRow[],
    readings: ReadonlyMap<number, readonly Change[] | undefined>,
    failed: ReadonlySet<number>,
  ): Promise<readonly CallbackRow[]> {
    if (rows.length === 0) return []
    const kept: CallbackRow[] = []
    const again: CallbackRow[] = []
    await db.commit(async (tx) => {
      for (const row of rows) {
        const problem = problemOf(row, readings.get(row.seq), failed)
        if (problem === 'again') again.push(row)
        else if (problem === null) await tx.run(removeCallback, { seq: row.seq })
        else {
          await tx.run(keepUnread, { seq: row.seq, problem })
          kept.push(row)
        }
      }
    })
    for (const { instanceId } of kept) {
      log.warn({ event: 'official.callback_kept', instanceId })
      await count(instanceId)
    }
    return again
  }

  /** @returns `again` for a row to try again, null for one that is finished. */
  function problemOf({ seq }: CallbackRow, changes: readonly Change[] | undefined, failed: ReadonlySet<number>) {
    if (changes === undefined) return 'not a callback'
    if (!failed.has(seq)) return changes.flatMap(({ problems }) => problems).join(', ') || null
    const tried = (tries.get(seq) ?? 0) + 1
    tries.set(seq, tried)
    if (tried < TRIES) return 'again'
    tries.delete(seq)
    return 'not taken'
  }

  async function count(instanceId: InstanceId): Promise<void> {
    unread.set(instanceId, (await db.readOne(unreadOf, { instanceId })) ?? NONE)
  }

  return {
    wake(instanceId) {
      queue.note(instanceId)
      continueReading()
    },
    unread: (id) => unread.get(id) ?? NONE,
    async open() {
      await db.commit((tx) => tx.run(pruneUnread, { before: clock.now() - KEEP_UNREAD_MS }))
      for (const { instanceId } of numbers.all()) {
        await count(instanceId)
        queue.note(instanceId)
      }
      isOpen = true
      continueReading()
    },
    async close() {
      isOpen = false
      await running
    },
  }
}

/** Keeps the statuses of one message in order, and the messages of one chat. */
function laneOf(item: Item): string {
  switch (item.kind) {
    case 'status':
    case 'failed':
      return `message ${item.id}`
    case 'message':
    case 'edited':
    case 'deleted':
    case 'reaction':
      return `chat ${item.group ?? item.person.number ?? item.person.userId ?? ''}`
    case 'marketing':
    case 'handover':
    case 'username':
      return `chat ${item.person.number ?? item.person.userId ?? ''}`
    case 'past': {
      const [first] = item.messages
      return `chat ${first?.person.number ?? first?.person.userId ?? ''}`
    }
    case 'known':
      return `chat ${item.number}`
    case 'changed':
      return `chat ${item.before.number ?? item.before.userId ?? ''}`
    case 'group':
      return `group ${typeof item.value['group_id'] === 'string' ? item.value['group_id'] : ''}`
    case 'call':
      return `call ${item.event.networkId}`
    case 'number_error':
    case 'quality':
    case 'capability':
    case 'account':
    case 'notice':
    case 'template':
    case 'address_book':
      return 'number'
  }
}

function haveOneApp(one: ConnectedNumber, other: ConnectedNumber): boolean {
  return one === other || one.credentials().appSecret.equals(other.credentials().appSecret.open())
}
