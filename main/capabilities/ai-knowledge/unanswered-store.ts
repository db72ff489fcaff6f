import { sql } from '../../kernel/sql.ts'

export type QuestionStatus = 'open' | 'answered' | 'dismissed'

export interface UnansweredRow {
  readonly seq: number
  readonly id: string
  readonly question: string
  readonly status: QuestionStatus
  readonly times: number
  readonly chat: string
  readonly faqId: string | null
  readonly firstAtMs: number
  readonly lastAtMs: number
}

type OfInstance = { instanceId: string }

const COLUMNS = 'seq, id, question, status, times, chat, faq_id AS faqId, first_at AS firstAtMs, last_at AS lastAtMs'

/** A question that was answered is opened again: its answer did not help. */
export const addUnanswered = sql<
  OfInstance & {
    seq: number
    id: string
    accountId: string
    folded: string
    question: string
    chat: string
    now: number
  }
>(
  `INSERT INTO ai_unanswered (seq, id, instance_id, account_id, folded, question, status, times, chat, first_at, last_at)
   VALUES (:seq, :id, :instanceId, :accountId, :folded, :question, 'open', 1, :chat, :now, :now)
   ON CONFLICT (instance_id, folded) DO UPDATE SET times = ai_unanswered.times + 1, question = excluded.question,
     chat = excluded.chat, last_at = excluded.last_at,
     status = CASE WHEN ai_unanswered.status = 'answered' THEN 'open' ELSE ai_unanswered.status END`,
)
export const unansweredById = sql<OfInstance & { id: string }, UnansweredRow>(
  `SELECT ${COLUMNS} FROM ai_unanswered WHERE id = :id AND instance_id = :instanceId`,
)
export const unansweredPage = sql<
  OfInstance & { status: QuestionStatus; beforeAt: number; before: number; rows: number },
  UnansweredRow
>(
  `SELECT ${COLUMNS} FROM ai_unanswered WHERE instance_id = :instanceId AND status = :status
     AND (last_at, seq) < (:beforeAt, :before) ORDER BY last_at DESC, seq DESC LIMIT :rows`,
)
export const closeUnanswered = sql<{ seq: number; status: QuestionStatus; faqId: string | null }>(
  'UPDATE ai_unanswered SET status = :status, faq_id = :faqId WHERE seq = :seq',
)
export const removeUnansweredOf = sql<OfInstance>('DELETE FROM ai_unanswered WHERE instance_id = :instanceId')
export const pruneUnanswered = sql<{ before: number; limit: number }>(
  `DELETE FROM ai_unanswered WHERE seq IN (
     SELECT seq FROM ai_unanswered WHERE last_at < :before ORDER BY last_at LIMIT :limit)`,
)
export const renameUnansweredChat = sql<{ instanceId: string; from: string; to: string }>(
  'UPDATE ai_unanswered SET chat = :to WHERE instance_id = :instanceId AND chat = :from',
)
export const rehomeUnanswered = sql<{ instanceId: string; accountId: string }>(
  'UPDATE ai_unanswered SET account_id = :accountId WHERE instance_id = :instanceId',
)
