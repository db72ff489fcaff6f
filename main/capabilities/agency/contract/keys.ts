import { Type, type Static } from 'typebox'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { ACCEPTED_SCOPES } from '../../../contract/scopes.ts'
import { Body, List, Nullable, PageSize, Timestamp, Uuid } from '../../../contract/shapes.ts'
import { reading, managing, PATH } from './parts.ts'

const KeyName = Type.String({ minLength: 1, maxLength: LIMITS.keyNameLength, description: 'What the key is for.' })
const Scopes = Type.Array(Type.Enum([...ACCEPTED_SCOPES]), {
  minItems: 1,
  uniqueItems: true,
  description: 'Only scopes that the calling key has.',
})
const keyFields = {
  id: Uuid,
  name: KeyName,
  last4: Type.String({ description: 'Last four characters of the key.' }),
  scopes: Scopes,
  allowed_instance_ids: Nullable(Type.Array(Uuid, { description: 'null: all instances of the sub-account.' })),
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(
    Type.String({ format: 'date-time', description: 'At most a minute behind; null: never used.' }),
  ),
  revoked_at: Nullable(Timestamp),
  created_at: Timestamp,
}
export type SubAccountKey = Static<typeof SubAccountKey>
const SubAccountKey = Type.Object(keyFields)
const KEY_EXAMPLE = {
  ...{ id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'Their CRM', last4: 'k3Zq' },
  ...{ scopes: ['instances:read', 'messages:send'], allowed_instance_ids: null, expires_at: null },
  ...{ last_used_at: null, revoked_at: null, created_at: '2026-03-01T09:30:00.000Z' },
} as const

export const keysContract = {
  listSubAccountKeys: operation({
    ...reading,
    id: 'listSubAccountKeys',
    effects: [],
    method: 'GET',
    path: `${PATH}/keys`,
    summary: 'List keys of a sub-account',
    description: 'Newest first, revoked and expired ones included. The keys themselves are stored nowhere.',
    query: Type.Object({
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of keys.', schema: List(SubAccountKey) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [KEY_EXAMPLE], next_cursor: null, has_more: false } },
    tool: null,
  }),
  createSubAccountKey: operation({
    ...managing,
    id: 'createSubAccountKey',
    effects: ['access'],
    method: 'POST',
    path: `${PATH}/keys`,
    summary: 'Create a key of a sub-account',
    description:
      'Works in that account only. It can have no scope that the calling key lacks. The key itself is shown only in this answer.',
    noStore: true,
    body: Body({
      name: KeyName,
      scopes: Scopes,
      allowed_instance_ids: Type.Optional(Nullable(Type.Array(Uuid, { minItems: 1, uniqueItems: true }))),
      expires_at: Type.Optional(
        Nullable(Type.String({ format: 'date-time', description: 'In the future; null: it does not expire.' })),
      ),
    }),
    reply: {
      status: 201,
      description: 'The new key, with its value.',
      schema: Type.Object({
        ...keyFields,
        key: Type.String({ pattern: '^swb_', description: 'Send it as `Authorization: Bearer`. Shown only now.' }),
      }),
    },
    errors: [],
    examples: {
      body: { name: 'Their CRM', scopes: ['instances:read', 'messages:send'] },
      reply: { ...KEY_EXAMPLE, key: 'swb_5Q0h3vKk9bYt2mWcXr8LzP1nDfGsJa4eUo7i2Vk3Zq' },
    },
    // The answer contains a credential.
    tool: null,
  }),
  deleteSubAccountKey: operation({
    ...managing,
    id: 'deleteSubAccountKey',
    effects: ['removal'],
    method: 'DELETE',
    path: `${PATH}/keys/{key_id}`,
    summary: 'Revoke a key of a sub-account',
    description: 'It stops working with the next request and stays in the list. Repeating it changes nothing.',
    reply: { status: 204, description: 'Revoked.', schema: null },
    errors: [],
    examples: {},
    tool: null,
  }),
} as const satisfies Contract
