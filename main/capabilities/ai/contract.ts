import { Type, type Static } from 'typebox'
import {
  Agent,
  AgentDraft,
  AiSettings,
  AnswerSource,
  Conversation,
  CreateAgentBody,
  CreateStageBody,
  FollowUp,
  Provider,
  Stage,
  TestReply,
  ToolCall,
  TurnUsage,
  UpdateAgentBody,
  UpdateAiSettingsBody,
  UpdateFollowUpBody,
  UpdateStageBody,
} from '../../contract/ai.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, List, MediaType, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'
import * as example from '../../contract/ai-examples.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    ai: true
  }
}

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

const counts = {
  answered: Type.Integer({ minimum: 0 }),
  handed_over: Type.Integer({ minimum: 0 }),
  follow_ups: Type.Integer({ minimum: 0 }),
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  cost_usd: Type.Number({ minimum: 0, description: 'Of models whose price is known.' }),
}
const Usage = Type.Object({
  totals: Type.Object(counts),
  waiting: Type.Integer({ minimum: 0, description: 'Chats that were handed over and that nobody has answered yet.' }),
  days: Type.Array(Type.Object({ day: Type.String({ description: 'YYYY-MM-DD.' }), ...counts })),
})
export type Usage = Static<typeof Usage>

const InstanceSummary = Type.Object({
  instance_id: Uuid,
  enabled: Type.Boolean({ description: 'Whether an agent answers the chats of this instance.' }),
  primary: Nullable(
    Type.Object({
      id: Uuid,
      name: Type.String(),
      provider: Provider,
      model: Nullable(Type.String()),
    }),
  ),
  agents: Type.Integer({ minimum: 0 }),
  waiting: Type.Integer({ minimum: 0, description: 'Chats that were handed over and that nobody has answered yet.' }),
})
export type InstanceSummary = Static<typeof InstanceSummary>

const Media = Type.Object({
  id: Uuid,
  name: Type.String(),
  description: Type.String({ description: 'When the agent should send it.' }),
  media_type: MediaType,
  mime_type: Type.String(),
  filename: Nullable(Type.String()),
  size: Type.Integer(),
  created_at: Timestamp,
})
export type Media = Static<typeof Media>

export const CreateMediaBody = Body({
  name: Type.String({ minLength: 1, maxLength: LIMITS.aiNameLength }),
  description: Type.String({ minLength: 1, maxLength: LIMITS.aiObjectiveLength }),
  media_id: Type.String({ minLength: 1, maxLength: 64, description: 'Of a file uploaded with `POST /v1/media`.' }),
  media_type: MediaType,
})
export type CreateMediaBody = Static<typeof CreateMediaBody>

