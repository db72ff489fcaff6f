import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface AuditRow {
  readonly seq: number
  readonly atMs: number
  readonly actor: 'operator' | 'member' | 'key' | 'service'
  readonly actorId: string | null
  readonly actorName: string
  readonly via: 'window' | 'api' | 'mcp'
  readonly operation: string
  readonly subjectId: string | null
  readonly subjectName: string | null
  /** JSON. */
  readonly fields: string
}

const COLUMNS = `seq, at AS atMs, actor, actor_id AS actorId, actor_name AS actorName, via, operation,
  subject_id AS subjectId, subject_name AS subjectName, fields`

export const insertAct = sql<AuditRow & { accountId: AccountId }>(
  `INSERT INTO audit_log (seq, account_id, at, actor, actor_id, actor_name, via, operation, subject_id,
     subject_name, fields)
   VALUES (:seq, :accountId, :atMs, :actor, :actorId, :actorName, :via, :operation, :subjectId,
     :subjectName, :fields)`,
)

type Page = { accountId: string; before: number; rows: number }

/** Newest first. */
export const actsPage = sql<Page, AuditRow>(
  `SELECT ${COLUMNS} FROM audit_log WHERE account_id = :accountId AND seq < :before ORDER BY seq DESC LIMIT :rows`,
)
export const actsPageOfActor = sql<Page & { actor: string }, AuditRow>(
  `SELECT ${COLUMNS} FROM audit_log WHERE account_id = :accountId AND actor = :actor AND seq < :before
   ORDER BY seq DESC LIMIT :rows`,
)

export const pruneActs = sql<{ before: number; limit: number }>(
  'DELETE FROM audit_log WHERE seq IN (SELECT seq FROM audit_log WHERE at < :before ORDER BY at LIMIT :limit)',
)
