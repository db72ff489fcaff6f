import { Type, type Static } from 'typebox'
import { AgentDraft } from '../../../contract/ai.ts'
import { AnswerSource, Conversation, TestReply, ToolCall, TurnUsage } from '../../../contract/ai-conversation.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, List, Nullable, Timestamp, Uuid } from '../../../contract/shapes.ts'
import * as example from '../../../contract/ai-examples.ts'
import { paging, reads, writes, inWindow, face } from './parts.ts'

export const TestBody = Body({
  message: Type.String({
    minLength: 1,
    maxLength: LIMITS.aiTestMessageLength,
    description: 'What a person writes.',
    examples: ['What are your opening hours?'],
  }),
  agent_id: Type.Optional(Type.String({ maxLength: 64, description: 'Default: the primary agent.' })),
  agent: Type.Optional(AgentDraft),
  stage_id: Type.Optional(Type.String({ maxLength: 64, description: 'Default: the first stage of the agent.' })),
  history: Type.Optional(
    Type.Array(
      Type.Object(
        {
          from: Type.Enum(['person', 'agent']),
          text: Type.String({ minLength: 1, maxLength: LIMITS.aiTestMessageLength }),
        },
        { additionalProperties: false },
      ),
      { maxItems: 50, description: 'What was said before, oldest first.' },
    ),
  ),
})
export type TestBody = Static<typeof TestBody>

const PauseBody = Body({
  minutes: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 43_200,
        description: 'null: until somebody resumes it. Default: `pause_on_human_minutes` of the settings.',
      }),
    ),
  ),
})

const Turn = Type.Object({
  turn: Type.Integer({ minimum: 1 }),
  state: Type.Enum(['waiting', 'thinking', 'sending', 'answered', 'handed_over', 'skipped', 'unknown'], {
    description:
      '`unknown`: whether the answer, or its last part, reached the network is not known; it is never repeated. An earlier part is `handed_over` with the reason `partly_sent`. `skipped`: see `reason`.',
  }),
  kind: Type.Enum(['reply', 'follow_up']),
  question: Type.String({ description: 'The messages of the person that are answered together.' }),
  reply: Nullable(Type.String()),
  message_ids: Type.Array(Type.String(), { description: 'Of the messages that were sent.' }),
  reason: Nullable(Type.String({ description: 'Why it handed over or wrote nothing.' })),
  detail: Nullable(Type.String()),
  source: Nullable(Type.Enum(['model', 'faq', 'none'])),
  agent_id: Nullable(Uuid),
  stage_id: Nullable(Uuid),
  sources: Type.Array(AnswerSource),
  tool_calls: Type.Array(ToolCall),
  usage: TurnUsage,
  created_at: Timestamp,
  ended_at: Nullable(Timestamp),
})
export type Turn = Static<typeof Turn>

const Suggestion = Type.Object({
  reply: Nullable(Type.String({ description: 'null: the agent has no answer.' })),
  sources: Type.Array(AnswerSource),
  usage: TurnUsage,
})
export type Suggestion = Static<typeof Suggestion>

export const conversationsContract = {
  getAiConversation: operation({
    ...reads,
    id: 'getAiConversation',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/conversations/{phone}',
    summary: 'Read the state of a conversation',
    description: 'Whether the agent answers in this chat, its stage, and why it handed over. No messages.',
    reply: { status: 200, description: 'The state.', schema: Conversation },
    errors: [],
    examples: { reply: example.CONVERSATION },
    tool: {
      ...face,
      name: 'get_ai_conversation',
      title: 'Read the state of a conversation',
      idempotent: true,
      untrusted: true,
    },
  }),

  pauseAiConversation: operation({
    ...writes,
    id: 'pauseAiConversation',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/conversations/{phone}/pause',
    summary: 'Pause the agent in a conversation',
    description: 'The agent does not answer in this chat until then. An answer that is being prepared is not sent.',
    body: PauseBody,
    bodyOptional: true,
    reply: { status: 200, description: 'The state.', schema: Conversation },
    errors: [],
    examples: {
      body: { minutes: 60 },
      reply: {
        ...example.CONVERSATION,
        ai_active: false,
        paused_until: '2026-03-01T10:30:00.000Z',
        pause_reason: 'user',
      },
    },
    tool: {
      ...face,
      name: 'pause_ai_conversation',
      title: 'Pause the agent in a conversation',
      idempotent: true,
      untrusted: true,
    },
  }),

  resumeAiConversation: operation({
    ...writes,
    id: 'resumeAiConversation',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/conversations/{phone}/resume',
    summary: 'Resume the agent in a conversation',
    description: 'The agent answers the next message. What was written during the pause is not answered.',
    reply: { status: 200, description: 'The state.', schema: Conversation },
    errors: [],
    examples: { reply: example.CONVERSATION },
    tool: {
      ...face,
      name: 'resume_ai_conversation',
      title: 'Resume the agent in a conversation',
      idempotent: true,
      untrusted: true,
    },
  }),

  testAgent: operation({
    ...writes,
    id: 'testAgent',
    effects: ['outbound'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/test',
    summary: 'Try an agent',
    description:
      'Answers a message as the agent would, and sends nothing. The message can be tried against settings that are not saved yet. A model counts its tokens as usual.',
    body: TestBody,
    reply: { status: 200, description: 'What it would answer.', schema: TestReply },
    errors: ['invalid_state', 'provider_key_missing', 'upstream_unavailable', 'upstream_timeout', 'sealed'],
    examples: { body: { message: 'What are your opening hours?' }, reply: example.TEST_REPLY },
    tool: { ...face, name: 'test_agent', title: 'Try an agent', idempotent: false },
  }),

  listAiConversations: operation({
    ...reads,
    ...inWindow,
    id: 'listAiConversations',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/conversations',
    summary: 'List conversations',
    description: 'Chats that the agent knows, the one that changed last first.',
    query: Type.Object({
      filter: Type.Optional(
        Type.Enum(['all', 'waiting'], { description: '`waiting`: handed over, and nobody has written since.' }),
      ),
      ...paging,
    }),
    reply: { status: 200, description: 'A page of conversations.', schema: List(Conversation) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [example.CONVERSATION], next_cursor: null, has_more: false } },
  }),

  listAiTurns: operation({
    ...reads,
    ...inWindow,
    id: 'listAiTurns',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/conversations/{phone}/turns',
    summary: 'List what the agent did in a conversation',
    description: 'Each answer with its source, tools and cost, or why there was none. Newest first.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of turns.', schema: List(Turn) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [example.TURN], next_cursor: null, has_more: false } },
  }),

  suggestReply: operation({
    ...writes,
    ...inWindow,
    id: 'suggestReply',
    effects: ['outbound'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/conversations/{phone}/suggestions',
    summary: 'Suggest a reply',
    description: 'What the primary agent would answer to the last messages of this chat. Nothing is sent.',
    reply: { status: 200, description: 'The suggestion.', schema: Suggestion },
    errors: ['invalid_state', 'provider_key_missing', 'upstream_unavailable', 'upstream_timeout', 'sealed'],
    examples: {
      reply: {
        reply: example.TEST_REPLY.reply,
        sources: example.TEST_REPLY.sources,
        usage: example.TEST_REPLY.usage,
      },
    },
  }),
} as const satisfies Contract
