import type { JobKindName } from '../contract/job-kinds.ts'
import type { ApiActivity } from './api-activity.ts'
import type { Clock } from './clock.ts'
import type { Db, Tx } from './db.ts'
import type { Due } from './due.ts'
import type { AccountId } from './ids.ts'
import type { Log } from './log.ts'
import type { Nodes } from './nodes.ts'

/** A run of a job, as its kind sees it. */
export interface JobRun<Input> {
  readonly seq: number
  readonly accountId: AccountId
  readonly subjectId: string
  readonly lane: string
  readonly key: string | null
  readonly input: Input
  /** From 1. Above 1 an earlier run may have had its effect although its outcome was not recorded. */
  readonly attempt: number
  /** Stores progress, at most once a second; the last one wins. */
  report(progress: object): void
}

/** What is stored of a run, for one that this process did not begin. */
export type StoredRun<Input> = Omit<JobRun<Input>, 'accountId' | 'report'>

/** What a job becomes after a run. */
export type JobOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: string }
  /** By the kind's schedule; failed after its last delay. */
  | { readonly kind: 'retry'; readonly error: string }
  /** At this time, without counting a failure: the next step of a long job, or a wait for something else. */
  | { readonly kind: 'again'; readonly at: Due }

/**
 * Work of one kind that happens later or takes long, declared by its room.
 * A run is at least once: after a crash the job runs again with a higher `attempt`, and `act` finds out by its own key
 * whether the effect has happened.
 */
export interface JobKind<Input extends object = object, Result = unknown> {
  /** Stored with each job. */
  readonly name: JobKindName
  /** How many run at once in a lane. 1 keeps a lane in order. */
  readonly perLane: number
  /** How many run at once in this process. One account gets half of them at most, and less while others need them. */
  readonly concurrency: number
  /** A run that takes longer is aborted and retried. */
  readonly deadlineMs: number
  /** Delays after failures; a job that fails once more has failed. */
  readonly retryDelaysMs: readonly number[]
  /** It never gives up, since something would stay unfinished: the last delay is repeated. */
  readonly keepsTrying?: boolean
  /**
   * A run that was cut off, by a crash, at shutdown or at its deadline, is not repeated: the job fails. For effects that
   * reach people and leave nothing behind that a repeat could ask about. Default: it is repeated.
   */
  readonly isAtMostOnce?: boolean
  /** Does the work, outside any commit. Rejecting retries. @param signal aborts at the deadline, on cancel and at shutdown. */
  act(run: JobRun<Input>, signal: AbortSignal): Promise<Result>
  /** Records the result in the commit that ends the run; fenced by its lease. Default: done. */
  record?(tx: Tx, run: JobRun<Input>, result: Result): Promise<JobOutcome>
  /** Called in the commit that makes the job `failed`, for any reason. */
  recordFailure?(tx: Tx, run: StoredRun<Input>, error: string): Promise<void>
}

export interface JobsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly nodes: Pick<Nodes, 'id' | 'aliveSinceMs'>
  readonly apiActivity: Pick<ApiActivity, 'isRecent'>
  readonly writeGate?: { isOpen(): boolean }
}
