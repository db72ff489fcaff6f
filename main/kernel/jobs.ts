import type { Tx } from './db.ts'
import type { Due } from './due.ts'
import type { Chore } from './housekeeping.ts'
import type { AccountId } from './ids.ts'
import type { JobKind, JobsDeps } from './job.ts'
import { createJobRunner, type JobRunner } from './job-runner.ts'
import {
  abandonedJobs,
  addToLane,
  endJob,
  hastenJobs,
  hastenLane,
  insertJob,
  jobsOf,
  lanesOf,
  pruneEnded,
  setLanes,
  updateLane,
  type JobRow,
  type JobState,
  type LaneCounts,
  type LaneState,
} from './job-store.ts'

interface LaneOf {
  readonly accountId: AccountId
  /** What the job belongs to, such as a campaign: paused, resumed and canceled as one. */
  readonly subjectId: string
  /** Jobs of a lane share `perLane`. Default: one lane for the subject. */
  readonly lane?: string
}

interface JobOfLane<Input> {
  /** At most one job of the kind has it, also after the job has ended. */
  readonly key?: string
  /** Default: now. */
  readonly runAt?: Due
  readonly input: Input
}

type NewJob<Input> = LaneOf & JobOfLane<Input>

/** The jobs of a subject. */
interface SubjectJobs extends LaneCounts {
  /** `paused` or `canceled` if all lanes are. */
  readonly state: LaneState
  /** When the first waiting job is due, null if none waits. */
  readonly nextAtMs: number | null
}

interface JobView {
  readonly seq: number
  readonly lane: string
  readonly key: string | null
  readonly state: JobState
  readonly runAtMs: number
  readonly attempt: number
  readonly progress: object | null
  readonly error: string | null
}

/** The jobs of one kind. */
export interface JobQueue<Input extends object> {
  /** Adds a job in the caller's commit. @returns false if the kind already has a job with this key. */
  add(tx: Tx, job: NewJob<Input>): Promise<boolean>
  /** Adds jobs of one lane: for many, much less work than `add`. @returns how many were added. */
  addAll(tx: Tx, lane: LaneOf, jobs: readonly JobOfLane<Input>[]): Promise<number>
  /** Makes the jobs of a lane that wait for longer due at this time. */
  hasten(tx: Tx, lane: Omit<LaneOf, 'accountId'>, runAt: Due): Promise<void>
  /** Nothing new of the subject runs; what runs may end. */
  pause(tx: Tx, subjectId: string): Promise<void>
  resume(tx: Tx, subjectId: string): Promise<void>
  /** For good: waiting jobs are canceled, running ones aborted and not retried. */
  cancel(tx: Tx, subjectId: string): Promise<void>
  /** Undefined if the subject never had a job of this kind. */
  findSubject(subjectId: string): Promise<SubjectJobs | undefined>
  list(subjectId: string, page: { after: number; limit: number }): Promise<JobView[]>
}

export interface Jobs {
  /** Declares a kind. A room does so when it is built, before `recover`. */
  define<Input extends object, Result>(kind: JobKind<Input, Result>): JobQueue<Input>
  /** Before `start`: jobs of dead nodes are due again. */
  recover(): Promise<void>
  start(): void
  /** Lets running jobs end for `ms`, aborts the rest and makes them due again. */
  stop(ms: number): Promise<void>
  /** Prunes jobs that ended 30 days ago. The counts of a subject stay. */
  readonly retention: Chore
}

const NO_END = { endedAtMs: null, isAppointment: 0 } as const
const RECOVERED_AT_ONCE = 500
const PRUNED_AT_ONCE = 500
const KEPT_MS = 30 * 24 * 3_600_000

