import type { CrmProblemCode } from '../../contract/crm.ts'
import type { JobKindName } from '../../contract/job-kinds.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueAt, dueIn } from '../../kernel/due.ts'
import type { JobOutcome, JobRun } from '../../kernel/job.ts'
import type { JobQueue, Jobs } from '../../kernel/jobs.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { CrmLink, Links } from './links.ts'
import {
  clearError,
  allQueues,
  noteError,
  noteSync,
  queueOf,
  releaseQueue,
  setFailures,
  setStateOfQueue,
  suspendQueue,
  takeQueue,
} from './link-store.ts'

/** Result of a turn of a queue. */
export type Turn =
  /** Something was done, and there may be more. */
  | { readonly kind: 'more'; readonly record: (tx: Tx) => Promise<void> }
  /** Nothing was delivered; the handling of refused items is recorded. */
  | { readonly kind: 'settled'; readonly record: (tx: Tx) => Promise<void> }
  | { readonly kind: 'idle' }
  /** The CRM is unreachable or limits calls; `waitMs` null: by the schedule of failures. */
  | {
      readonly kind: 'wait'
      readonly waitMs: number | null
      readonly code: CrmProblemCode
      readonly message: string
      readonly record: (tx: Tx) => Promise<void>
    }
  | {
      readonly kind: 'reconnect'
      /** `connectedAtMsOf` at the start of the turn, because somebody may have connected again since. */
      readonly connectedAtMs: number
      readonly code: CrmProblemCode
      readonly message: string
      readonly record: (tx: Tx) => Promise<void>
    }

interface QueuesDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  readonly jobs: Jobs
  readonly links: Links
  readonly log: Log
}

interface QueueWork {
  readonly name: JobKindName
  /** Prefixes of its queues. */
  readonly prefixes: readonly string[]
  /** One turn, outside any commit, of at most a few dozen calls, so that other queues get their turn. */
  turn(queue: string, signal: AbortSignal): Promise<Turn>
  /** When the queue is due: now or earlier, later, or never (null). */
  dueAtMs(tx: Tx, queue: string): Promise<number | null>
  /** The connections of the queue; none if they were removed. */
  linksOf(tx: Tx, queue: string): Promise<readonly Pick<CrmLink, 'seq' | 'accountId' | 'connectedAtMs'>[]>
}

const BACKOFF_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000] as const
const DEADLINE_MS = 120_000
const BROKEN_MS = 30_000

/** When a connection of the queue was last made or renewed. */
export const connectedAtMsOf = (links: readonly Pick<CrmLink, 'connectedAtMs'>[]): number =>
  links.reduce((last, { connectedAtMs }) => Math.max(last, connectedAtMs), 0)

export type WorkQueue = ReturnType<typeof createWorkQueue>

/**
 * Many queues, each processed by at most one job at a time, such as a location of GoHighLevel, which has its own
 * limits and order. Queues take equal turns, and a queue that must wait does not delay others.
 */
