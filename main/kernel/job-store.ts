import type { AccountId } from './ids.ts'
import { sql } from './sql.ts'

/** A lane's state, set for all lanes of a subject. */
export type LaneState = 'open' | 'paused' | 'canceled'

/** `waiting` until its time, `running` under a lease; the others are final. */
export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'canceled'

export interface LaneRef {
  readonly kind: string
  readonly subjectId: string
  readonly lane: string
}

export interface JobRow extends LaneRef {
  readonly seq: number
  readonly key: string | null
  readonly input: string
  readonly state: JobState
  readonly runAtMs: number
  readonly attempt: number
  readonly failures: number
  readonly progress: string | null
  readonly error: string | null
}

const JOB = `seq, kind, subject_id AS subjectId, lane, job_key AS key, input, state, run_at AS runAtMs, attempt, failures,
  progress, error`

/** Changes no row if the kind has a job with this key. */
export const insertJob = sql<
  LaneRef & { seq: number; key: string | null; input: string; runAtMs: number; isAppointment: 0 | 1; nowMs: number }
>(
  `INSERT INTO jobs (seq, kind, subject_id, lane, job_key, input, state, run_at, is_appointment, attempt, failures,
     created_at)
   VALUES (:seq, :kind, :subjectId, :lane, :key, :input, 'waiting', :runAtMs, :isAppointment, 0, 0, :nowMs)
   ON CONFLICT DO NOTHING`,
)

/** Counts new waiting jobs; `runAtMs`: of the first. */
export const addToLane = sql<LaneRef & { accountId: AccountId; count: number; runAtMs: number; perLane: number }>(
  `INSERT INTO job_lanes (kind, subject_id, lane, account_id, state, next_at, waiting, running, done, failed, canceled)
   VALUES (:kind, :subjectId, :lane, :accountId, 'open', :runAtMs, :count, 0, 0, 0, 0)
   ON CONFLICT (kind, subject_id, lane) DO UPDATE SET
     account_id = :accountId,
     waiting = job_lanes.waiting + :count,
     next_at = CASE
       WHEN job_lanes.running >= :perLane THEN NULL
       WHEN job_lanes.next_at IS NULL OR job_lanes.next_at > :runAtMs THEN :runAtMs
       ELSE job_lanes.next_at END`,
)

/** Makes jobs that wait for longer due at this time. */
export const hastenJobs = sql<LaneRef & { runAtMs: number }>(
  `UPDATE jobs SET run_at = :runAtMs
   WHERE kind = :kind AND subject_id = :subjectId AND lane = :lane AND state = 'waiting' AND run_at > :runAtMs`,
)

/** A lane without a due time has as many running jobs as it may. */
export const hastenLane = sql<LaneRef & { runAtMs: number }>(
  `UPDATE job_lanes SET next_at = :runAtMs
   WHERE kind = :kind AND subject_id = :subjectId AND lane = :lane AND next_at > :runAtMs`,
)

/** The runner of this process, and from how many running jobs an account gets no more. */
interface RunnerParams {
  readonly kind: string
  readonly node: string
  readonly share: number
}

/** The lane's account runs fewer jobs of the kind on this node than its share. */
const HAS_SHARE_LEFT = `account_id NOT IN (
     SELECT l.account_id FROM jobs j
     JOIN job_lanes l ON l.kind = j.kind AND l.subject_id = j.subject_id AND l.lane = j.lane
     WHERE j.state = 'running' AND j.lease_owner = :node AND j.kind = :kind
     GROUP BY l.account_id HAVING COUNT(*) >= :share)`

export interface DueLane extends LaneRef {
  readonly accountId: AccountId
  readonly running: number
}

type DueParams = RunnerParams & { readonly nowMs: number; readonly limit: number }

const dueLanesWhere = (also: string) =>
  `SELECT kind, subject_id AS subjectId, lane, account_id AS accountId, running FROM job_lanes
   WHERE kind = :kind AND state = 'open' AND next_at IS NOT NULL AND next_at <= :nowMs AND ${HAS_SHARE_LEFT}${also}
   ORDER BY next_at LIMIT :limit`

/** Lanes with a due job and room to run it, those first that have waited longest for their turn. */
export const dueLanes = sql<DueParams, DueLane>(dueLanesWhere(''))

/** How many accounts `dueLanesOfOthers` can leave out. */
export const MOST_LEFT_OUT = 256

const LEFT_OUT = Array.from({ length: MOST_LEFT_OUT }, (_, at) => `had${at}`)

/** The same without those of some accounts. */
export const dueLanesOfOthers = sql<DueParams & Readonly<Record<`had${number}`, string>>, DueLane>(
  dueLanesWhere(` AND account_id NOT IN (${LEFT_OUT.map((name) => `:${name}`).join(', ')})`),
)

/** The parameters of these accounts. */
export const leftOut = (accounts: readonly AccountId[]): Readonly<Record<`had${number}`, string>> =>
  Object.fromEntries(LEFT_OUT.map((name, at) => [name, accounts[at] ?? '']))

export const nextDue = sql<RunnerParams, { nextAtMs: number }>(
  `SELECT next_at AS nextAtMs FROM job_lanes
   WHERE kind = :kind AND state = 'open' AND next_at IS NOT NULL AND ${HAS_SHARE_LEFT}
   ORDER BY next_at LIMIT 1`,
)

