import { sql } from '../../kernel/sql.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'

/** A message that may ask for no more campaigns. A person decides. */
export interface OptOutQuestion {
  readonly seq: number
  readonly accountId: string
  readonly instanceId: string
  readonly chat: string
  readonly messageId: string
  readonly text: string
  readonly createdAtMs: number
}

interface QuestionRow extends OptOutQuestion {
  readonly number: string
  readonly dismissedAtMs: number | null
}

const COLUMNS = `seq, account_id AS accountId, instance_id AS instanceId, chat, message_id AS messageId, text,
  created_at AS createdAtMs`
const ALL_COLUMNS = `${COLUMNS}, number, dismissed_at AS dismissedAtMs`

/** A later message of a chat replaces an earlier one. */
export const putQuestion = sql<QuestionRow>(
  `INSERT INTO opt_out_questions
     (seq, account_id, instance_id, number, chat, message_id, text, created_at, dismissed_at)
   VALUES (:seq, :accountId, :instanceId, :number, :chat, :messageId, :text, :createdAtMs, :dismissedAtMs)
   ON CONFLICT (instance_id, number) DO UPDATE SET seq = excluded.seq, account_id = excluded.account_id,
     chat = excluded.chat, message_id = excluded.message_id, text = excluded.text, created_at = excluded.created_at,
     dismissed_at = excluded.dismissed_at`,
)

export const questionOf = sql<{ instanceId: string; number: string }, QuestionRow>(
  `SELECT ${ALL_COLUMNS} FROM opt_out_questions WHERE instance_id = :instanceId AND number = :number`,
)

export const questionsOfNumber = sql<{ accountId: string; number: string }, QuestionRow>(
  `SELECT ${ALL_COLUMNS} FROM opt_out_questions WHERE account_id = :accountId AND number = :number ORDER BY seq`,
)

export const openQuestionsOf = sqlOfList<string, { instanceId: string }, OptOutQuestion & { readonly number: string }>(
  (list) => `SELECT ${COLUMNS}, number FROM opt_out_questions
    WHERE instance_id = :instanceId AND dismissed_at IS NULL AND number IN (${list})`,
)

export const openQuestionsPage = sql<{ accountId: string; before: number; rows: number }, OptOutQuestion>(
  `SELECT ${COLUMNS} FROM opt_out_questions
    WHERE account_id = :accountId AND dismissed_at IS NULL AND seq < :before ORDER BY seq DESC LIMIT :rows`,
)

export const dismissQuestion = sql<{ seq: number; now: number }>(
  'UPDATE opt_out_questions SET dismissed_at = :now WHERE seq = :seq AND dismissed_at IS NULL',
)

export const removeQuestion = sql<{ seq: number }>('DELETE FROM opt_out_questions WHERE seq = :seq')

export const removeQuestionsOfInstance = sql<{ instanceId: string }>(
  'DELETE FROM opt_out_questions WHERE instance_id = :instanceId',
)

export const rehomeQuestions = sql<{ instanceId: string; to: string }>(
  'UPDATE opt_out_questions SET account_id = :to WHERE instance_id = :instanceId',
)

export const oldQuestions = sql<{ before: number; limit: number }, QuestionRow>(
  `SELECT ${ALL_COLUMNS} FROM opt_out_questions WHERE created_at < :before ORDER BY created_at LIMIT :limit`,
)
