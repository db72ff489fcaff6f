import { sql } from '../../kernel/sql.ts'

export interface FaqRow {
  readonly seq: number
  readonly id: string
  readonly question: string
  readonly answer: string
  readonly enabled: 0 | 1
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

type OfInstance = { instanceId: string }

const COLUMNS = 'seq, id, question, answer, enabled, created_at AS createdAtMs, updated_at AS updatedAtMs'

export const faqPage = sql<OfInstance & { before: number; rows: number }, FaqRow>(
  `SELECT ${COLUMNS} FROM ai_faq WHERE instance_id = :instanceId AND seq < :before ORDER BY seq DESC LIMIT :rows`,
)
export const faqById = sql<OfInstance & { id: string }, FaqRow>(
  `SELECT ${COLUMNS} FROM ai_faq WHERE id = :id AND instance_id = :instanceId`,
)
export const faqByQuestion = sql<OfInstance & { folded: string }, FaqRow>(
  `SELECT ${COLUMNS} FROM ai_faq WHERE instance_id = :instanceId AND folded = :folded ORDER BY seq LIMIT 1`,
)
export const faqCount = sql<OfInstance, { count: number }>(
  'SELECT COUNT(*) AS count FROM ai_faq WHERE instance_id = :instanceId',
)
export const insertFaq = sql<FaqRow & OfInstance & { accountId: string; folded: string }>(
  `INSERT INTO ai_faq (seq, id, instance_id, account_id, question, answer, enabled, folded, created_at, updated_at)
   VALUES (:seq, :id, :instanceId, :accountId, :question, :answer, :enabled, :folded, :createdAtMs, :updatedAtMs)`,
)
export const changeFaq = sql<{
  seq: number
  question: string
  answer: string
  enabled: 0 | 1
  folded: string
  updatedAtMs: number
}>(
  `UPDATE ai_faq SET question = :question, answer = :answer, enabled = :enabled, folded = :folded,
     updated_at = :updatedAtMs WHERE seq = :seq`,
)
export const removeFaq = sql<{ seq: number }>('DELETE FROM ai_faq WHERE seq = :seq')
export const removeFaqOf = sql<OfInstance>('DELETE FROM ai_faq WHERE instance_id = :instanceId')
export const rehomeFaq = sql<{ instanceId: string; accountId: string }>(
  'UPDATE ai_faq SET account_id = :accountId WHERE instance_id = :instanceId',
)
