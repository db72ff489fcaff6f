import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { EngineSignal, EngineSink } from '../engine.ts'
import type { Alarms } from '../alarms.ts'
import {
  add,
  due,
  forget,
  forgetLater,
  forgetLink,
  hold,
  LINK,
  next,
  phoneExpired,
  phoneOffline,
  phoneOnline,
  phoneSilent,
  release,
  remove,
  type DueEntry,
  type Entry,
} from './timeline-store.ts'

export type Timeline = ReturnType<typeof createTimeline>

/** Entries that are delivered at the same time; the sink groups their commits. */
const BATCH = 512
/** A lane pauses this long after the sink rejected its signal. */
const PAUSE_MS = 1_000

/**
 * Reports due entries to the sink, at least once: a row is deleted only after the sink resolves. Rows are stored, so
 * pending entries survive a restart. They are not jobs, because whole timelines are held, released and moved with
 * their phone in one statement.
 */
export function createTimeline(deps: { db: Db; clock: Clock; alarms: Alarms; sink: EngineSink; log: Log }) {
  const { db, clock, alarms, sink, log } = deps
  const inFlight = new Set<number>()
  /** Rows waiting behind the one of their lane that is being delivered. */
  const lanes = new Map<string, DueEntry[]>()
  const pausedUntil = new Map<string, number>()
  /** Connection signals being delivered; other signals of the instance wait for them. */
  const links = new Map<InstanceId, Promise<void>>()
  const running = new Set<Promise<void>>()
  let isOpen = false
  let isReading = false
  let isAsked = false
  let hasMore = false
  let nextAtMs = Infinity

  function wake(atMs: number): void {
    if (!isOpen) return
    if (atMs <= clock.now()) return void read()
    if (atMs >= nextAtMs) return
    nextAtMs = atMs
    alarms.set('timeline', atMs, () => void read())
  }

  async function read(): Promise<void> {
    isAsked = true
    if (isReading) return
    isReading = true
    try {
      while (isAsked && isOpen) {
        isAsked = false
        await readOnce()
      }
    } catch (error) {
      log.warn({ event: 'sandbox.timeline_unread', cause: cause(error) })
      pause('')
    } finally {
      isReading = false
    }
  }

  async function readOnce(): Promise<void> {
    const now = clock.now()
    const rows = await db.read(due, { now, limit: BATCH })
    hasMore = rows.length === BATCH
    for (const row of rows) if (!inFlight.has(row.seq) && !isPaused(row.lane, now)) take(row)
    nextAtMs = Infinity
    const later = await db.readOne(next, { now })
    if (later !== undefined) wake(later.dueAtMs)
  }

  function take(row: DueEntry): void {
    inFlight.add(row.seq)
    const queue = lanes.get(row.lane)
    if (queue !== undefined) return void queue.push(row)
    lanes.set(row.lane, [row])
    const run = drain(row)
    running.add(run)
    if (row.step === LINK) links.set(row.instanceId, run)
    void run.finally(() => {
      running.delete(run)
      if (links.get(row.instanceId) === run) links.delete(row.instanceId)
      if (hasMore && inFlight.size < BATCH / 2) void read()
    })
  }

  async function drain({ lane, step, instanceId }: DueEntry): Promise<void> {
    if (step !== LINK) await links.get(instanceId)
    const queue = lanes.get(lane) ?? []
    for (let row = queue[0]; row !== undefined && isOpen; row = queue[0]) {
      if (!(await deliver(row))) {
        pause(lane)
        break
      }
      queue.shift()
      inFlight.delete(row.seq)
    }
    for (const row of queue) inFlight.delete(row.seq)
    lanes.delete(lane)
  }

  async function deliver({ seq, instanceId, dueAtMs, signal }: DueEntry): Promise<boolean> {
    try {
      await sink(instanceId, dated(signal, dueAtMs))
      await db.commit((tx) => tx.run(remove, { seq }))
      return true
    } catch (error) {
      log.warn({ event: 'sandbox.signal_not_taken', instanceId, cause: cause(error) })
      return false
    }
  }

  function pause(lane: string): void {
    const untilMs = clock.now() + PAUSE_MS
    pausedUntil.set(lane, untilMs)
    alarms.set('timeline rest', untilMs, () => void read())
  }

  function isPaused(lane: string, nowMs: number): boolean {
    const untilMs = pausedUntil.get(lane)
    if (untilMs === undefined) return false
    if (untilMs > nowMs) return true
    pausedUntil.delete(lane)
    return false
  }

  return {
    async schedule(tx: Tx, entry: Entry): Promise<void> {
      const { instanceId, lane, step, phone, offsetMs: offset, expiresAtMs: expiresAt = null } = entry
      const dueAt = entry.due?.atMs ?? null
      const seq = await tx.next('sandbox')
      const [waits, signal] = [step === LINK ? 0 : 1, JSON.stringify(entry.signal)] as const
      await tx.run(add, { seq, instanceId, lane, step, waits, phone, dueAt, offset, signal, expiresAt })
      if (dueAt !== null) tx.afterCommit(() => wake(dueAt))
    },
    /** The connection was lost: future entries wait. */
    async hold(tx: Tx, instanceId: InstanceId): Promise<void> {
      await tx.run(hold, { instanceId })
    },
    async release(tx: Tx, instanceId: InstanceId): Promise<void> {
      const now = clock.now()
      await tx.run(release, { instanceId, now })
      tx.afterCommit(() => wake(now))
    },
    /** Deletes all future entries of an instance whose session ended. */
    async forget(tx: Tx, instanceId: InstanceId): Promise<void> {
      await tx.run(forget, { instanceId })
    },
    /** Drops pending connection signals that a user's action made obsolete. */
    async forgetLink(tx: Tx, instanceId: InstanceId): Promise<void> {
      await tx.run(forgetLink, { instanceId })
    },
    /** Deletes the entries of a lane after its first step. */
    async forgetLater(tx: Tx, instanceId: InstanceId, lane: string): Promise<void> {
      await tx.run(forgetLater, { instanceId, lane })
    },
    async phoneWentOffline(tx: Tx, phone: number): Promise<void> {
      await tx.run(phoneOffline, { phone })
    },
    async phoneCameOnline(tx: Tx, phone: number, fromMs: number): Promise<void> {
      await tx.run(phoneExpired, { phone, now: clock.now() })
      await tx.run(phoneOnline, { phone, from: fromMs })
      tx.afterCommit(() => wake(fromMs))
    },
    /** From now on, the phone confirms only steps before `step`. */
    async phoneFellSilent(tx: Tx, phone: number, step: number): Promise<void> {
      await tx.run(phoneSilent, { phone, step })
    },
    /** Starts to call the sink. */
    open(): void {
      isOpen = true
      void read()
    },
    /** Resolves when no call of the sink is running; the rest stays in storage. */
    async close(): Promise<void> {
      isOpen = false
      await Promise.allSettled([...running])
    },
  }
}

/** A receipt gets the time at which it became due. For a phone that was offline, that time is not known before. */
function dated(json: string, dueAtMs: number): EngineSignal {
  // Written by schedule() above.
  const signal = JSON.parse(json) as EngineSignal
  return signal.kind === 'receipt' || signal.kind === 'failed' ? { ...signal, atMs: dueAtMs } : signal
}
