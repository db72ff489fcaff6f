import type { Timer } from './clock.ts'
import { StorageError, type Tx } from './db.ts'
import {
  canceledLanes,
  cancelWaiting,
  claimJobs,
  dueLanes,
  dueLanesOfOthers,
  leftOut,
  endJob,
  laneOf,
  leasedJob,
  nextDue,
  saveProgress,
  updateLane,
  type DueLane,
  type JobRow,
  type LaneCounts,
} from './job-store.ts'
import { dueIn, type Due } from './due.ts'
import { heldAtMost, mayTake } from './fair-share.ts'
import { createJobTurns } from './job-turns.ts'
import type { JobKind, JobOutcome, JobRun, JobsDeps, StoredRun } from './job.ts'
import type { AccountId } from './ids.ts'
import { cause } from './log.ts'
import { createWorker, type FinishedJob } from './worker.ts'

/** Claims, runs and records the jobs of one kind in this process. */
export interface JobRunner {
  readonly perLane: number
  /** Ends the run of a process that died: the job is due again, or fails. In the caller's commit. */
  recover(tx: Tx, row: JobRow): Promise<void>
  wake(): void
  /** Aborts the running jobs of a subject. */
  abort(subjectId: string): void
  start(): void
  stop(ms: number): Promise<void>
}

type RunResult =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: string }
  /** Aborted at shutdown or at its deadline. It is due again immediately, and this is not counted as a failure. */
  | { readonly kind: 'interrupted' }

/** A job that this process has leased. */
interface Leased {
  readonly row: JobRow
  readonly accountId: AccountId
}

interface Running extends Leased {
  readonly run: JobRun<object>
  readonly controller: AbortController
  /** Progress that was reported and is not stored yet. */
  progress: object | undefined
  progressTimer: Timer | undefined
}

const NO_CHANGE = { waiting: 0, running: 0, done: 0, failed: 0, canceled: 0 } as const satisfies LaneCounts
/** Another node may add a job that this one was not woken for. */
const LOOK_AGAIN_MS = 5_000
const PROGRESS_EVERY_MS = 1_000
const CANCELED_AT_ONCE = 500
/** Looked at to find accounts whose turn it is. */
const LANES_AT_ONCE = 64
/** The deadline aborts the run; the worker cuts off a run that ignores its signal. */
const IGNORED_ABORT_MS = 5_000
const MAX_ERROR_LENGTH = 500
const OUTCOME_UNKNOWN = 'It was cut off, so whether it was done is not known. It is not repeated.'

