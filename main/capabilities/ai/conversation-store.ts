import type { HandoffReason, PauseReason } from '../../contract/ai-conversation.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface ConversationRow {
  readonly seq: number
  readonly id: string
  readonly instanceId: InstanceId
  readonly chat: string
  readonly accountId: AccountId
  readonly agentId: string | null
  readonly stageId: string | null
  readonly paused: 0 | 1
  readonly pausedUntilMs: number | null
  readonly pauseReason: PauseReason | null
  /**
   * When Meta's own agent was last seen answering the chat; null: it does not. A separate column, because the table
   * has no such pause reason.
   */
  readonly metaAgentAtMs: number | null
  readonly handoffReason: HandoffReason | null
  readonly handoffDetail: string | null
  readonly handoffAtMs: number | null
  readonly waiting: 0 | 1
  readonly summary: string | null
  readonly answeredBy: 'agent' | 'person' | null
  readonly lastInboundAtMs: number | null
  readonly lastAnswerAtMs: number | null
  readonly nextTurn: number
  readonly openTurn: number | null
  readonly repeatedText: string | null
  readonly repeats: number
  readonly followUps: number
  readonly followUpAtMs: number | null
  /** The unsent rest of a long answer, and the turn that offered to continue. */
  readonly rest: string | null
  readonly restTurn: number | null
  readonly changedAtMs: number
}

type OfChat = { instanceId: string; chat: string }
type OfConversation = { seq: number }

const COLUMNS = `seq, id, instance_id AS instanceId, chat, account_id AS accountId, agent_id AS agentId,
  stage_id AS stageId, paused, paused_until AS pausedUntilMs, pause_reason AS pauseReason,
  meta_agent_at AS metaAgentAtMs,
  handoff_reason AS handoffReason, handoff_detail AS handoffDetail, handoff_at AS handoffAtMs, waiting, summary,
  answered_by AS answeredBy, last_inbound_at AS lastInboundAtMs, last_answer_at AS lastAnswerAtMs,
  next_turn AS nextTurn, open_turn AS openTurn, repeated_text AS repeatedText, repeats, follow_ups AS followUps,
  follow_up_at AS followUpAtMs, rest, rest_turn AS restTurn, changed_at AS changedAtMs`

export const conversationOf = sql<OfChat, ConversationRow>(
  `SELECT ${COLUMNS} FROM ai_conversations WHERE instance_id = :instanceId AND chat = :chat`,
)
export const conversationBySeq = sql<OfConversation, ConversationRow>(
  `SELECT ${COLUMNS} FROM ai_conversations WHERE seq = :seq`,
)
export const insertConversation = sql<OfChat & { seq: number; id: string; accountId: string; now: number }>(
  `INSERT INTO ai_conversations (seq, id, instance_id, chat, account_id, changed_at)
   VALUES (:seq, :id, :instanceId, :chat, :accountId, :now)`,
)

export const setInbound = sql<OfConversation & { at: number; now: number }>(
  `UPDATE ai_conversations SET last_inbound_at = :at, follow_ups = 0, follow_up_at = NULL, changed_at = :now
   WHERE seq = :seq`,
)
export const openTurnOf = sql<OfConversation & { turn: number; next: number }>(
  'UPDATE ai_conversations SET open_turn = :turn, next_turn = :next WHERE seq = :seq',
)
export const takeTurnNumber = sql<OfConversation & { next: number }>(
  'UPDATE ai_conversations SET next_turn = :next WHERE seq = :seq',
)
export const closeTurnOf = sql<OfConversation & { turn: number }>(
  'UPDATE ai_conversations SET open_turn = NULL WHERE seq = :seq AND open_turn = :turn',
)
export const setRepeats = sql<OfConversation & { text: string; repeats: number }>(
  'UPDATE ai_conversations SET repeated_text = :text, repeats = :repeats WHERE seq = :seq',
)
export const setRest = sql<OfConversation & { rest: string | null; turn: number | null }>(
  'UPDATE ai_conversations SET rest = :rest, rest_turn = :turn WHERE seq = :seq',
)
export const setStage = sql<OfConversation & { agentId: string; stageId: string | null }>(
  'UPDATE ai_conversations SET agent_id = :agentId, stage_id = :stageId WHERE seq = :seq',
)
export const setPause = sql<OfConversation & { untilMs: number | null; reason: PauseReason; now: number }>(
  `UPDATE ai_conversations SET paused = 1, paused_until = :untilMs, pause_reason = :reason, meta_agent_at = NULL,
     follow_up_at = NULL, rest = NULL, rest_turn = NULL, changed_at = :now WHERE seq = :seq`,
)
/** Meta's own agent answers: paused as if a person answered, without an end. */
export const pauseForMetaAgent = sql<OfConversation & { at: number; now: number }>(
  `UPDATE ai_conversations SET paused = 1, paused_until = NULL, pause_reason = 'person', meta_agent_at = :at,
     follow_up_at = NULL, rest = NULL, rest_turn = NULL, changed_at = :now WHERE seq = :seq`,
)
export const clearPause = sql<OfConversation & { now: number }>(
  `UPDATE ai_conversations SET paused = 0, paused_until = NULL, pause_reason = NULL, meta_agent_at = NULL, waiting = 0,
     changed_at = :now WHERE seq = :seq`,
)
export const setHandoff = sql<
  OfConversation & { reason: HandoffReason; detail: string | null; summary: string | null; now: number }