const ToolName = Type.String({
  pattern: '^[a-z][a-z0-9_]{1,47}$',
  description: 'Lower-case letters, digits and underscores.',
  examples: ['order_status'],
})
const ToolUrl = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description:
    'https and public, unless the range is in `egress.trusted_ranges`. `{name}` stands for a parameter; parameters that ' +
    'do not occur in the URL are sent as query of a GET, else as JSON.',
  examples: ['https://shop.example.com/orders/{order_number}'],
})
const ToolParameters = Type.Array(
  Type.Object(
    {
      name: Type.String({ pattern: '^[a-z][a-z0-9_]{0,47}$' }),
      type: Type.Enum(['string', 'number', 'integer', 'boolean']),
      description: Type.String({ maxLength: 500 }),
      required: Type.Boolean(),
    },
    { additionalProperties: false },
  ),
  { maxItems: 20 },
)
const toolFields = {
  name: ToolName,
  description: Type.String({ minLength: 1, maxLength: LIMITS.aiObjectiveLength }),
  method: Type.Enum(['GET', 'POST', 'PUT', 'DELETE']),
  url: ToolUrl,
  parameters: ToolParameters,
  enabled: Type.Boolean(),
}
const HttpTool = Type.Object({
  id: Uuid,
  ...toolFields,
  secret_header: Nullable(Type.String({ description: 'The header that carries the secret.' })),
  has_secret: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type HttpTool = Static<typeof HttpTool>

const secretFields = {
  secret_header: Type.Optional(Nullable(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', examples: ['Authorization'] }))),
  secret: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.aiProviderKeyLength,
        pattern: '^[\\x20-\\x7e]+$',
        description: 'Write-only: the value of the header, such as `Bearer …`. null removes it.',
      }),
    ),
  ),
}
export const CreateHttpToolBody = Body({
  name: toolFields.name,
  description: toolFields.description,
  method: toolFields.method,
  url: toolFields.url,
  parameters: Type.Optional(toolFields.parameters),
  enabled: Type.Optional(toolFields.enabled),
  ...secretFields,
})
export type CreateHttpToolBody = Static<typeof CreateHttpToolBody>
export const UpdateHttpToolBody = Body({
  name: Type.Optional(toolFields.name),
  description: Type.Optional(toolFields.description),
  method: Type.Optional(toolFields.method),
  url: Type.Optional(toolFields.url),
  parameters: Type.Optional(toolFields.parameters),
  enabled: Type.Optional(toolFields.enabled),
  ...secretFields,
})
export type UpdateHttpToolBody = Static<typeof UpdateHttpToolBody>

const Suggestion = Type.Object({
  reply: Nullable(Type.String({ description: 'null: the agent has no answer.' })),
  sources: Type.Array(AnswerSource),
  usage: TurnUsage,
})
export type Suggestion = Static<typeof Suggestion>

const paging = {
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
}
const common = { reach: 'instance', origin: 'ours' } as const
const reads = { ...common, scope: 'ai:read' } as const
const writes = { ...common, scope: 'ai:write' } as const
const inWindow = { audience: 'console', role: 'member', tool: null } as const
const face = { onRequest: true } as const
const settles = { origin: 'spec' } as const

