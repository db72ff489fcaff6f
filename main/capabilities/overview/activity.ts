import type { EventType } from '../../contract/events.ts'
import type { Network } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { InCommit } from '../../kernel/ledger.ts'
import type { ActivityRange } from './contract.ts'
import { activitySince, countMessage, pruneActivity, type Counts } from './store.ts'

const HOUR_MS = 3_600_000
const KEPT_HOURS = 90 * 24
const PRUNED_AT_ONCE = 500

const COUNTED = {
  'message.sent': 'sent',
  'message.received': 'received',
  'message.failed': 'failed',
} as const satisfies Partial<Record<EventType, keyof Counts>>

/** Hours in each range, and hours in each point of its chart. */
const RANGES: Readonly<Record<ActivityRange, { readonly hours: number; readonly step: number }>> = {
  '24h': { hours: 24, step: 1 },
  '7d': { hours: 7 * 24, step: 6 },
  '30d': { hours: 30 * 24, step: 24 },
}

interface ActivityPoint extends Counts {
  readonly atMs: number
}

export interface ActivityQuery {
  readonly range: ActivityRange
  readonly network: Network | null
}

const hourOf = (ms: number) => Math.floor(ms / HOUR_MS)

/** Counts the message in the commit that records it. */
export const activityCounter: InCommit<keyof typeof COUNTED> = {
  phase: 'record',
  on: ['message.sent', 'message.received', 'message.failed'],
  run: async (tx, { type, accountSeq, instanceSeq, createdAtMs }) => {
    await tx.run(countMessage[COUNTED[type]], { accountSeq, instanceSeq, hour: hourOf(createdAtMs) })
  },
}

interface ActivityDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
}

/** @returns a point for every step of the range, the current one last. */
export function createActivity({ db, clock }: ActivityDeps) {
  return async (accountId: AccountId, { range, network }: ActivityQuery) => {
    const { hours, step } = RANGES[range]
    const last = Math.floor(hourOf(clock.now()) / step)
    const first = last - hours / step + 1
    const points = Array.from({ length: hours / step }, (_, index) => ({
      atMs: (first + index) * step * HOUR_MS,
      ...{ sent: 0, received: 0, failed: 0 },
    }))
    for (const { hour, sent, received, failed } of await db.read(activitySince, {
      ...{ accountId, network },
      fromHour: first * step,
    })) {
      const point = points[Math.floor(hour / step) - first]
      if (point === undefined) continue
      point.sent += sent
      point.received += received
      point.failed += failed
    }
    return { stepSeconds: step * 3_600, points: points satisfies ActivityPoint[] }
  }
}

export function retainActivity({ db, clock }: ActivityDeps): Chore {
  return {
    name: 'activity',
    begin: () => async () => {
      const before = hourOf(clock.now()) - KEPT_HOURS
      return (await db.commit((tx) => tx.run(pruneActivity, { before, limit: PRUNED_AT_ONCE }))) === PRUNED_AT_ONCE
    },
  }
}