>(
  `UPDATE ai_conversations SET handoff_reason = :reason, handoff_detail = :detail, handoff_at = :now, waiting = 1,
     rest = NULL, rest_turn = NULL, summary = :summary, changed_at = :now WHERE seq = :seq`,
)
export const setAnsweredByPerson = sql<OfConversation & { now: number }>(
  `UPDATE ai_conversations SET answered_by = 'person', last_answer_at = :now, waiting = 0, follow_ups = 0,
     follow_up_at = NULL, rest = NULL, rest_turn = NULL, changed_at = :now WHERE seq = :seq`,
)
export const setAnsweredByAgent = sql<OfConversation & { now: number }>(
  `UPDATE ai_conversations SET answered_by = 'agent', last_answer_at = :now, changed_at = :now WHERE seq = :seq`,
)
export const setFollowUp = sql<OfConversation & { count: number; dueAtMs: number | null }>(
  'UPDATE ai_conversations SET follow_ups = :count, follow_up_at = :dueAtMs WHERE seq = :seq',
)

// For two conversations that turn out to be with one person.

export type MergedState = Omit<
  ConversationRow,
  ('seq' | 'id' | 'instanceId' | 'chat' | 'accountId' | 'openTurn' | 'repeatedText' | 'repeats') | ('rest' | 'restTurn')
>

export const renameChat = sql<OfConversation & { chat: string }>(
  'UPDATE ai_conversations SET chat = :chat WHERE seq = :seq',
)
export const setMerged = sql<OfConversation & MergedState>(
  `UPDATE ai_conversations SET agent_id = :agentId, stage_id = :stageId, paused = :paused, paused_until = :pausedUntilMs,
     pause_reason = :pauseReason, meta_agent_at = :metaAgentAtMs, handoff_reason = :handoffReason,
     handoff_detail = :handoffDetail, handoff_at = :handoffAtMs, waiting = :waiting, summary = :summary,
     answered_by = :answeredBy, last_inbound_at = :lastInboundAtMs, last_answer_at = :lastAnswerAtMs, next_turn = :nextTurn,
     follow_ups = :followUps, follow_up_at = :followUpAtMs, changed_at = :changedAtMs WHERE seq = :seq`,
)
export const removeConversation = sql<OfConversation>('DELETE FROM ai_conversations WHERE seq = :seq')

export const conversationsPage = sql<
  { instanceId: string; beforeAt: number; before: number; rows: number },
  ConversationRow
>(
  `SELECT ${COLUMNS} FROM ai_conversations WHERE instance_id = :instanceId
     AND (changed_at, seq) < (:beforeAt, :before) ORDER BY changed_at DESC, seq DESC LIMIT :rows`,
)
export const waitingPage = sql<
  { accountId: string; instanceId: string; beforeAt: number; before: number; rows: number },
  ConversationRow
>(
  `SELECT ${COLUMNS} FROM ai_conversations WHERE account_id = :accountId AND instance_id = :instanceId AND waiting = 1
     AND (changed_at, seq) < (:beforeAt, :before) ORDER BY changed_at DESC, seq DESC LIMIT :rows`,
)
export const waitingCount = sql<{ accountId: string; instanceId: string }, { count: number }>(
  `SELECT COUNT(*) AS count FROM ai_conversations
   WHERE account_id = :accountId AND instance_id = :instanceId AND waiting = 1`,
)
export const waitingByInstance = sql<{ accountId: string }, { instanceId: string; count: number }>(
  `SELECT instance_id AS instanceId, COUNT(*) AS count FROM ai_conversations
   WHERE account_id = :accountId AND waiting = 1 GROUP BY instance_id`,
)
export const waitingOfAccount = sql<{ accountId: string }, { count: number }>(
  'SELECT COUNT(*) AS count FROM ai_conversations WHERE account_id = :accountId AND waiting = 1',
)
export const leaveStage = sql<{ instanceId: string; stageId: string }>(
  'UPDATE ai_conversations SET stage_id = NULL WHERE instance_id = :instanceId AND stage_id = :stageId',
)
export const removeConversationsOf = sql<{ instanceId: string }>(
  'DELETE FROM ai_conversations WHERE instance_id = :instanceId',
)

/** Whether the agent is paused in the chat now. */
export const isPaused = ({ paused, pausedUntilMs }: Pick<ConversationRow, 'paused' | 'pausedUntilMs'>, nowMs: number) =>
  paused === 1 && (pausedUntilMs === null || pausedUntilMs > nowMs)
