import type { Network } from '../../contract/shapes.ts'
import { subjectSeq } from '../../kernel/ledger.ts'
import { sql } from '../../kernel/sql.ts'

export interface Counts {
  readonly sent: number
  readonly received: number
  readonly failed: number
}

interface Place {
  accountSeq: number
  instanceSeq: number
  hour: number
}

const countOne = (column: keyof Counts) =>
  sql<Place>(
    `INSERT INTO activity (account_seq, hour, instance_seq, sent, received, failed)
     VALUES (:accountSeq, :hour, :instanceSeq, ${(['sent', 'received', 'failed'] as const).map((name) => (name === column ? 1 : 0)).join(', ')})
     ON CONFLICT (account_seq, hour, instance_seq) DO UPDATE SET ${column} = activity.${column} + 1`,
  )

export const countMessage = { sent: countOne('sent'), received: countOne('received'), failed: countOne('failed') }

/** Hours with activity, oldest first. `network` null: both. */
export const activitySince = sql<
  { accountId: string; fromHour: number; network: Network | null },
  Counts & { hour: number }
>(
  `SELECT a.hour AS hour, SUM(a.sent) AS sent, SUM(a.received) AS received, SUM(a.failed) AS failed
   FROM activity a
   WHERE a.account_seq = ${subjectSeq(':accountId')} AND a.hour >= :fromHour
     AND (EXISTS (
       SELECT 1 FROM subjects s JOIN instances i ON i.id = s.id WHERE s.seq = a.instance_seq AND i.network = :network)
       OR :network IS NULL)
   GROUP BY a.hour ORDER BY a.hour`,
)

export const pruneActivity = sql<{ before: number; limit: number }>(
  `DELETE FROM activity WHERE (account_seq, hour, instance_seq) IN (
     SELECT account_seq, hour, instance_seq FROM activity WHERE hour < :before ORDER BY hour LIMIT :limit)`,
)

export const hasSent = sql<{ accountId: string }, { sent: number }>(
  `SELECT sent FROM activity WHERE account_seq = ${subjectSeq(':accountId')} AND sent > 0 ORDER BY hour LIMIT 1`,
)
