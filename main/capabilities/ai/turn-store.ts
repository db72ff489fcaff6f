import type { AnswerSource, ToolCall } from '../../contract/ai-conversation.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export type TurnState = 'waiting' | 'thinking' | 'sending' | 'answered' | 'handed_over' | 'skipped' | 'unknown'

export interface TurnRow {
  readonly seq: number
  readonly conversationSeq: number
  readonly turn: number
  readonly instanceId: InstanceId
  readonly chat: string
  readonly accountId: AccountId
  readonly kind: 'reply' | 'follow_up'
  readonly state: TurnState
  readonly revision: number
  readonly question: string
  readonly firstAtMs: number
  readonly dueAtMs: number
  readonly agentId: string | null
  readonly stageId: string | null
  readonly decision: string | null
  /** The instance that sends the answer in place of the chat's own; null: the chat's own. */
  readonly sendsFrom: InstanceId | null
  readonly sentParts: number
  readonly messageIds: string
  readonly tries: number
  readonly reason: string | null
  readonly detail: string | null
  readonly source: 'model' | 'faq' | 'none' | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicros: number | null
  readonly durationMs: number
  readonly createdAtMs: number
  readonly endedAtMs: number | null
}

/** A message that a turn sends. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'media'; readonly mediaId: string; readonly mediaType: string; readonly filename: string | null }
  | { readonly kind: 'template'; readonly name: string; readonly language: string }

/** The stored decision, written before anything is sent: a turn that resumes after a crash sends the same. */
export interface StoredDecision {
  readonly parts: readonly Part[]
  /** The state of the turn after all parts are sent. */
  readonly becomes: 'answered' | 'handed_over'
  readonly reply: string | null
  readonly sources: readonly AnswerSource[]
  readonly toolCalls: readonly ToolCall[]
  /** The rest of the answer for later; null clears it; undefined leaves it as it is. */
  readonly rest?: string | null
}

type OfTurn = { seq: number }

const COLUMNS = `seq, conversation_seq AS conversationSeq, turn, instance_id AS instanceId, chat,
  account_id AS accountId, kind, state, revision, question, first_at AS firstAtMs, due_at AS dueAtMs,
  agent_id AS agentId, stage_id AS stageId, decision, sends_from AS sendsFrom, sent_parts AS sentParts, message_ids AS messageIds, tries, reason,
  detail, source, input_tokens AS inputTokens, output_tokens AS outputTokens, cost_micros AS costMicros,
  duration_ms AS durationMs, created_at AS createdAtMs, ended_at AS endedAtMs`

export const insertTurn = sql<
  Pick<TurnRow, 'seq' | 'conversationSeq' | 'turn' | 'instanceId' | 'chat' | 'accountId' | 'kind' | 'question'> & {
    now: number
    dueAtMs: number
  }
>(
  `INSERT INTO ai_turns (seq, conversation_seq, turn, instance_id, chat, account_id, kind, state, revision, question,
     first_at, due_at, created_at)
   VALUES (:seq, :conversationSeq, :turn, :instanceId, :chat, :accountId, :kind, 'waiting', 1, :question,
     :now, :dueAtMs, :now)`,
)
export const turnBySeq = sql<OfTurn, TurnRow>(`SELECT ${COLUMNS} FROM ai_turns WHERE seq = :seq`)
export const turnOf = sql<{ conversationSeq: number; turn: number }, TurnRow>(
  `SELECT ${COLUMNS} FROM ai_turns WHERE conversation_seq = :conversationSeq AND turn = :turn`,
)
/** Adds another message of the person to the turn. */
export const addToTurn = sql<OfTurn & { question: string; dueAtMs: number }>(
  `UPDATE ai_turns SET question = :question, due_at = :dueAtMs, revision = revision + 1
   WHERE seq = :seq AND state IN ('waiting', 'thinking')`,
)
export const unendedBefore = sql<{ conversationSeq: number; turn: number }, { seq: number }>(
  `SELECT seq FROM ai_turns WHERE conversation_seq = :conversationSeq AND turn < :turn AND ended_at IS NULL
   ORDER BY turn LIMIT 1`,
)
export const unendedOf = sql<{ conversationSeq: number }, TurnRow>(
  `SELECT ${COLUMNS} FROM ai_turns WHERE conversation_seq = :conversationSeq AND ended_at IS NULL ORDER BY turn LIMIT 20`,
)
export const answeredSince = sql<{ conversationSeq: number; since: number }, { count: number }>(
  `SELECT COUNT(*) AS count FROM ai_turns
   WHERE conversation_seq = :conversationSeq AND state = 'answered' AND ended_at > :since`,
)
export const setThinking = sql<OfTurn & { agentId: string; stageId: string | null }>(
  `UPDATE ai_turns SET state = 'thinking', agent_id = :agentId, stage_id = :stageId, tries = tries + 1
   WHERE seq = :seq AND state IN ('waiting', 'thinking')`,
)
export const setSendsFrom = sql<OfTurn & { instanceId: InstanceId | null }>(
  "UPDATE ai_turns SET sends_from = :instanceId WHERE seq = :seq AND state IN ('waiting', 'thinking')",
)
export const setWaiting = sql<OfTurn>(`UPDATE ai_turns SET state = 'waiting' WHERE seq = :seq AND state = 'thinking'`)
export const setDecision = sql<
  OfTurn & Pick<TurnRow, 'decision' | 'reason' | 'detail' | 'source' | 'stageId' | 'agentId' | 'durationMs'>
