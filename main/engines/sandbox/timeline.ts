import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { sql } from '../../kernel/sql.ts'
import type { EngineSignal, EngineSink } from '../engine.ts'
import type { Alarms } from './alarms.ts'

/** Something that is still to happen to an instance. */
export interface Entry {
  readonly instanceId: InstanceId
  /** Entries of one lane are told one after another. */
  readonly lane: string
  /** Order among entries due at the same moment: the link first, then sent, delivered, read. */
  readonly step: number
  /** null: not before the phone is online. */
  readonly dueAtMs: number | null
  /** The phone that must be online for it. */
  readonly phone: number | null
  /** How long after the phone came online. */
  readonly offsetMs: number
  readonly signal: EngineSignal
}

/** Step of what is told of the link itself: it does not wait for the link. */
export const LINK = -1

interface Due {
  readonly seq: number
  readonly instanceId: InstanceId
  readonly lane: string
  readonly step: number
  readonly dueAtMs: number
  readonly signal: string
}

interface Id {
  instanceId: string
}

/** Whether it must wait for the link is decided where the link's state is certain: inside the commit. */
const add = sql<
  Id & {
    seq: number
    lane: string
    step: number
    dueAt: number | null
    phone: number | null
    offset: number
    signal: string
  }
>(
  `INSERT INTO sandbox_timeline (seq, instance_id, lane, step, due_at, held, phone, offset_ms, signal)
   SELECT :seq, instance_id, :lane, :step, :dueAt, CASE WHEN up = 1 OR :step < 0 THEN 0 ELSE 1 END, :phone, :offset,
     :signal
   FROM sandbox_lines WHERE instance_id = :instanceId`,
)

const due = sql<{ now: number; limit: number }, Due>(
  `SELECT seq, instance_id AS instanceId, lane, step, due_at AS dueAtMs, signal FROM sandbox_timeline
   WHERE held = 0 AND due_at IS NOT NULL AND due_at <= :now ORDER BY due_at, step, seq LIMIT :limit`,
)
const next = sql<{ now: number }, { dueAtMs: number }>(
  `SELECT due_at AS dueAtMs FROM sandbox_timeline
   WHERE held = 0 AND due_at IS NOT NULL AND due_at > :now ORDER BY due_at LIMIT 1`,
)
const remove = sql<{ seq: number }>('DELETE FROM sandbox_timeline WHERE seq = :seq')

const hold = sql<Id>('UPDATE sandbox_timeline SET held = 1 WHERE instance_id = :instanceId AND step >= 0')
/** What waited is due now, but keeps its order. */
const release = sql<Id & { now: number }>(
  `UPDATE sandbox_timeline SET held = 0, due_at = CASE WHEN due_at < :now THEN :now ELSE due_at END
   WHERE instance_id = :instanceId AND held = 1`,
)
const forget = sql<Id>('DELETE FROM sandbox_timeline WHERE instance_id = :instanceId')
const forgetLink = sql<Id>('DELETE FROM sandbox_timeline WHERE instance_id = :instanceId AND step < 0')

const phoneOffline = sql<{ phone: number }>('UPDATE sandbox_timeline SET due_at = NULL WHERE phone = :phone')
const phoneOnline = sql<{ phone: number; from: number }>(
  'UPDATE sandbox_timeline SET due_at = :from + offset_ms WHERE phone = :phone AND due_at IS NULL',
)
const phoneSilent = sql<{ phone: number; step: number }>(
  'DELETE FROM sandbox_timeline WHERE phone = :phone AND step >= :step',
)

export type Timeline = ReturnType<typeof createTimeline>

/** In flight at once; the sink groups their commits. */
const BATCH = 512
/** A lane whose signal the sink did not take rests this long. */
const REST_MS = 1_000

/**
 * Tells the sink what is due, at least once: a row goes only after the sink has resolved. Rows lie in storage, so what
 * is pending survives a restart.
 */