export function createJobRunner(kind: JobKind, deps: JobsDeps): JobRunner {
  const { db, clock, log, nodes } = deps
  const { name, perLane, concurrency, deadlineMs, retryDelaysMs, keepsTrying = false, isAtMostOnce = false } = kind
  const node = nodes.id
  const running = new Set<Running>()
  const turns = createJobTurns<DueLane>(clock)
  /** As far as this process knows, no job is due before this time. */
  let idleUntilMono = 0
  /** The same moment by a clock that goes on during sleep. */
  let idleUntilUptime = 0
  let wakes = 0

  const place = ({ subjectId, lane }: JobRow) => ({ kind: name, subjectId, lane })

  const isIdle = () => clock.mono() < idleUntilMono && clock.uptime() < idleUntilUptime

  function idleFor(ms: number): void {
    idleUntilMono = clock.mono() + ms
    idleUntilUptime = clock.uptime() + ms
  }

  async function claim(budget: number): Promise<readonly Running[]> {
    const free = concurrency - running.size
    const limit = Math.min(budget, free)
    if (limit <= 0 || isIdle()) return []
    // A commit that changes nothing would still be one.
    const wakesBefore = wakes
    const next = await db.readOne(nextDue, {
      ...{ kind: name, node },
      share: heldAtMost({ inAll: concurrency, used: running.size }),
    })
    const waitMs = (next?.nextAtMs ?? Infinity) - clock.now()
    if (waitMs > 0) {
      // A job added during the read may be missing from its result.
      if (wakes === wakesBefore) idleFor(Math.min(waitMs, LOOK_AGAIN_MS))
      return []
    }
    const leased = await db.commit((tx) => claimDue(tx, limit))
    return leased.map(toRunning)
  }

  async function claimDue(tx: Tx, limit: number): Promise<Leased[]> {
    const claimed: Leased[] = []
    while (claimed.length < limit) {
      const more = await claimFromLanes(tx, claimed, limit - claimed.length)
      if (more.length === 0) break
      claimed.push(...more)
    }
    return claimed
  }

  /**
   * One job of each account that has one due, in turn. However slow its jobs are and however many wait, an account
   * leaves slots to the others (`fair-share.ts`).
   */
  async function claimFromLanes(tx: Tx, before: readonly Leased[], limit: number): Promise<Leased[]> {
    // Inside the commit, since the commit before it may have moved the due times to another clock.
    const nowMs = clock.now()
    const held = [...running, ...before]
    const share = heldAtMost({ inAll: concurrency, used: held.length })
    const due = { kind: name, node, share, nowMs, limit: LANES_AT_ONCE }
    const first = await tx.all(dueLanes, due)
    const lanes = await turns.next(first, first.length < LANES_AT_ONCE, (had) =>
      tx.all(dueLanesOfOthers, { ...due, ...leftOut(had) }),
    )
    const claimed: Leased[] = []
    for (const { subjectId, lane, accountId, running: busy } of lanes) {
      if (claimed.length >= limit) break
      const ofAccount = [...held, ...claimed].filter((job) => job.accountId === accountId).length
      const used = held.length + claimed.length
      if (busy >= perLane || turns.hasHad(accountId) || !mayTake({ inAll: concurrency, used, held: ofAccount }))
        continue
      const ref = { kind: name, subjectId, lane }
      const [row] = await tx.all(claimJobs, { ...ref, node, nowMs, limit: 1 })
      const counts = row === undefined ? {} : { waiting: -1, running: 1 }
      await tx.run(updateLane, { ...ref, ...NO_CHANGE, ...counts, perLane, nowMs })
      if (row === undefined) continue
      claimed.push({ row, accountId })
      turns.note(accountId)
    }
    return claimed
  }

  function toRunning({ row, accountId }: Leased): Running {
    const job: Running = {
      row,
      accountId,
      run: { ...storedRun(row), accountId, report: (progress) => report(job, progress) },
      controller: new AbortController(),
      progress: undefined,
      progressTimer: undefined,
    }
    running.add(job)
    return job
  }

  function report(job: Running, progress: object): void {
    job.progress = progress
    job.progressTimer ??= clock.after(PROGRESS_EVERY_MS, () => {
      job.progressTimer = undefined
      db.commit((tx) => storeProgress(tx, job)).catch((error: unknown) =>
        log.warn({ event: 'job.progress_not_saved', kind: name, cause: cause(error) }),
      )
    })
  }

  async function storeProgress(tx: Tx, job: Running): Promise<void> {
    const { progress } = job
    if (progress === undefined) return
    const { seq, attempt } = job.row
    await tx.run(saveProgress, { seq, attempt, node, progress: JSON.stringify(progress) })
    tx.afterCommit(() => {
      if (job.progress === progress) job.progress = undefined
    })
  }

  async function act(job: Running): Promise<RunResult> {
    const { controller, run } = job
    const deadline = clock.after(deadlineMs, () => controller.abort(new Error('The job took too long.')))
    try {
      return { kind: 'returned', value: await kind.act(run, controller.signal) }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      log.warn({ event: 'job.run_failed', kind: name, job: run.seq, attempt: run.attempt, cause: cause(error) })
      return { kind: 'threw', error: message.slice(0, MAX_ERROR_LENGTH) }
    } finally {
      deadline.cancel()
    }
  }

  async function recordOne(tx: Tx, { row, run }: Running, result: RunResult): Promise<void> {
    const { seq, attempt } = row
    const held = await tx.one(leasedJob, { seq, attempt, node })
    if (held === undefined) return
    const outcome = await outcomeOf(tx, run, result)
    const isCanceled = (await tx.one(laneOf, place(row)))?.state === 'canceled'
    if (outcome.kind === 'done') return end(tx, row, 'done')
    if (outcome.kind === 'failed') return fail(tx, row, run, outcome.error)
    if (isCanceled) return end(tx, row, 'canceled')
    if (outcome.kind === 'again') return wait(tx, row, outcome.at, row.failures)
    const delayMs = retryDelaysMs[row.failures] ?? (keepsTrying ? retryDelaysMs.at(-1) : undefined)
    if (delayMs === undefined) return fail(tx, row, run, outcome.error)
    return wait(tx, row, dueIn(clock, delayMs), row.failures + 1, outcome.error)
  }

  async function outcomeOf(tx: Tx, run: JobRun<object>, result: RunResult): Promise<JobOutcome> {
    if (result.kind === 'interrupted') return cutOff(run)
    if (result.kind === 'threw') return { kind: 'retry', error: result.error }
    return (await kind.record?.(tx, run, result.value)) ?? { kind: 'done' }
  }

  function cutOff({ seq }: { readonly seq: number }): Extract<JobOutcome, { kind: 'again' | 'failed' }> {
    if (!isAtMostOnce) return { kind: 'again', at: dueIn(clock, 0) }
    log.warn({ event: 'job.outcome_unknown', kind: name, job: seq })
    return { kind: 'failed', error: OUTCOME_UNKNOWN }
  }

  async function recover(tx: Tx, row: JobRow): Promise<void> {
    const outcome = cutOff(row)
    if (outcome.kind === 'failed') return fail(tx, row, storedRun(row), outcome.error)
    return wait(tx, row, outcome.at, row.failures)
  }

  async function fail(tx: Tx, row: JobRow, run: StoredRun<object>, error: string): Promise<void> {
    await kind.recordFailure?.(tx, run, error)
    await end(tx, row, 'failed', error)
  }

  async function recordAll(ended: readonly FinishedJob<Running, RunResult>[]): Promise<void> {
    try {
      await db.commit(async (tx) => {
        for (const { job, result } of ended) {
          await storeProgress(tx, job)
          await recordOne(tx, job, result)
        }
      })
    } catch (error) {
      const [only] = ended
      // The worker records them one by one, and repeats what the storage did not take.
      if (error instanceof StorageError || only === undefined || ended.length > 1) throw error
      log.error({ event: 'job.record_failed', kind: name, job: only.job.run.seq, cause: cause(error) })
      await db.commit((tx) => retryRecord(tx, only.job))
    }
  }

  /**
   * The result could not be recorded, so the run is repeated. Without this the job would stay leased until a restart.
   */
  async function retryRecord(tx: Tx, { row, run }: Running): Promise<void> {
    const { seq, attempt, failures } = row
    if ((await tx.one(leasedJob, { seq, attempt, node })) === undefined) return
    if (isAtMostOnce) return fail(tx, row, run, OUTCOME_UNKNOWN)
    const delayMs = retryDelaysMs[failures] ?? retryDelaysMs.at(-1) ?? LOOK_AGAIN_MS
    await wait(tx, row, dueIn(clock, delayMs), failures + 1, 'The result of the run could not be stored.')
  }

  async function end(tx: Tx, row: JobRow, state: 'done' | 'failed' | 'canceled', error: string | null = null) {
    const { seq, runAtMs, failures } = row
    const nowMs = clock.now()
    await tx.run(endJob, { seq, state, runAtMs, isAppointment: 0, failures, error, endedAtMs: nowMs })
    await tx.run(updateLane, { ...place(row), ...NO_CHANGE, running: -1, [state]: 1, perLane, nowMs })
  }

  async function wait(tx: Tx, row: JobRow, due: Due, failures: number, error: string | null = null) {
    const times = { runAtMs: due.atMs, isAppointment: due.isAppointment ? 1 : 0, endedAtMs: null } as const
    await tx.run(endJob, { seq: row.seq, state: 'waiting', ...times, failures, error })
    await tx.run(updateLane, { ...place(row), ...NO_CHANGE, running: -1, waiting: 1, perLane, nowMs: clock.now() })
  }

  async function cancelSome(tx: Tx): Promise<number> {
    let total = 0
    for (const ref of await tx.all(canceledLanes, { kind: name, limit: 1 })) {
      const nowMs = clock.now()
      const count = await tx.run(cancelWaiting, { ...ref, nowMs, limit: CANCELED_AT_ONCE })
      await tx.run(updateLane, { ...ref, ...NO_CHANGE, waiting: -count, canceled: count, perLane, nowMs })
      total += count
    }
    return total
  }

  let mustCancel = true
  const worker = createWorker<Running, RunResult>({
    ...deps,
    work: {
      name: `job ${name}`,
      deadlineMs: deadlineMs + IGNORED_ABORT_MS,
      claim,
      act,
      interruptedResult(job) {
        job.controller.abort(new Error('The service is stopping.'))
        return { kind: 'interrupted' }
      },
      async record(ended) {
        for (const { job } of ended) job.progressTimer?.cancel()
        await recordAll(ended)
        for (const { job } of ended) running.delete(job)
        // The lanes have room again.
        wake()
      },
      async tick() {
        if (mustCancel) mustCancel = (await db.commit(cancelSome)) > 0
      },
    },
  })

  function wake(): void {
    wakes++
    idleUntilMono = 0
    worker.wake()
  }

  return {
    perLane,
    recover,
    wake,
    abort(subjectId) {
      mustCancel = true
      for (const { row, controller } of running)
        if (row.subjectId === subjectId) controller.abort(new Error('The job was canceled.'))
    },
    start: worker.start,
    stop: worker.stop,
  }
}

function storedRun(row: JobRow): StoredRun<object> {
  const { seq, subjectId, lane, key, attempt } = row
  return { seq, subjectId, lane, key, attempt, input: JSON.parse(row.input) as object }
}
