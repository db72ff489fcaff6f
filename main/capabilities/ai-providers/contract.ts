import { Type, type Static } from 'typebox'
import { KeyedProvider } from '../../contract/ai.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Nullable, Timestamp } from '../../contract/shapes.ts'

const ProviderKey = Type.Object({
  provider: KeyedProvider,
  configured: Type.Boolean(),
  verified: Nullable(
    Type.Boolean({
      description:
        'Whether the provider accepted the key when it was stored. false: the provider could not be reached.',
    }),
  ),
  base_url: Nullable(Type.String({ description: 'null: the public address of the provider.' })),
  updated_at: Nullable(Timestamp),
})
export type ProviderKey = Static<typeof ProviderKey>

export const PutProviderKeyBody = Body({
  api_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.aiProviderKeyLength,
      description:
        'Required, except for a `custom` server that asks for none. Without it, a stored key stays as long as `base_url` names the same server.',
    }),
  ),
  base_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description:
        'Where the provider’s API is, up to and without `/chat/completions`. Required for `custom`. https and public. ' +
        'The operator may choose an address in `egress.trusted_ranges` in the window.',
      examples: ['https://llm.example.com/v1'],
    }),
  ),
})
export type PutProviderKeyBody = Static<typeof PutProviderKeyBody>

const Model = Type.Object({
  id: Type.String(),
  input_per_million_usd: Nullable(Type.Number()),
  output_per_million_usd: Nullable(Type.Number()),
})
export type ProviderModel = Static<typeof Model>

const LocalServer = Type.Object({
  kind: Type.Enum(['ollama', 'lm_studio', 'sandbox'], {
    description: '`sandbox`: the simulated model of Switchboard, for trying things out.',
  }),
  base_url: Type.String({ description: 'For `PUT …/provider-keys/custom`.' }),
  models: Type.Array(Type.String()),
})
export type LocalServer = Static<typeof LocalServer>

const EXAMPLE = {
  provider: 'openai',
  configured: true,
  verified: true,
  base_url: null,
  updated_at: '2026-03-01T09:30:00.000Z',
} as const satisfies ProviderKey

const common = { reach: 'instance', origin: 'ours' } as const
const inWindow = { ...common, audience: 'console', role: 'member', tool: null } as const

export const aiProvidersContract = {
  listProviderKeys: operation({
    ...common,
    id: 'listProviderKeys',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/provider-keys',
    summary: 'List provider keys',
    description: 'Which providers this instance has a key for. Keys are write-only: no part of one is ever returned.',
    scope: 'ai:read',
    reply: {
      status: 200,
      description: 'Every provider.',
      schema: Type.Object({ data: Type.Array(ProviderKey) }),
    },
    errors: [],
    examples: { reply: { data: [EXAMPLE] } },
    // Assistants must not change provider keys.
    tool: null,
  }),

  putProviderKey: operation({
    ...common,
    id: 'putProviderKey',
    effects: ['destination'],
    method: 'PUT',
    path: '/v1/instances/{id}/ai/provider-keys/{provider}',
    summary: 'Store a provider key',
    description:
      'Stores the key of a provider, encrypted, in place of an earlier one. The key is checked with the provider: one ' +
      'that it refuses is not stored. If the provider cannot be reached, the key is stored with `verified: false`.',
    scope: 'ai:write',
    origin: 'spec',
    noStore: true,
    body: PutProviderKeyBody,
    reply: { status: 200, description: 'The key was stored.', schema: ProviderKey },
    errors: ['not_found', 'invalid_url', 'sealed'],
    examples: { body: { api_key: 'sk-example' }, reply: EXAMPLE },
    // Assistants must not change provider keys.
    tool: null,
  }),

  deleteProviderKey: operation({
    ...common,
    id: 'deleteProviderKey',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/provider-keys/{provider}',
    summary: 'Delete a provider key',
    description: 'Agents of the provider hand over to a person until there is a key again. Repeating the call is fine.',
    scope: 'ai:write',
    worksWhenFull: true,
    reply: { status: 204, description: 'There is no key.', schema: null },
    errors: ['not_found'],
    examples: {},
    // Assistants must not change provider keys.
    tool: null,
  }),

  listProviderModels: operation({
    ...inWindow,
    id: 'listProviderModels',
    effects: ['outbound'],
    method: 'GET',
    path: '/v1/instances/{id}/ai/providers/{provider}/models',
    summary: 'List the models of a provider',
    description: 'Asks the provider, with the stored key. Prices are those of Switchboard’s price list.',
    scope: 'ai:read',
    reply: {
      status: 200,
      description: 'Its models that can chat, by name.',
      schema: Type.Object({ data: Type.Array(Model) }),
    },
    errors: ['not_found', 'provider_key_missing', 'upstream_unavailable', 'sealed'],
    examples: {
      reply: { data: [{ id: 'gpt-5-mini', input_per_million_usd: 0.25, output_per_million_usd: 2 }] },
    },
  }),

  findLocalModels: operation({
    ...inWindow,
    role: 'operator',
    id: 'findLocalModels',
    effects: [],
    method: 'POST',
    path: '/v1/instances/{id}/ai/local-models',
    summary: 'Find models on this computer',
    description: 'Looks for Ollama and LM Studio on their usual ports, and for the simulated model.',
    scope: 'ai:read',
    reply: {
      status: 200,
      description: 'The servers that answered.',
      schema: Type.Object({ data: Type.Array(LocalServer) }),
    },
    errors: [],
    examples: {
      reply: { data: [{ kind: 'ollama', base_url: 'http://127.0.0.1:11434/v1', models: ['llama3.2:3b'] }] },
    },
  }),
} as const satisfies Contract