export function createTimeline(needs: { db: Db; clock: Clock; alarms: Alarms; sink: EngineSink; log: Log }) {
  const { db, clock, alarms, sink, log } = needs
  const inFlight = new Set<number>()
  /** Rows waiting behind the one of their lane that is being told. */
  const lanes = new Map<string, Due[]>()
  const restingUntil = new Map<string, number>()
  /** What is being told of a link; anything else of that instance comes after it. */
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
      rest('')
    } finally {
      isReading = false
    }
  }

  async function readOnce(): Promise<void> {
    const now = clock.now()
    const rows = await db.read(due, { now, limit: BATCH })
    hasMore = rows.length === BATCH
    for (const row of rows) if (!inFlight.has(row.seq) && !isResting(row.lane, now)) take(row)
    nextAtMs = Infinity
    const later = await db.readOne(next, { now })
    if (later !== undefined) wake(later.dueAtMs)
  }

  function take(row: Due): void {
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

  async function drain({ lane, step, instanceId }: Due): Promise<void> {
    if (step !== LINK) await links.get(instanceId)
    const queue = lanes.get(lane) ?? []
    for (let row = queue[0]; row !== undefined && isOpen; row = queue[0]) {
      if (!(await tell(row))) {
        rest(lane)
        break
      }
      queue.shift()
      inFlight.delete(row.seq)
    }
    for (const row of queue) inFlight.delete(row.seq)
    lanes.delete(lane)
  }

  async function tell({ seq, instanceId, dueAtMs, signal }: Due): Promise<boolean> {
    try {
      await sink(instanceId, dated(signal, dueAtMs))
      await db.commit((tx) => tx.run(remove, { seq }))
      return true
    } catch (error) {
      log.warn({ event: 'sandbox.signal_not_taken', instanceId, cause: cause(error) })
      return false
    }
  }

  function rest(lane: string): void {
    const untilMs = clock.now() + REST_MS
    restingUntil.set(lane, untilMs)
    alarms.set('timeline rest', untilMs, () => void read())
  }

  function isResting(lane: string, nowMs: number): boolean {
    const untilMs = restingUntil.get(lane)
    if (untilMs === undefined) return false
    if (untilMs > nowMs) return true
    restingUntil.delete(lane)
    return false
  }

  return {
    async schedule(tx: Tx, entry: Entry): Promise<void> {
      const { instanceId, lane, step, phone, dueAtMs: dueAt, offsetMs: offset } = entry
      const seq = await tx.next('sandbox')
      await tx.run(add, { seq, instanceId, lane, step, phone, dueAt, offset, signal: JSON.stringify(entry.signal) })
      if (dueAt !== null) tx.afterCommit(() => wake(dueAt))
    },
    /** The link went down: what is to come waits. */
    async hold(tx: Tx, instanceId: InstanceId): Promise<void> {
      await tx.run(hold, { instanceId })
    },
    async release(tx: Tx, instanceId: InstanceId): Promise<void> {
      const now = clock.now()
      await tx.run(release, { instanceId, now })
      tx.afterCommit(() => wake(now))
    },
    /** The session is gone, and with it all that was to come. */
    async forget(tx: Tx, instanceId: InstanceId): Promise<void> {
      await tx.run(forget, { instanceId })
    },
    /** What was to be told of the link is overtaken by somebody's will. */
    async forgetLink(tx: Tx, instanceId: InstanceId): Promise<void> {
      await tx.run(forgetLink, { instanceId })
    },
    async phoneWentOffline(tx: Tx, phone: number): Promise<void> {
      await tx.run(phoneOffline, { phone })
    },
    async phoneCameOnline(tx: Tx, phone: number, fromMs: number): Promise<void> {
      await tx.run(phoneOnline, { phone, from: fromMs })
      tx.afterCommit(() => wake(fromMs))
    },
    /** The phone confirms only what lies before `step` from now on. */
    async phoneFellSilent(tx: Tx, phone: number, step: number): Promise<void> {
      await tx.run(phoneSilent, { phone, step })
    },
    /** From here on the sink may be called. */
    open(): void {
      isOpen = true
      void read()
    },
    /** Resolves when no call of the sink is under way; what is left stays in storage. */
    async close(): Promise<void> {
      isOpen = false
      await Promise.allSettled([...running])
    },
  }
}

/** Receipts are dated by the moment they fell due, which for a phone that was offline is not known before. */
function dated(json: string, dueAtMs: number): EngineSignal {
  // Written by schedule() above.
  const signal = JSON.parse(json) as EngineSignal
  return signal.kind === 'receipt' || signal.kind === 'failed' ? { ...signal, atMs: dueAtMs } : signal
}
