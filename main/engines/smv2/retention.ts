import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import { pruneInbound, pruneSent } from './store.ts'

const DAY_MS = 86_400_000
/** The network brings again for about two weeks what it was not told to have arrived. */
const KEPT_MS = 14 * DAY_MS
const ROWS = 500

/** Removes what was heard and told, and what was sent so long ago that nobody asks for it any more. */
export function journalRetention({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }): Chore {
  return {
    name: 'smv2',
    begin: () => async () => {
      const now = clock.now()
      const before = now - KEPT_MS
      const removed = await db.commit(async (tx) => {
        const heard = await tx.run(pruneInbound, { toldBefore: now - DAY_MS, before, limit: ROWS })
        return [heard, await tx.run(pruneSent, { before, limit: ROWS })]
      })
      return removed.includes(ROWS)
    },
  }
}
