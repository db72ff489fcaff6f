import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Body, Nullable, Timestamp, TimeZone } from './shapes.ts'

/** Schemas that the rooms of AI agents share. */

/** Providers that need an API key or an address. */
export const KEYED_PROVIDERS = ['openai', 'anthropic', 'google', 'openrouter', 'custom'] as const
export type KeyedProvider = (typeof KEYED_PROVIDERS)[number]
export const KeyedProvider = Type.Enum([...KEYED_PROVIDERS])

/** @public */
export const PROVIDERS = [...KEYED_PROVIDERS, 'builtin'] as const
export type Provider = (typeof PROVIDERS)[number]
export const Provider = Type.Enum([...PROVIDERS], {
  description:
    '`builtin`: answers from the FAQ and the documents without a model, a key or a cost. `custom`: any server that ' +
    'speaks the API of OpenAI, such as Ollama or LM Studio.',
})

export const AGENT_TOOLS = ['faq_search', 'set_stage', 'handoff_to_human', 'send_media', 'schedule_call'] as const
export type AgentTool = (typeof AGENT_TOOLS)[number]
export const AgentTool = Type.Enum([...AGENT_TOOLS])

const Name = Type.String({ minLength: 1, maxLength: LIMITS.aiNameLength, examples: ['Reception'] })
const Model = Type.String({
  minLength: 1,
  maxLength: LIMITS.aiModelLength,
  description: 'The name of the model, as its provider writes it. `builtin` needs none.',
  examples: ['gpt-5-mini'],
})
const SystemPrompt = Type.String({
  maxLength: LIMITS.aiPromptLength,
  description: 'Who the agent is, how it speaks, and what it must not do.',
})
const Temperature = Type.Number({ minimum: 0, maximum: 2, description: 'null: the default of the model.' })
const Tools = Type.Array(AgentTool, {
  uniqueItems: true,
  description: 'What the agent may do besides answering. `schedule_call` has an effect only where calls are enabled.',
})
const Limits = Type.Object(
  {
    tokens_per_day: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    cost_per_day_usd: Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 })),
  },
  {
    additionalProperties: false,
    description:
      'What the agent may use in a day, in the time zone of the AI settings. At a limit it hands over to a person. null: no limit.',
  },
)
const Price = Type.Object(
  {
    input_per_million_usd: Type.Number({ minimum: 0, maximum: 10_000 }),
    output_per_million_usd: Type.Number({ minimum: 0, maximum: 10_000 }),
  },
  {
    additionalProperties: false,
    description: 'What a million tokens cost. null: the price list of Switchboard, if it knows the model.',
  },
)

export const Agent = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Name,
  provider: Provider,
  model: Nullable(Model),
  system_prompt: SystemPrompt,
  is_primary: Type.Boolean({ description: 'The agent that answers. Each instance has at most one.' }),
  temperature: Nullable(Temperature),
  tools: Tools,
  limits: Limits,
  price: Nullable(Price),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Agent = Static<typeof Agent>

export const CreateAgentBody = Body({
  name: Name,
  provider: Provider,
  model: Type.Optional(Nullable(Model)),
  system_prompt: Type.Optional(SystemPrompt),
  is_primary: Type.Optional(Type.Boolean({ description: 'The first agent of an instance is always its primary one.' })),
  temperature: Type.Optional(Nullable(Temperature)),
  tools: Type.Optional(Tools),
  limits: Type.Optional(Limits),
  price: Type.Optional(Nullable(Price)),
})
export type CreateAgentBody = Static<typeof CreateAgentBody>

export const UpdateAgentBody = Body({
  name: Type.Optional(Name),
  provider: Type.Optional(Provider),
  model: Type.Optional(Nullable(Model)),
  system_prompt: Type.Optional(SystemPrompt),
  is_primary: Type.Optional(
    Type.Boolean({ description: 'true: the agent that was primary before no longer is. false is refused for it.' }),
  ),
  temperature: Type.Optional(Nullable(Temperature)),
  tools: Type.Optional(Tools),
  limits: Type.Optional(Limits),
  price: Type.Optional(Nullable(Price)),
})
export type UpdateAgentBody = Static<typeof UpdateAgentBody>

