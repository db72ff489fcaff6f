import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import { sql } from '../../kernel/sql.ts'

const KEPT_MS = LIMITS.eventDays * 86_400_000
const ROWS = 500

const oldest = sql<{ after: number; rows: number }, { seq: number; createdAtMs: number }>(
  'SELECT seq, created_at AS createdAtMs FROM events WHERE seq > :after ORDER BY seq LIMIT :rows',
)

/** A delivery needs the text of its event for each attempt and for the delivery log. */
const remove = sql<{ after: number; upTo: number; before: number }>(
  `DELETE FROM events
    WHERE seq > :after AND seq <= :upTo AND created_at <= :before
      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_seq = events.seq)`,
)

/** Removes events older than the contract promises, unless a delivery still refers to them. */
export function retainEvents({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }): Chore {
  return {
    name: 'events',
    begin() {
      let after = 0
      return async () => {
        const before = clock.now() - KEPT_MS
        const rows = await db.read(oldest, { after, rows: ROWS })
        const [first, last] = [rows[0], rows.at(-1)]
        if (!first || !last || first.createdAtMs > before) return false
        const range = { after, upTo: last.seq }
        await db.commit((tx) => tx.run(remove, { ...range, before }))
        after = last.seq
        return rows.length === ROWS
      }
    },
  }
}
