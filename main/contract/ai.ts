import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Body, Nullable, Timestamp } from './shapes.ts'

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
