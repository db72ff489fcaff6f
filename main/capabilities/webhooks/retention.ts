import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import { sql } from '../../kernel/sql.ts'

const DAY_MS = 86_400_000
/** Delivered ones, and of all others what the receiver answered. */
const DELIVERED_MS = 7 * DAY_MS
/** Exhausted and closed deliveries stay longer, so that they can be examined and redelivered. */
const ENDED_MS = 30 * DAY_MS
const ROWS = 500

type Range = { after: number; upTo: number }

/** Rows are numbered in the order of their creation, so a pass goes from the oldest to the first that is too young. */
const oldest = sql<{ after: number; rows: number }, { seq: number; createdAtMs: number }>(
  'SELECT seq, created_at AS createdAtMs FROM deliveries WHERE seq > :after ORDER BY seq LIMIT :rows',
)

/** Attempts go with their delivery. What is open or under a lease stays, however old. */
const remove = sql<Range & { delivered: number; ended: number }>(
  `DELETE FROM deliveries
    WHERE seq > :after AND seq <= :upTo AND next_attempt_at IS NULL AND lease IS NULL
      AND ((status = 'delivered' AND updated_at <= :delivered) OR updated_at <= :ended)`,
)

const forgetAnswers = sql<Range & { before: number }>(
  `UPDATE delivery_attempts SET response_prefix = NULL
    WHERE delivery_seq > :after AND delivery_seq <= :upTo AND response_prefix IS NOT NULL AND finished_at <= :before`,
)

/** Removes delivered deliveries after 7 days and other finished ones after 30. */
export function retainDeliveries({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }): Chore {
  return {
    name: 'deliveries',
    begin() {
      let after = 0
      return async () => {
        const now = clock.now()
        const rows = await db.read(oldest, { after, rows: ROWS })
        const [first, last] = [rows[0], rows.at(-1)]
        if (!first || !last || first.createdAtMs > now - DELIVERED_MS) return false
        const range = { after, upTo: last.seq }
        await db.commit(async (tx) => {
          await tx.run(remove, { ...range, delivered: now - DELIVERED_MS, ended: now - ENDED_MS })
          await tx.run(forgetAnswers, { ...range, before: now - DELIVERED_MS })
        })
        after = last.seq
        return rows.length === ROWS
      }
    },
  }
}
