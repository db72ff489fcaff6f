import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import { minuteOf, pruneMinutes, pruneReached } from './reached-store.ts'
import { pruneClaims, pruneCounts, pruneFirsts, quarterOf } from './store.ts'

/** Two of the longest days, so that today is kept whatever the time zone is changed to. */
const KEPT_MS = 52 * 3_600_000
const PRUNED_AT_ONCE = 500

/** Removes counts that no budget uses any longer. */
export function createRetention({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }): Chore {
  return {
    name: 'safety',
    begin: () => () =>
      db.commit(async (tx) => {
        const beforeMs = clock.now() - KEPT_MS
        const limit = PRUNED_AT_ONCE
        const pruned = [
          await tx.run(pruneCounts, { before: quarterOf(beforeMs), limit }),
          await tx.run(pruneFirsts, { before: quarterOf(beforeMs), limit }),
          await tx.run(pruneClaims, { before: beforeMs, limit }),
          await tx.run(pruneReached, { before: beforeMs, limit }),
          await tx.run(pruneMinutes, { before: minuteOf(beforeMs), limit }),
        ]
        return pruned.includes(limit)
      }),
  }
}
