import { USAGE_COUNTERS, type UsageRow, type UsageTotals } from '../../contract/usage.ts'
import { sql } from '../../kernel/sql.ts'

interface Place {
  accountId: string
  instanceId: string
  day: string
}

const COLUMNS = USAGE_COUNTERS.join(', ')

/** One statement for all counters, because most callers change one or two of them. */
export const count = sql<Place & UsageTotals>(
  `INSERT INTO usage_daily (account_id, day, instance_id, ${COLUMNS})
   VALUES (:accountId, :day, :instanceId, ${USAGE_COUNTERS.map((name) => `:${name}`).join(', ')})
   ON CONFLICT (account_id, day, instance_id) DO UPDATE SET
     ${USAGE_COUNTERS.map((name) => `${name} = usage_daily.${name} + excluded.${name}`).join(', ')}`,
)

type Span = { accountId: string; from: string; to: string }

/** Ordered by day, then by instance, after the position. */
export const rowsOf = sql<Span & { afterDay: string; afterId: string; rows: number }, UsageRow>(
  `SELECT account_id, instance_id, day, ${COLUMNS} FROM usage_daily
   WHERE account_id = :accountId AND (day, instance_id) > (:afterDay, :afterId) AND day >= :from AND day <= :to
   ORDER BY day, instance_id LIMIT :rows`,
)

/** Sums are null if there are no rows. */
export const totalsOf = sql<Span, { [K in keyof UsageTotals]: number | null }>(
  `SELECT ${USAGE_COUNTERS.map((name) => `SUM(${name}) AS ${name}`).join(', ')} FROM usage_daily
   WHERE account_id = :accountId AND day >= :from AND day <= :to`,
)