/** Durable work: a job survives crashes and restarts, and ends exactly once. Stored jobs of an unknown kind wait. */
export function createJobs(deps: JobsDeps): Jobs {
  const { db, clock, nodes } = deps
  const runners = new Map<string, JobRunner>()

  async function recoverSome(): Promise<number> {
    return db.commit(async (tx) => {
      const nowMs = clock.now()
      const rows = await tx.all(abandonedJobs, { aliveSinceMs: nodes.aliveSinceMs(), limit: RECOVERED_AT_ONCE })
      for (const row of rows) {
        const runner = runners.get(row.kind)
        if (runner === undefined) await makeDue(tx, row, nowMs)
        else await runner.recover(tx, row)
      }
      return rows.length
    })
  }

  /** Of a kind that this build does not know: another one may. */
  async function makeDue(tx: Tx, { kind, subjectId, lane, seq, failures }: JobRow, nowMs: number): Promise<void> {
    await tx.run(endJob, { seq, failures, state: 'waiting', runAtMs: nowMs, error: null, ...NO_END })
    const counts = { waiting: 1, running: -1, done: 0, failed: 0, canceled: 0 }
    await tx.run(updateLane, { kind, subjectId, lane, perLane: 1, nowMs, ...counts })
  }

  return {
    define(kind) {
      if (runners.has(kind.name)) throw new TypeError(`The job kind ${kind.name} is defined twice.`)
      // A job of a kind holds only inputs that were added through the queue of this kind.
      const runner = createJobRunner(kind, deps)
      runners.set(kind.name, runner)
      return createQueue(kind.name, runner, deps)
    },
    async recover() {
      while ((await recoverSome()) === RECOVERED_AT_ONCE);
    },
    start: () => runners.forEach((runner) => runner.start()),
    async stop(ms) {
      await Promise.all([...runners.values()].map((runner) => runner.stop(ms)))
    },
    retention: {
      name: 'jobs',
      begin: () => async () => {
        const before = clock.now() - KEPT_MS
        return (await db.commit((tx) => tx.run(pruneEnded, { before, limit: PRUNED_AT_ONCE }))) === PRUNED_AT_ONCE
      },
    },
  }
}

function createQueue<Input extends object>(
  kind: string,
  runner: JobRunner,
  { db, clock }: Pick<JobsDeps, 'db' | 'clock'>,
): JobQueue<Input> {
  async function setState(tx: Tx, subjectId: string, state: LaneState): Promise<void> {
    await tx.run(setLanes, { kind, subjectId, state })
    tx.afterCommit(() => {
      if (state === 'canceled') runner.abort(subjectId)
      runner.wake()
    })
  }

  async function addAll(tx: Tx, { accountId, subjectId, lane = '' }: LaneOf, added: readonly JobOfLane<Input>[]) {
    const place = { kind, subjectId, lane }
    const nowMs = clock.now()
    let [count, firstAtMs] = [0, Infinity]
    for (const { key = null, runAt, input } of added) {
      const runAtMs = runAt?.atMs ?? nowMs
      const times = { runAtMs, isAppointment: runAt?.isAppointment === true ? 1 : 0, nowMs } as const
      const row = { seq: await tx.next('jobs'), key, input: JSON.stringify(input) }
      if ((await tx.run(insertJob, { ...place, ...row, ...times })) === 0) continue
      count++
      firstAtMs = Math.min(firstAtMs, runAtMs)
    }
    if (count === 0) return 0
    await tx.run(addToLane, { ...place, accountId, count, runAtMs: firstAtMs, perLane: runner.perLane })
    tx.afterCommit(runner.wake)
    return count
  }

  return {
    addAll,
    add: async (tx, job) => (await addAll(tx, job, [job])) > 0,
    async hasten(tx, { subjectId, lane = '' }, runAt) {
      const place = { kind, subjectId, lane, runAtMs: runAt.atMs }
      if ((await tx.run(hastenJobs, place)) === 0) return
      await tx.run(hastenLane, place)
      tx.afterCommit(runner.wake)
    },
    pause: (tx, subjectId) => setState(tx, subjectId, 'paused'),
    resume: (tx, subjectId) => setState(tx, subjectId, 'open'),
    cancel: (tx, subjectId) => setState(tx, subjectId, 'canceled'),
    async findSubject(subjectId) {
      const lanes = await db.read(lanesOf, { kind, subjectId })
      return lanes.length === 0 ? undefined : summarize(lanes)
    },
    async list(subjectId, page) {
      const rows = await db.read(jobsOf, { kind, subjectId, ...page })
      return rows.map(({ seq, lane, key, state, runAtMs, attempt, progress, error }) => ({
        ...{ seq, lane, key, state, runAtMs, attempt, error },
        progress: progress === null ? null : (JSON.parse(progress) as object),
      }))
    },
  }
}

function summarize(lanes: readonly (LaneCounts & { state: LaneState; nextAtMs: number | null })[]): SubjectJobs {
  const sum = (count: keyof LaneCounts) => lanes.reduce((total, lane) => total + lane[count], 0)
  const isAll = (state: LaneState) => lanes.every((lane) => lane.state === state)
  const due = lanes.flatMap(({ nextAtMs }) => nextAtMs ?? [])
  return {
    state: isAll('paused') ? 'paused' : isAll('canceled') ? 'canceled' : 'open',
    nextAtMs: due.length === 0 ? null : Math.min(...due),
    waiting: sum('waiting'),
    running: sum('running'),
    done: sum('done'),
    failed: sum('failed'),
    canceled: sum('canceled'),
  }
}