/** Settings of an agent that is tried before they are saved. */
export const AgentDraft = Type.Object(
  {
    name: Type.Optional(Name),
    provider: Type.Optional(Provider),
    model: Type.Optional(Nullable(Model)),
    system_prompt: Type.Optional(SystemPrompt),
    temperature: Type.Optional(Nullable(Temperature)),
    tools: Type.Optional(Tools),
  },
  {
    additionalProperties: false,
    description: 'Tried in place of what is saved. Nothing is saved. Default: the agent as it is saved.',
  },
)
export type AgentDraft = Static<typeof AgentDraft>

const StageName = Type.String({ minLength: 1, maxLength: LIMITS.aiNameLength, examples: ['Qualify'] })
const Objective = Type.String({
  minLength: 1,
  maxLength: LIMITS.aiObjectiveLength,
  description: 'What the agent tries to reach in this stage.',
})
const ExitCriteria = Type.String({
  minLength: 1,
  maxLength: LIMITS.aiObjectiveLength,
  description: 'When the conversation moves on to another stage.',
})

export const Stage = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: StageName,
  objective: Objective,
  position: Type.Integer({ minimum: 1, description: 'From 1. A conversation begins in the first stage.' }),
  exit_criteria: Nullable(ExitCriteria),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Stage = Static<typeof Stage>

export const CreateStageBody = Body({
  name: StageName,
  objective: Objective,
  exit_criteria: Type.Optional(Nullable(ExitCriteria)),
})
export type CreateStageBody = Static<typeof CreateStageBody>

export const UpdateStageBody = Body({
  name: Type.Optional(StageName),
  objective: Type.Optional(Objective),
  exit_criteria: Type.Optional(Nullable(ExitCriteria)),
})
export type UpdateStageBody = Static<typeof UpdateStageBody>

const Clock = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['08:00'] })
const ClockEnd = Type.String({ pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$', examples: ['18:00'] })

export const BusinessHours = Type.Object(
  {
    start: Clock,
    end: ClockEnd,
    days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      description: '1 is Monday, 7 is Sunday.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'When the agent answers. A message that arrives outside of these hours is answered when they begin, unless a ' +
      'person did so before. An end before the start is on the next day, which need not be listed in `days`. null: always.',
  },
)
export type BusinessHours = Static<typeof BusinessHours>

const settingsFields = {
  enabled: Type.Boolean({ description: 'Whether the primary agent answers the chats of this instance.' }),
  timezone: TimeZone('Of business hours, quiet hours and the days of limits.'),
  business_hours: Nullable(BusinessHours),
  debounce_seconds: Type.Integer({
    minimum: 0,
    maximum: 120,
    description: 'How long the agent waits for further messages before it answers them together.',
  }),
  max_replies_per_hour: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description: 'Of a single chat. At the limit the agent hands over.',
  }),
  pause_on_human_minutes: Type.Integer({
    minimum: 1,
    maximum: 43_200,
    description: 'How long the agent stays silent in a chat after a person has written in it, or after it handed over.',
  }),
  ignore_groups: Type.Boolean({ description: 'true: the agent does not answer in groups.' }),
  answer_over_linked_number: Type.Boolean({
    description:
      'true: while this number cannot send, because Meta takes no payment or restricts it, the agent answers over the instance it is fused with, if that one can send. Follow-ups wait. `null` in a request: as `PATCH /v1/ai-settings` says for the account.',
  }),
}