export function createWorkQueue({ db, clock, jobs, links, log }: QueuesDeps, work: QueueWork) {
  const kind: JobQueue<{ readonly queue: string }> = jobs.define<{ readonly queue: string }, Turn>({
    name: work.name,
    perLane: 1,
    concurrency: 24,
    deadlineMs: DEADLINE_MS,
    // A turn does not throw: errors are part of its result.
    retryDelaysMs: Array.from({ length: 100 }, () => BROKEN_MS),
    async act({ input: { queue } }, signal): Promise<Turn> {
      try {
        return await work.turn(queue, signal)
      } catch (error) {
        log.error({ event: 'crm.turn_failed', work: work.name, cause: cause(error) })
        const message = 'An unexpected error stopped the sync. It is tried again; the log of the service has the cause.'
        return { kind: 'wait', waitMs: BROKEN_MS, code: 'failed', message, record: async () => {} }
      }
    },
    record,
    // The next event creates a new job.
    async recordFailure(tx, { input: { queue } }) {
      await tx.run(releaseQueue, { id: queue })
    },
  })

  async function record(
    tx: Tx,
    { input: { queue } }: JobRun<{ readonly queue: string }>,
    turn: Turn,
  ): Promise<JobOutcome> {
    const id = queue
    if (turn.kind !== 'idle') await turn.record(tx)
    const row = await tx.one(queueOf, { id })
    // The last connection was removed meanwhile, or the CRM accepts no calls.
    if (row === undefined) return { kind: 'done' }
    if (row.suspended === 1) {
      await tx.run(releaseQueue, { id })
      return { kind: 'done' }
    }
    const all = await work.linksOf(tx, queue)
    const now = clock.now()
    if (turn.kind === 'reconnect' && turn.connectedAtMs === connectedAtMsOf(all)) {
      await suspend(tx, queue, turn)
      return { kind: 'done' }
    }
    if (turn.kind === 'wait') {
      const failures = turn.waitMs === null ? row.failures + 1 : row.failures
      await tx.run(setFailures, { id, failures, sinceMs: row.failingSinceMs ?? now })
      for (const { seq, accountId } of all) {
        await tx.run(noteError, { seq, code: turn.code, message: turn.message, now })
        links.notify(tx, accountId)
      }
      const delayMs = BACKOFF_MS[Math.min(row.failures, BACKOFF_MS.length - 1)] ?? BROKEN_MS
      return { kind: 'again', at: dueIn(clock, turn.waitMs ?? delayMs) }
    }
    if (turn.kind === 'more') {
      if (row.failures > 0 || row.failingSinceMs !== null) {
        await tx.run(setFailures, { id, failures: 0, sinceMs: null })
        await tx.run(clearError, { queue })
      }
      for (const { seq, accountId } of all) {
        await tx.run(noteSync, { seq, now })
        links.notify(tx, accountId)
      }
    }
    const dueAtMs = await work.dueAtMs(tx, queue)
    if (dueAtMs !== null) return { kind: 'again', at: dueAt(clock, Math.max(now, dueAtMs)) }
    await tx.run(releaseQueue, { id })
    return { kind: 'done' }
  }

  async function suspend(
    tx: Tx,
    queue: string,
    { code, message }: { readonly code: CrmProblemCode; readonly message: string },
  ): Promise<void> {
    await tx.run(releaseQueue, { id: queue })
    await tx.run(suspendQueue, { id: queue, suspended: 1 })
    await tx.run(setStateOfQueue, { queue, state: 'reconnect_required' })
    for (const { seq, accountId } of await work.linksOf(tx, queue)) {
      await tx.run(noteError, { seq, code, message, now: clock.now() })
      links.notify(tx, accountId)
    }
  }

  async function start(tx: Tx, queue: string): Promise<void> {
    const [link] = await work.linksOf(tx, queue)
    if (link === undefined) await tx.run(releaseQueue, { id: queue })
    else await kind.add(tx, { accountId: link.accountId, subjectId: queue, input: { queue } })
  }

  return {
    /** Starts the job, in the commit that needs it. */
    async wake(tx: Tx, queue: string): Promise<void> {
      if ((await tx.run(takeQueue, { id: queue })) > 0) await start(tx, queue)
    },
    suspend,
    /** The CRM accepts calls again. */
    async resume(tx: Tx, queue: string): Promise<void> {
      // The existing job may be due in a day, for a reason that no longer holds, so another one is added.
      const row = await tx.one(queueOf, { id: queue })
      if (row !== undefined && row.failingSinceMs !== null) await tx.run(releaseQueue, { id: queue })
      await tx.run(suspendQueue, { id: queue, suspended: 0 })
      await tx.run(setStateOfQueue, { queue, state: 'connected' })
      await tx.run(clearError, { queue })
    },
    /** Runs at start: queues without a job get one again. */
    async recover(): Promise<void> {
      for (const { id } of await db.read(allQueues, {})) {
        if (!work.prefixes.some((prefix) => id.startsWith(prefix))) continue
        const found = await kind.findSubject(id)
        if ((found?.waiting ?? 0) + (found?.running ?? 0) > 0) continue
        await db.commit(async (tx) => {
          await tx.run(releaseQueue, { id })
          if ((await work.dueAtMs(tx, id)) !== null && (await tx.run(takeQueue, { id })) > 0) await start(tx, id)
        })
      }
    },
  }
}