export const aiContract = {
  getAiSettings: operation({
    ...reads,
    id: 'getAiSettings',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/settings',
    summary: 'Read the AI settings',
    description: 'Whether an agent answers the chats of this instance, and the rules it keeps to.',
    reply: { status: 200, description: 'The settings.', schema: AiSettings },
    errors: [],
    examples: { reply: example.SETTINGS },
    tool: { ...face, name: 'get_ai_settings', title: 'Read the AI settings', idempotent: true },
  }),

  updateAiSettings: operation({
    ...writes,
    ...settles,
    id: 'updateAiSettings',
    effects: ['people_later'],
    method: 'PATCH',
    path: '/v1/instances/{id}/ai/settings',
    summary: 'Change the AI settings',
    description: [
      'Changes the fields that are given. With `enabled: true` the primary agent answers; its provider must have a key, else the answer is 409 `provider_key_missing` and nothing is changed.',
      'A person always comes first: whatever somebody types on the phone, in the window or in the CRM pauses the agent in that chat. Messages sent with an API key do not.',
    ].join('\n\n'),
    body: UpdateAiSettingsBody,
    reply: { status: 200, description: 'The settings.', schema: AiSettings },
    errors: ['provider_key_missing'],
    examples: { body: { enabled: true, timezone: 'America/Sao_Paulo' }, reply: example.SETTINGS },
    tool: { ...face, name: 'update_ai_settings', title: 'Change the AI settings', idempotent: true },
  }),

  listAgents: operation({
    ...reads,
    id: 'listAgents',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/agents',
    summary: 'List agents',
    description: 'The agents of this instance, newest first. One of them is primary and answers.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of agents.', schema: List(Agent) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [example.AGENT], next_cursor: null, has_more: false } },
    tool: { ...face, name: 'list_agents', title: 'List agents', idempotent: true },
  }),

  createAgent: operation({
    ...writes,
    ...settles,
    id: 'createAgent',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/agents',
    summary: 'Create an agent',
    description: `The first agent of an instance is its primary one. An agent may be created before its provider has a key. An instance has at most ${LIMITS.aiAgents} agents.`,
    body: CreateAgentBody,
    reply: { status: 201, description: 'The new agent.', schema: Agent },
    errors: ['invalid_state', 'provider_key_missing'],
    examples: {
      body: { name: 'Reception', provider: 'openai', model: 'gpt-5-mini', system_prompt: example.AGENT.system_prompt },
      reply: example.AGENT,
    },
    tool: { ...face, name: 'create_agent', title: 'Create an agent', idempotent: false },
  }),

  getAgent: operation({
    ...reads,
    id: 'getAgent',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/agents/{agent_id}',
    summary: 'Read an agent',
    description: 'Its provider, model, prompt, tools and limits.',
    reply: { status: 200, description: 'The agent.', schema: Agent },
    errors: [],
    examples: { reply: example.AGENT },
    tool: { ...face, name: 'get_agent', title: 'Read an agent', idempotent: true },
  }),

  updateAgent: operation({
    ...writes,
    id: 'updateAgent',
    effects: ['people_later'],
    method: 'PATCH',
    path: '/v1/instances/{id}/ai/agents/{agent_id}',
    summary: 'Change an agent',
    description:
      'Changes the fields that are given. `is_primary: true` takes the place of the agent that was primary. While AI is enabled, the primary agent needs a provider with a key.',
    body: UpdateAgentBody,
    reply: { status: 200, description: 'The updated agent.', schema: Agent },
    errors: ['invalid_state', 'provider_key_missing'],
    examples: { body: { is_primary: true }, reply: example.AGENT },
    tool: { ...face, name: 'update_agent', title: 'Change an agent', idempotent: true },
  }),

  listStages: operation({
    ...reads,
    id: 'listStages',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/stages',
    summary: 'List stages',
    description: 'The steps that a conversation with the agent goes through, in their order.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of stages.', schema: List(Stage) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [example.STAGE], next_cursor: null, has_more: false } },
    tool: { ...face, name: 'list_stages', title: 'List stages', idempotent: true },
  }),

  orderStages: operation({
    ...writes,
    id: 'orderStages',
    effects: ['people_later'],
    method: 'PUT',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/stages/order',
    summary: 'Order the stages',
    description: 'Takes the ids of all stages of the agent in their new order.',
    body: Body({
      stage_ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: LIMITS.aiStages,
        description: 'All stages of the agent, each once.',
      }),
    }),
    reply: {
      status: 200,
      description: 'The stages in their new order.',
      schema: Type.Object({ data: Type.Array(Stage) }),
    },
    errors: [],
    examples: { body: { stage_ids: [example.STAGE.id] }, reply: { data: [example.STAGE] } },
    tool: { ...face, name: 'order_stages', title: 'Order the stages', idempotent: true },
  }),

  createStage: operation({
    ...writes,
    ...settles,
    id: 'createStage',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/stages',
    summary: 'Add a stage',
    description: `Adds a stage at the end. An agent has at most ${LIMITS.aiStages}.`,
    body: CreateStageBody,
    reply: { status: 201, description: 'The new stage.', schema: Stage },
    errors: ['invalid_state'],
    examples: { body: { name: example.STAGE.name, objective: example.STAGE.objective }, reply: example.STAGE },
    tool: { ...face, name: 'create_stage', title: 'Add a stage', idempotent: false },
  }),

  getStage: operation({
    ...reads,
    id: 'getStage',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/stages/{stage_id}',
    summary: 'Read a stage',
    description: 'Its objective, its place, and when the conversation leaves it.',
    reply: { status: 200, description: 'The stage.', schema: Stage },
    errors: [],
    examples: { reply: example.STAGE },
    tool: { ...face, name: 'get_stage', title: 'Read a stage', idempotent: true },
  }),

  updateStage: operation({
    ...writes,
    id: 'updateStage',
    effects: ['people_later'],
    method: 'PATCH',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/stages/{stage_id}',
    summary: 'Change a stage',
    description: 'Changes the fields that are given. Its place stays the same.',
    body: UpdateStageBody,
    reply: { status: 200, description: 'The updated stage.', schema: Stage },
    errors: [],
    examples: { body: { objective: example.STAGE.objective }, reply: example.STAGE },
    tool: { ...face, name: 'update_stage', title: 'Change a stage', idempotent: true },
  }),

  deleteStage: operation({
    ...writes,
    id: 'deleteStage',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/stages/{stage_id}',
    summary: 'Delete a stage',
    description: 'Conversations in this stage begin again in the first one.',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
    tool: { ...face, name: 'delete_stage', title: 'Delete a stage', idempotent: true },
  }),

  deleteAgent: operation({
    ...writes,
    id: 'deleteAgent',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/agents/{agent_id}',
    summary: 'Delete an agent',
    description:
      'Deletes the agent with its stages, files and tools. If it was the primary one, the oldest other agent is. The last agent of an instance with AI enabled is deleted too; nobody answers then.',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
    tool: { ...face, name: 'delete_agent', title: 'Delete an agent', idempotent: true },
  }),

  getFollowUp: operation({
    ...reads,
    id: 'getFollowUp',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/follow-up',
    summary: 'Read the follow-up settings',
    description: 'Whether the agent writes again to people who did not answer.',
    reply: { status: 200, description: 'The settings.', schema: FollowUp },
    errors: [],
    examples: { reply: example.FOLLOW_UP },
    tool: { ...face, name: 'get_follow_up', title: 'Read the follow-up settings', idempotent: true },
  }),

  updateFollowUp: operation({
    ...writes,
    ...settles,
    id: 'updateFollowUp',
    effects: ['people_later'],
    method: 'PATCH',
    path: '/v1/instances/{id}/ai/follow-up',
    summary: 'Change the follow-up settings',
    description:
      'Changes the fields that are given. A follow-up is sent after an answer of the agent; a message of the person, an opt-out or a pause cancels it.',
    body: UpdateFollowUpBody,
    reply: { status: 200, description: 'The settings.', schema: FollowUp },
    errors: ['engine_mismatch'],
    examples: { body: { enabled: true, max_followups: 2 }, reply: example.FOLLOW_UP },
    tool: { ...face, name: 'update_follow_up', title: 'Change the follow-up settings', idempotent: true },
  }),

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

  getAiUsage: operation({
    ...reads,
    ...inWindow,
    id: 'getAiUsage',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/usage',
    summary: 'Read what the agents did',
    description: 'Answers, handoffs, follow-ups, tokens and cost by day, in the time zone of the settings.',
    query: Type.Object({
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, description: 'Default: 7, today included.' })),
    }),
    reply: { status: 200, description: 'The numbers.', schema: Usage },
    errors: [],
    examples: { reply: example.USAGE },
  }),

  getAiOverview: operation({
    ...inWindow,
    id: 'getAiOverview',
    effects: [],
    method: 'GET',
    path: '/v1/ai-overview',
    summary: 'Read what all agents did',
    description: 'The same for all instances of the account.',
    scope: 'ai:read',
    reach: 'account',
    origin: 'ours',
    query: Type.Object({
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, description: 'Default: 7, today included.' })),
    }),
    reply: { status: 200, description: 'The numbers.', schema: Usage },
    errors: [],
    examples: { reply: example.USAGE },
  }),

  listAiInstances: operation({
    ...inWindow,
    id: 'listAiInstances',
    effects: [],
    method: 'GET',
    path: '/v1/ai-instances',
    summary: 'List instances with agents',
    description: 'Instances that have an agent, and how many of their chats wait for a person.',
    scope: 'ai:read',
    reach: 'account',
    origin: 'ours',
    reply: {
      status: 200,
      description: 'The instances that have an agent.',
      schema: Type.Object({ data: Type.Array(InstanceSummary) }),
    },
    errors: [],
    examples: { reply: { data: [example.INSTANCE_SUMMARY] } },
  }),

  listAgentMedia: operation({
    ...reads,
    ...inWindow,
    id: 'listAgentMedia',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/media',
    summary: 'List the files of an agent',
    description: 'The files that the agent can send, newest first.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of files.', schema: List(Media) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [example.MEDIA], next_cursor: null, has_more: false } },
  }),

  addAgentMedia: operation({
    ...writes,
    ...inWindow,
    id: 'addAgentMedia',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/media',
    summary: 'Give an agent a file',
    description: `Upload the file with \`POST /v1/media\` first. It does not expire while the agent has it. An agent has at most ${LIMITS.aiMedia}.`,
    body: CreateMediaBody,
    reply: { status: 201, description: 'The file.', schema: Media },
    errors: ['not_found', 'invalid_state'],
    examples: {
      body: {
        name: example.MEDIA.name,
        description: example.MEDIA.description,
        media_id: 'fil_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
        media_type: 'document',
      },
      reply: example.MEDIA,
    },
  }),

  removeAgentMedia: operation({
    ...writes,
    ...inWindow,
    id: 'removeAgentMedia',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/media/{file_id}',
    summary: 'Take a file from an agent',
    description: 'The agent no longer sends it. What was sent stays sent.',
    reply: { status: 204, description: 'Removed.', schema: null },
    errors: [],
    examples: {},
  }),

  listHttpTools: operation({
    ...reads,
    ...inWindow,
    id: 'listHttpTools',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/http-tools',
    summary: 'List the HTTP tools of an agent',
    description: 'Services that the agent can ask. Newest first.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of tools.', schema: List(HttpTool) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [example.HTTP_TOOL], next_cursor: null, has_more: false } },
  }),

  createHttpTool: operation({
    ...writes,
    ...inWindow,
    id: 'createHttpTool',
    effects: ['destination'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/http-tools',
    summary: 'Add an HTTP tool',
    description: `The model chooses the parameters, never the address. The secret is stored encrypted, is write-only, and no model sees it. An agent has at most ${LIMITS.aiHttpTools}.`,
    noStore: true,
    body: CreateHttpToolBody,
    reply: { status: 201, description: 'The new tool.', schema: HttpTool },
    errors: ['invalid_url', 'invalid_state', 'sealed'],
    examples: {
      body: {
        name: 'order_status',
        description: example.HTTP_TOOL.description,
        method: 'GET',
        url: example.HTTP_TOOL.url,
        parameters: example.HTTP_TOOL.parameters,
        secret_header: 'Authorization',
        secret: 'Bearer example',
      },
      reply: example.HTTP_TOOL,
    },
  }),

  updateHttpTool: operation({
    ...writes,
    ...inWindow,
    id: 'updateHttpTool',
    effects: ['destination'],
    method: 'PATCH',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/http-tools/{tool_id}',
    summary: 'Change an HTTP tool',
    description: 'Changes the fields that are given. A new host drops the secret, unless a new one is given.',
    noStore: true,
    body: UpdateHttpToolBody,
    reply: { status: 200, description: 'The updated tool.', schema: HttpTool },
    errors: ['invalid_url', 'invalid_state', 'sealed'],
    examples: { body: { enabled: false }, reply: { ...example.HTTP_TOOL, enabled: false } },
  }),

  deleteHttpTool: operation({
    ...writes,
    ...inWindow,
    id: 'deleteHttpTool',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/agents/{agent_id}/http-tools/{tool_id}',
    summary: 'Delete an HTTP tool',
    description: 'Deletes the tool with its secret. The agent no longer has it.',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
  }),
} as const satisfies Contract