const Handoff = Type.Object(
  {
    keywords: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: LIMITS.aiKeywords,
      uniqueItems: true,
      description: 'A message that contains one of them goes to a person. Case and accents do not matter.',
    }),
    message: Nullable(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.aiAnswerLength,
        description: 'What the person reads then. null: a polite sentence in their language.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const AiSettings = Type.Object({
  ...settingsFields,
  answer_over_linked_number_source: Type.Enum(['account', 'number'], {
    description:
      'Who decides `answer_over_linked_number`: the account, or this number, which has a setting of its own.',
  }),
  handoff: Handoff,
  updated_at: Nullable(Timestamp),
})
export type AiSettings = Static<typeof AiSettings>

export const UpdateAiSettingsBody = Body({
  enabled: Type.Optional(settingsFields.enabled),
  timezone: Type.Optional(settingsFields.timezone),
  business_hours: Type.Optional(settingsFields.business_hours),
  debounce_seconds: Type.Optional(settingsFields.debounce_seconds),
  max_replies_per_hour: Type.Optional(settingsFields.max_replies_per_hour),
  pause_on_human_minutes: Type.Optional(settingsFields.pause_on_human_minutes),
  ignore_groups: Type.Optional(settingsFields.ignore_groups),
  answer_over_linked_number: Type.Optional(Nullable(settingsFields.answer_over_linked_number)),
  handoff: Type.Optional(
    Body({
      keywords: Type.Optional(Handoff.properties.keywords),
      message: Type.Optional(Handoff.properties.message),
    }),
  ),
})
export type UpdateAiSettingsBody = Static<typeof UpdateAiSettingsBody>

const accountFields = {
  answer_over_linked_number: Type.Boolean({
    description:
      'true: while a number cannot send, because Meta takes no payment or restricts it, its agent answers over the instance it is fused with. Numbers with a setting of their own keep it.',
  }),
}
export const AccountAiSettings = Type.Object({ ...accountFields, updated_at: Nullable(Timestamp) })
export type AccountAiSettings = Static<typeof AccountAiSettings>
export const UpdateAccountAiSettingsBody = Body({
  answer_over_linked_number: Type.Optional(accountFields.answer_over_linked_number),
})
export type UpdateAccountAiSettingsBody = Static<typeof UpdateAccountAiSettingsBody>

export const QuietHours = Type.Object(
  { start: Clock, end: Clock },
  {
    additionalProperties: false,
    description: 'When no follow-up is sent; one that is due then is sent at the end. null: none.',
  },
)
export type QuietHours = Static<typeof QuietHours>

const followUpFields = {
  enabled: Type.Boolean(),
  max_followups: Type.Integer({ minimum: 0, maximum: 10, description: 'In a row, without an answer.' }),
  delays_minutes: Type.Array(Type.Integer({ minimum: 1, maximum: 43_200 }), {
    minItems: 1,
    maxItems: 10,
    description: 'How long after the last message each follow-up is sent. The last one holds for all further ones.',
  }),
  quiet_hours: Nullable(QuietHours),
  message: Nullable(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.aiAnswerLength,
      description:
        'What a follow-up says. null: the agent writes it; `builtin` asks whether the person has further questions.',
    }),
  ),
  template: Nullable(
    Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 512 }),
        language: Type.String({ minLength: 2, maxLength: 20, examples: ['pt_BR'] }),
      },
      {
        additionalProperties: false,
        description:
          'official: an approved template without variables, for follow-ups more than 24 hours after the person’s last ' +
          'message. null: no follow-up is sent then.',
      },
    ),
  ),
}

export const FollowUp = Type.Object({ ...followUpFields, updated_at: Nullable(Timestamp) })
export type FollowUp = Static<typeof FollowUp>

export const UpdateFollowUpBody = Body({
  enabled: Type.Optional(followUpFields.enabled),
  max_followups: Type.Optional(followUpFields.max_followups),
  delays_minutes: Type.Optional(followUpFields.delays_minutes),
  quiet_hours: Type.Optional(followUpFields.quiet_hours),
  message: Type.Optional(followUpFields.message),
  template: Type.Optional(followUpFields.template),
})
export type UpdateFollowUpBody = Static<typeof UpdateFollowUpBody>

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