/**
 * Leases the first due jobs of a lane. Every condition of the inner query is repeated outside: a server database that
 * waited for another node's claim checks only the outer ones again, and that node may have postponed the job.
 */
export const claimJobs = sql<LaneRef & { node: string; nowMs: number; limit: number }, JobRow>(
  `UPDATE jobs SET state = 'running', attempt = attempt + 1, lease_owner = :node
   WHERE state = 'waiting' AND run_at <= :nowMs AND seq IN (
     SELECT seq FROM jobs WHERE kind = :kind AND subject_id = :subjectId AND lane = :lane AND state = 'waiting'
       AND run_at <= :nowMs ORDER BY run_at, seq LIMIT :limit)
   RETURNING ${JOB}`,
)

/** The job, if this node still holds the lease of this attempt. */
export const leasedJob = sql<{ seq: number; node: string; attempt: number }, JobRow>(
  `SELECT ${JOB} FROM jobs WHERE seq = :seq AND state = 'running' AND lease_owner = :node AND attempt = :attempt`,
)

export const endJob = sql<{
  seq: number
  state: JobState
  runAtMs: number
  isAppointment: 0 | 1
  failures: number
  error: string | null
  endedAtMs: number | null
}>(
  `UPDATE jobs SET state = :state, run_at = :runAtMs, is_appointment = :isAppointment, failures = :failures, error = :error, lease_owner = NULL,
     ended_at = :endedAtMs
   WHERE seq = :seq`,
)

export const saveProgress = sql<{ seq: number; node: string; attempt: number; progress: string }>(
  `UPDATE jobs SET progress = :progress
   WHERE seq = :seq AND state = 'running' AND lease_owner = :node AND attempt = :attempt`,
)

/**
 * Changes the counts of a lane and finds its next due time, which is not before now: lanes take turns, however long
 * their jobs have been due.
 */
export const updateLane = sql<LaneRef & LaneCounts & { perLane: number; nowMs: number }>(
  `UPDATE job_lanes SET waiting = waiting + :waiting, running = running + :running, done = done + :done,
     failed = failed + :failed, canceled = canceled + :canceled,
     next_at = CASE WHEN running + :running >= :perLane THEN NULL ELSE (
       SELECT CASE WHEN j.run_at < :nowMs THEN :nowMs ELSE j.run_at END FROM jobs j WHERE j.kind = job_lanes.kind AND j.subject_id = job_lanes.subject_id
         AND j.lane = job_lanes.lane AND j.state = 'waiting' ORDER BY j.run_at LIMIT 1) END
   WHERE kind = :kind AND subject_id = :subjectId AND lane = :lane`,
)

export const laneOf = sql<LaneRef, { state: LaneState }>(
  'SELECT state FROM job_lanes WHERE kind = :kind AND subject_id = :subjectId AND lane = :lane',
)

/** A canceled lane stays canceled. */
export const setLanes = sql<{ kind: string; subjectId: string; state: LaneState }>(
  `UPDATE job_lanes SET state = :state
   WHERE kind = :kind AND subject_id = :subjectId AND state <> 'canceled' AND state <> :state`,
)

export const canceledLanes = sql<{ kind: string; limit: number }, LaneRef>(
  `SELECT kind, subject_id AS subjectId, lane FROM job_lanes
   WHERE kind = :kind AND state = 'canceled' AND waiting > 0 ORDER BY subject_id, lane LIMIT :limit`,
)

export const cancelWaiting = sql<LaneRef & { nowMs: number; limit: number }>(
  `UPDATE jobs SET state = 'canceled', ended_at = :nowMs
   WHERE state = 'waiting' AND seq IN (
     SELECT seq FROM jobs WHERE kind = :kind AND subject_id = :subjectId AND lane = :lane AND state = 'waiting'
       ORDER BY run_at, seq LIMIT :limit)`,
)

/** Jobs whose node is dead. */
export const abandonedJobs = sql<{ aliveSinceMs: number; limit: number }, JobRow>(
  `SELECT ${JOB} FROM jobs WHERE state = 'running'
     AND lease_owner NOT IN (SELECT id FROM nodes WHERE seen_at >= :aliveSinceMs)
   ORDER BY lease_owner, seq LIMIT :limit`,
)

export interface LaneCounts {
  readonly waiting: number
  readonly running: number
  readonly done: number
  readonly failed: number
  readonly canceled: number
}

export const lanesOf = sql<
  { kind: string; subjectId: string },
  LaneCounts & { lane: string; state: LaneState; nextAtMs: number | null }
>(
  `SELECT lane, state, next_at AS nextAtMs, waiting, running, done, failed, canceled FROM job_lanes
   WHERE kind = :kind AND subject_id = :subjectId ORDER BY lane`,
)

export const jobsOf = sql<{ kind: string; subjectId: string; after: number; limit: number }, JobRow>(
  `SELECT ${JOB} FROM jobs WHERE kind = :kind AND subject_id = :subjectId AND seq > :after ORDER BY seq LIMIT :limit`,
)

export const pruneEnded = sql<{ before: number; limit: number }>(
  `DELETE FROM jobs WHERE seq IN (
     SELECT seq FROM jobs WHERE ended_at IS NOT NULL AND ended_at < :before ORDER BY ended_at LIMIT :limit)`,
)