>(
  `UPDATE ai_turns SET state = 'sending', decision = :decision, reason = :reason, detail = :detail, source = :source,
     stage_id = :stageId, agent_id = :agentId, duration_ms = :durationMs, tries = 0
   WHERE seq = :seq AND state IN ('waiting', 'thinking')`,
)
/** The cost is null until a call has a known one. */
export const addTurnUsage = sql<OfTurn & { input: number; output: number; costMicros: number | null }>(
  `UPDATE ai_turns SET input_tokens = input_tokens + :input, output_tokens = output_tokens + :output,
     cost_micros = COALESCE(COALESCE(cost_micros, 0) + :costMicros, cost_micros)
   WHERE seq = :seq`,
)
export const countTry = sql<OfTurn>('UPDATE ai_turns SET tries = tries + 1 WHERE seq = :seq')
export const partSent = sql<OfTurn & { sentParts: number; messageIds: string }>(
  'UPDATE ai_turns SET sent_parts = :sentParts, message_ids = :messageIds, tries = 0 WHERE seq = :seq',
)
/** Changes no turn that has already ended. */
export const endTurn = sql<OfTurn & { state: TurnState; reason: string | null; detail: string | null; now: number }>(
  `UPDATE ai_turns SET state = :state, reason = COALESCE(:reason, reason), detail = COALESCE(:detail, detail),
     ended_at = :now WHERE seq = :seq AND ended_at IS NULL`,
)
/** An answer whose send had an unknown outcome turned out to be sent. */
export const settleUnknown = sql<{ turnSeq: number; part: number }>(
  `UPDATE ai_turns SET state = 'answered', reason = NULL
   WHERE seq = :turnSeq AND sent_parts = :part AND state = 'unknown'`,
)
export const renameTurns = sql<{ conversationSeq: number; chat: string }>(
  'UPDATE ai_turns SET chat = :chat WHERE conversation_seq = :conversationSeq',
)
/** A turn that may be sending keeps its number, which is part of its Idempotency-Keys. */
export const moveEndedTurns = sql<{ from: number; to: number; offset: number }>(
  `UPDATE ai_turns SET conversation_seq = :to, turn = turn + :offset
   WHERE conversation_seq = :from AND ended_at IS NOT NULL`,
)
export const turnsPage = sql<{ conversationSeq: number; before: number; rows: number }, TurnRow>(
  `SELECT ${COLUMNS} FROM ai_turns WHERE conversation_seq = :conversationSeq AND turn < :before
   ORDER BY turn DESC LIMIT :rows`,
)
export const pruneTurns = sql<{ before: number; limit: number }>(
  `DELETE FROM ai_turns WHERE seq IN (
     SELECT seq FROM ai_turns WHERE ended_at IS NOT NULL AND ended_at < :before ORDER BY ended_at LIMIT :limit)`,
)
export const removeTurnsOf = sql<{ instanceId: string }>('DELETE FROM ai_turns WHERE instance_id = :instanceId')
