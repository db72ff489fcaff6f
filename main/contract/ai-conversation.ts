import { Type, type Static } from 'typebox'
import { Nullable, Timestamp } from './shapes.ts'

/**
 * Why a chat was handed over to a person. The window has a sentence for each.
 * @public
 */
export const HANDOFF_REASONS = [
  'keyword',
  'asked_for_person',
  'no_answer',
  'low_confidence',
  'agent_decision',
  'token_limit',
  'cost_limit',
  'hourly_limit',
  'loop',
  'unreadable_message',
  'provider_key_missing',
  'provider_refused',
  'provider_unavailable',
  'model_unknown',
  'bad_model_output',
  'not_sent',
  'partly_sent',
] as const
export type HandoffReason = (typeof HANDOFF_REASONS)[number]
export const HandoffReason = Type.Enum([...HANDOFF_REASONS])

/** @public */
export const PAUSE_REASONS = ['person', 'handoff', 'user', 'meta_agent'] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]

export const Conversation = Type.Object({
  phone: Type.String({ description: 'The chat: digits, or the id of a person who hides their number, or of a group.' }),
  ai_active: Type.Boolean({ description: 'Whether the agent answers the next message.' }),
  paused_until: Nullable(
    Type.String({ format: 'date-time', description: 'null: not paused, or until somebody resumes it.' }),
  ),
  pause_reason: Nullable(
    Type.Enum([...PAUSE_REASONS], {
      description:
        '`person`: somebody wrote in the chat. `handoff`: the agent handed over. `user`: paused by hand. ' +
        '`meta_agent`: Meta Business Agent answers (official only).',
    }),
  ),
  agent_id: Nullable(Type.String({ format: 'uuid' })),
  stage_id: Nullable(Type.String({ format: 'uuid' })),
  summary: Nullable(Type.String({ description: 'What the conversation was about when it was handed over.' })),
  handoff: Nullable(
    Type.Object({
      reason: HandoffReason,
      detail: Nullable(Type.String()),
      at: Timestamp,
      waiting: Type.Boolean({ description: 'Nobody has written in the chat since.' }),
    }),
  ),
  answered_by: Nullable(Type.Enum(['agent', 'person'], { description: 'Who wrote the last message to the person.' })),
  last_inbound_at: Nullable(Timestamp),
  last_answer_at: Nullable(Timestamp),
  follow_up: Type.Object({ sent: Type.Integer({ minimum: 0 }), due_at: Nullable(Timestamp) }),
  updated_at: Nullable(Timestamp),
})
export type Conversation = Static<typeof Conversation>

/** Where an answer comes from. */
export const AnswerSource = Type.Object({
  kind: Type.Enum(['faq', 'document']),
  id: Type.String({ description: 'Of the FAQ entry, or of the document.' }),
  title: Type.String({ description: 'The question, or the name of the document.' }),
  excerpt: Type.String(),
  score: Type.Number(),
})
export type AnswerSource = Static<typeof AnswerSource>

export const ToolCall = Type.Object({
  name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
  result: Type.String({ description: 'Shortened.' }),
})
export type ToolCall = Static<typeof ToolCall>

export const TurnUsage = Type.Object({
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  cost_usd: Nullable(Type.Number({ minimum: 0, description: 'null: the price of the model is not known.' })),
  duration_ms: Type.Integer({ minimum: 0 }),
})
export type TurnUsage = Static<typeof TurnUsage>

/** What an agent would do with a message. */
export const TestReply = Type.Object({
  reply: Nullable(Type.String({ description: 'null: it would write nothing.' })),
  source: Type.Enum(['model', 'faq', 'none'], {
    description: '`faq`: an answer from the FAQ or a document, without a model.',
  }),
  stage_id: Nullable(Type.String({ format: 'uuid' })),
  handoff: Nullable(Type.Object({ reason: HandoffReason, detail: Nullable(Type.String()) })),
  tool_calls: Type.Array(ToolCall),
  usage: TurnUsage,
  sources: Type.Array(AnswerSource),
})
export type TestReply = Static<typeof TestReply>
