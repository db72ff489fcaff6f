import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import { pruneInbound, prunePolls, pruneSent, pruneWaitingVotes } from './store.ts'

const DAY_MS = 86_400_000
/** The network redelivers what was not acknowledged for about two weeks. */
const KEPT_MS = 14 * DAY_MS
/** Votes may come as long as a phone still has the poll. */
const POLLS_KEPT_MS = 365 * DAY_MS
const ROWS = 500

/** Prunes received messages that were published, and sent ones too old to be asked for. */
export function journalRetention({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }): Chore {
  return {
    name: 'smv2',
    begin: () => async () => {
      const now = clock.now()
      const before = now - KEPT_MS
      const removed = await db.commit(async (tx) => {
        const pruned = await tx.run(pruneInbound, { toldBefore: now - DAY_MS, before, limit: ROWS })
        return [
          pruned,
          await tx.run(pruneSent, { before, limit: ROWS }),
          await tx.run(prunePolls, { before: now - POLLS_KEPT_MS, limit: ROWS }),
          await tx.run(pruneWaitingVotes, { before, limit: ROWS }),
        ]
      })
      return removed.includes(ROWS)
    },
  }
}
