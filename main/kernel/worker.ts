import type { ApiActivity } from './api-activity.ts'
import type { Clock, Timer } from './clock.ts'
import { StorageError } from './db.ts'
import { cause, type Log } from './log.ts'
import { createClaimBudget } from './claim-budget.ts'

/**
 * Due work of one kind. Every row taken carries a lease with the boot id of this opening of the database, so a lease of
 * another boot is dead by definition and no lease ever expires; what is in flight is known in memory.
 */
export interface Work<Job, Result> {
  /** Names the log lines. */
  readonly name: string
  /** A job that takes longer is cut off: a bound for one whose own deadlines did not end it. */
  readonly deadlineMs: number
  /** Takes at most `limit` due jobs. What it returns is durable with its lease: only then may anything leave. */
  claim(limit: number): Promise<readonly Job[]>
  /** Does the job, outside any commit. A throw counts as cut off. */
  act(job: Job): Promise<Result>
  /** The result of a job that was cut off by us: shutdown, deadline, a fault of our own. */
  interruptedResult(job: Job): Result
  /** Writes the results and gives the leases back, in one commit fenced by them, so that writing twice is harmless. */
  record(ended: readonly FinishedJob<Job, Result>[]): Promise<void>
  /** Called once a second before claiming, never twice at a time: finds what became due, does chores. */
  tick?(): Promise<void>
}

/** A job that is over, and how. */
export interface FinishedJob<Job, Result> {
  readonly job: Job
  readonly result: Result
}

export interface Worker {
  /** Begins to tick. Nothing is claimed before: what the last process left must be recovered first. */
  start(): void
  /** Says that there may be work. Cheap; calls during a claim make one more claim. */
  wake(): void
  /**
   * Claims nothing more, waits for what runs, cuts off the rest after `ms`, and resolves when every result is written.
   */
  stop(ms: number): Promise<void>
  gauges(): WorkerGauges
}

interface WorkerGauges {
  /** Jobs that are running. */
  readonly inFlight: number
  /** Jobs that have ended, and whose results are not on disk yet. */
  readonly unrecorded: number
  /** Claims a turn may make at the moment; below its most when the loop lags. */
  readonly budget: number
  readonly lagMs: number
}

interface Running<Job> {
  readonly job: Job
  readonly sinceMono: number
  cut(): void
}

const TICK_MS = 1_000
/** How long a result waits for others, so that one commit serves them all. */
const GATHER_MS = 2
const GATHERED_AT_MOST = 64
/** Bounds what a crash can repeat: at most this many answered jobs are not yet on disk. */
const UNRECORDED_AT_MOST = 64

interface WorkerDeps<Job, Result> {
  readonly work: Work<Job, Result>
  readonly clock: Clock
  readonly apiActivity: Pick<ApiActivity, 'isRecent'>
  readonly log: Log
  /** Whether new work may begin. While it may not, nothing is claimed; what is under way ends and is recorded. */
  readonly writeGate?: { isOpen(): boolean }
}

