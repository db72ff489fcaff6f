import type { Clock, Timer } from './clock.ts'
import { StorageError } from './db.ts'
import { cause, type Log } from './log.ts'

/**
 * Due work of one kind. Every row taken carries a lease with the boot id of this opening of the database, so a lease of
 * another boot is dead by definition and no lease ever expires; what is in flight is known in memory.
 */
export interface Work<Job, Result> {
  /** Names the log lines. */
  readonly name: string
  /** Takes at most `limit` due jobs. What it returns is durable with its lease: only then may anything leave. */
  claim(limit: number): Promise<readonly Job[]>
  /** Does the job, outside any commit. A throw counts as cut off. */
  act(job: Job): Promise<Result>
  /** The result of a job that was cut off by us: shutdown, watchdog, a fault of our own. */
  cutOff(job: Job): Result
  /** Writes the result and gives the lease back, in one commit fenced by it, so that writing twice is harmless. */
  record(job: Job, result: Result): Promise<void>
  /** Called once a second before claiming, never twice at a time: finds what became due, does chores. */
  tick?(): Promise<void>
}

export interface Worker {
  /** Begins to tick. Nothing is claimed before: what the last process left must be recovered first. */
  start(): void
  /** Says that there may be work. Cheap; calls during a claim make one more claim. */
  wake(): void
  /** Claims nothing more, waits for what runs, cuts off the rest after `ms`, and resolves when every result is written. */
  stop(ms: number): Promise<void>
  gauges(): WorkerGauges
}

interface WorkerGauges {
  /** Jobs whose act has not ended. */
  readonly inFlight: number
  /** Ended, but not yet on disk. */
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
/** Bounds what a crash can repeat: at most this many answered jobs are not yet on disk. */
const UNRECORDED_AT_MOST = 64
/** No job lasts longer; its own deadlines end it before. */
const WATCHDOG_MS = 30_000

export function createWorker<Job, Result>(needs: { work: Work<Job, Result>; clock: Clock; log: Log }): Worker {
  const { work, clock, log } = needs
  const pace = createPace(clock)
  const running = new Set<Running<Job>>()
  /** Results the storage would not take; tried again each tick, which a fenced record makes harmless. */
  const refused = new Map<Job, Result>()
  let recording = 0
  let isClaiming = false
  let isAsked = false
  let isTicking = false
  let isStarted = false
  let isStopping = false
  let isCutting = false
  let timer: Timer | undefined
  let look = () => {}

  function wake(): void {
    isAsked = true
    if (!isClaiming) void turns()
  }

  async function turns(): Promise<void> {
    isClaiming = true
    try {
      while (isAsked && mayClaim()) {
        isAsked = false
        await turn()
      }
    } catch (error) {
      // The next tick tries again; at once would spin on a storage that is full.
      log.warn({ event: 'worker.claim_failed', worker: work.name, cause: cause(error) })
    } finally {
      isClaiming = false
      look()
    }
  }

  async function turn(): Promise<void> {
    const budget = pace.next()
    const jobs = await work.claim(budget)
    for (const job of jobs) void run(job)
    // A turn that the budget ended has left work behind; one that the jobs ended has not.
    if (jobs.length >= budget) isAsked = true
  }

  function mayClaim(): boolean {
    return isStarted && !isStopping && recording + refused.size < UNRECORDED_AT_MOST
  }

  async function run(job: Job): Promise<void> {
    const result = await untilEndOrCut(job)
    recording++
    // The result is queued before the next claim, so that the claim sees it even when both share a commit.
    const written = record(job, result)
    wake()
    await written
    recording--
    look()
    if (recording + refused.size === UNRECORDED_AT_MOST - 1) wake()
  }

  function untilEndOrCut(job: Job): Promise<Result> {
    return new Promise((resolve) => {
      const entry = { job, sinceMono: clock.mono(), cut: () => end(work.cutOff(job)) }
      const end = (result: Result) => {
        running.delete(entry)
        resolve(result)
      }
      running.add(entry)
      if (isCutting) return entry.cut()
      work.act(job).then(end, (error: unknown) => {
        log.error({ event: 'worker.act_failed', worker: work.name, cause: cause(error) })
        end(work.cutOff(job))
      })
    })
  }

  async function record(job: Job, result: Result): Promise<void> {
    try {
      await work.record(job, result)
      refused.delete(job)
    } catch (error) {
      const isStorage = error instanceof StorageError
      if (isStorage && error.kind !== 'closed') refused.set(job, result)
      log.error({ event: 'worker.record_failed', worker: work.name, again: isStorage, cause: cause(error) })
    }
  }

  async function tick(): Promise<void> {
    if (isTicking || isStopping) return
    isTicking = true
    try {
      watch()
      await Promise.all([...refused].map(([job, result]) => record(job, result)))
      await work.tick?.()
    } catch (error) {
      log.warn({ event: 'worker.tick_failed', worker: work.name, cause: cause(error) })
    } finally {
      isTicking = false
      look()
    }
    wake()
  }

  function watch(): void {
    for (const entry of running) {
      if (clock.mono() - entry.sinceMono < WATCHDOG_MS) continue
      log.error({ event: 'worker.watchdog', worker: work.name, limitMs: WATCHDOG_MS })
      entry.cut()
    }
  }

  async function stop(ms: number): Promise<void> {
    isStopping = true
    timer?.cancel()
    const isQuiet = () => running.size === 0 && !isClaiming
    const patience = ms > 0 ? clock.after(ms, cutAll) : undefined
    if (!patience) cutAll()
    await until(isQuiet)
    patience?.cancel()
    await until(() => recording === 0 && !isTicking)
  }

  function cutAll(): void {
    isCutting = true
    for (const entry of running) entry.cut()
  }

  /** Resolves once the claim holds; looked at whenever something ends, so that no timer decides when stopping is over. */
  function until(holds: () => boolean): Promise<void> {
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
    gauges: () => ({ inFlight: running.size, unrecorded: recording + refused.size, ...pace.gauges() }),
  }
}

const BUDGET_MOST = 64
const BUDGET_LEAST = 8
const BUDGET_STEP = 8
const LAG_MS = 5

/**
 * How many claims one turn may make, so that callers of the API are not starved by a flood of deliveries on the same
 * loop: halved when one round of the event loop takes 5 ms or more, raised step by step while it does not. A turn takes
 * at least one round, so the budget is a bound on the share of each round that goes to this work.
 */
function createPace(clock: Clock): { next(): number; gauges(): { budget: number; lagMs: number } } {
  let budget = BUDGET_MOST
  let lagMs = 0
  let isMeasuring = false

  function measure(): void {
    if (isMeasuring) return
    isMeasuring = true
    const from = clock.mono()
    setImmediate(() => {
      isMeasuring = false
      lagMs = clock.mono() - from
      budget = lagMs >= LAG_MS ? Math.max(BUDGET_LEAST, budget >> 1) : Math.min(BUDGET_MOST, budget + BUDGET_STEP)
    })
  }

  return {
    next() {
      measure()
      return budget
    },
    gauges: () => ({ budget, lagMs }),
  }
}
