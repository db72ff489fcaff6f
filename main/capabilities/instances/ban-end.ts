import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueAt } from '../../kernel/due.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { LinkSignal } from './link-event.ts'
import type { Restart } from './restart.ts'
import { byId, toInstance, type Instance } from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  readonly jobs: Jobs
  readonly restart: Restart
}

export interface BanEnds {
  /** Adds the reconnection in the commit that records the ban. */
  schedule(tx: Tx, instance: Instance, signal: LinkSignal): Promise<void>
}

/** Allows for a difference between the network's clock and ours. */
const GRACE_MS = 60_000
/** When the network does not say how long a ban lasts. */
const UNKNOWN_END_MS = 86_400_000
const MINUTE_MS = 60_000

/**
 * A number with a temporary ban keeps its session and reconnects automatically when the ban ends. A job, since
 * a ban outlasts the process.
 */
export function createBanEnds({ db, clock, jobs, restart }: Deps): BanEnds {
  const reconnects = jobs.define<{ readonly untilMs: number | null }, undefined>({
    name: 'instances.ban_end',
    perLane: 1,
    concurrency: 4,
    deadlineMs: 60_000,
    retryDelaysMs: [5 * MINUTE_MS, 60 * MINUTE_MS],
    keepsTrying: true,
    async act({ subjectId, input: { untilMs } }): Promise<undefined> {
      const row = await db.readOne(byId, { id: subjectId })
      if (row === undefined || row.deletedAtMs !== null) return
      const instance = toInstance(row)
      // If not, the instance was restarted in the meantime, or banned again.
      const isOver =
        untilMs === null
          ? instance.blockedUntilMs === null
          : instance.blockedUntilMs !== null && instance.blockedUntilMs <= clock.now()
      if (isBannedForATime(instance) && isOver) await restart(instance.id)
    },
  })
  return {
    async schedule(tx, instance, signal) {
      if (signal.kind !== 'auth_failed' || !isBannedForATime(instance)) return
      const { id, accountId, blockedUntilMs: untilMs } = instance
      const runAtMs = (untilMs ?? clock.now() + UNKNOWN_END_MS) + GRACE_MS
      await reconnects.add(tx, {
        accountId,
        subjectId: id,
        key: `${id}:${runAtMs}`,
        runAt: dueAt(clock, runAtMs),
        input: { untilMs },
      })
    },
  }
}

const isBannedForATime = ({ status, lastDisconnectReason }: Instance) =>
  status === 'auth_failed' && lastDisconnectReason === 'temporary_ban'