export function createWorker<Job, Result>(deps: WorkerDeps<Job, Result>): Worker {
  const { work, clock, apiActivity, log, writeGate } = deps
  const pace = createClaimBudget(clock, apiActivity)
  const running = new Set<Running<Job>>()
  /** Results the storage would not take; tried again each tick, which a fenced record makes harmless. */
  const refused = new Map<Job, Result>()
  let gathered: FinishedJob<Job, Result>[] = []
  let isFlushing = false
  let recording = 0
  /** Begun, and neither written nor refused yet, wherever they are on that way. */
  let underWay = 0
  let isClaiming = false
  let isAsked = false
  let isTicking = false
  let isStarted = false
  let isStopping = false
  let isCutting = false
  let timer: Timer | undefined
  let flushTimer: Timer | undefined
  let look = () => {}

  function wake(): void {
    isAsked = true
    if (!isClaiming) void claimLoop()
  }

  async function claimLoop(): Promise<void> {
    isClaiming = true
    try {
      while (isAsked && mayClaim()) {
        isAsked = false
        await claimOnce()
      }
    } catch (error) {
      // Tried again at the next tick: trying immediately would never stop while the disk is full.
      log.warn({ event: 'worker.claim_failed', worker: work.name, cause: cause(error) })
    } finally {
      isClaiming = false
      look()
    }
  }

  async function claimOnce(): Promise<void> {
    const budget = pace.next()
    const jobs = await work.claim(budget)
    for (const job of jobs) void run(job)
    // A turn that the budget ended has left work behind; one that the jobs ended has not.
    if (jobs.length >= budget) isAsked = true
  }

  const unrecorded = () => gathered.length + recording + refused.size

  function mayClaim(): boolean {
    return isStarted && !isStopping && writeGate?.isOpen() !== false && unrecorded() < UNRECORDED_AT_MOST
  }

  async function run(job: Job): Promise<void> {
    underWay++
    const result = await runJob(job)
    gathered.push({ job, result })
    gather()
  }

  /** A commit costs about as much for one result as for many, so each waits a moment for those about to end. */
  function gather(): void {
    if (running.size === 0 || gathered.length >= GATHERED_AT_MOST) return flushSoon()
    flushTimer ??= clock.after(GATHER_MS, flushSoon)
  }

  /** One commit for the results of a turn and for the claims of the slots they free. */
  function flushSoon(): void {
    if (isFlushing) return
    isFlushing = true
    setImmediate(flush)
  }

  function flush(): void {
    isFlushing = false
    flushTimer?.cancel()
    flushTimer = undefined
    if (gathered.length === 0) return
    const ended = gathered
    gathered = []
    void write(ended)
  }

  async function write(ended: readonly FinishedJob<Job, Result>[]): Promise<void> {
    // The results are queued before the next claim, so that the claim sees them: both share a commit. For the same
    // reason they do not stand in its way yet.
    const written = record(ended)
    wake()
    recording += ended.length
    await written
    recording -= ended.length
    underWay -= ended.length
    look()
    // There was a request to claim while too many results were not on disk.
    if (isAsked) wake()
  }

  function runJob(job: Job): Promise<Result> {
    return new Promise((resolve) => {
      const entry = { job, sinceMono: clock.mono(), cut: () => end(work.interruptedResult(job)) }
      const end = (result: Result) => {
        running.delete(entry)
        resolve(result)
      }
      running.add(entry)
      if (isCutting) return entry.cut()
      work.act(job).then(end, (error: unknown) => {
        log.error({ event: 'worker.act_failed', worker: work.name, cause: cause(error) })
        end(work.interruptedResult(job))
      })
    })
  }

  async function record(ended: readonly FinishedJob<Job, Result>[]): Promise<void> {
    try {
      await work.record(ended)
      for (const { job } of ended) refused.delete(job)
    } catch (error) {
      const isStorage = error instanceof StorageError
      // One of the results cannot be written. They are tried one by one, so that only that one fails.
      if (!isStorage && ended.length > 1) {
        for (const one of ended) await record([one])
        return
      }
      if (isStorage && error.kind !== 'closed') for (const { job, result } of ended) refused.set(job, result)
      log.error({ event: 'worker.record_failed', worker: work.name, again: isStorage, cause: cause(error) })
    }
  }

  async function tick(): Promise<void> {
    if (isTicking || isStopping) return
    isTicking = true
    try {
      checkDeadlines()
      if (refused.size > 0) await record([...refused].map(([job, result]) => ({ job, result })))
      await work.tick?.()
    } catch (error) {
      log.warn({ event: 'worker.tick_failed', worker: work.name, cause: cause(error) })
    } finally {
      isTicking = false
      look()
    }
    wake()
  }

  function checkDeadlines(): void {
    for (const entry of running) {
      if (clock.mono() - entry.sinceMono < work.deadlineMs) continue
      log.error({ event: 'worker.deadline', worker: work.name, limitMs: work.deadlineMs })
      entry.cut()
    }
  }

  async function stop(ms: number): Promise<void> {
    isStopping = true
    timer?.cancel()
    flush()
    const isQuiet = () => running.size === 0 && !isClaiming
    const limit = ms > 0 ? clock.after(ms, interruptAll) : undefined
    if (!limit) interruptAll()
    await waitUntil(isQuiet)
    limit?.cancel()
    await waitUntil(() => underWay === 0 && !isTicking)
  }

  function interruptAll(): void {
    isCutting = true
    for (const entry of running) entry.cut()
  }

  /**
   * Resolves once the claim holds; looked at whenever something ends, so that no timer decides when stopping is over.
   */
  function waitUntil(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      look = () => {
        if (holds()) resolve()
      }
      look()
    })
  }

  return {
    start() {
      isStarted = true
      timer ??= clock.every(TICK_MS, () => void tick())
      void tick()
    },
    wake,
    stop,
    gauges: () => ({
      inFlight: running.size,
      unrecorded: unrecorded(),
      ...pace.gauges(),
    }),
  }
}
