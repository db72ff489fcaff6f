import { Type, type Static } from 'typebox'
import { APPROVAL_POLICIES } from '../../contract/approval.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { ACCEPTED_SCOPES, SCOPES } from '../../contract/scopes.ts'
import { Body, List, Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    keys: true
    account: true
  }
}

const Me = Type.Object({
  account: Type.Object({ id: Uuid, name: Type.String() }),
  scopes: Type.Array(Type.Enum([...ACCEPTED_SCOPES]), {
    description: 'As the key was created: older words such as `instances:manage` stay, and equal their `:write` scope.',
  }),
  allowed_instance_ids: Nullable(
    Type.Array(Uuid, { description: 'The only instances this key reaches. null: all instances of the account.' }),
  ),
  key: Nullable(
    Type.Object({
      id: Uuid,
      name: Type.String(),
      last4: Type.String({ description: 'Last four characters of the key.' }),
      expires_at: Nullable(Timestamp),
    }),
  ),
})

const Scopes = Type.Array(Type.Enum([...ACCEPTED_SCOPES]), { minItems: 1, uniqueItems: true })
const Name = Type.String({ minLength: 1, maxLength: LIMITS.keyNameLength, description: 'What the key is for.' })
const RatePerMinute = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests per minute; null: the setting of the service.',
  }),
)

const AsksBefore = Type.Enum([...APPROVAL_POLICIES], {
  description:
    'Which calls of an AI assistant (over MCP) need a person to approve them in the window. `destructive`: calls that ' +
    'remove or end something, change where data goes, send it out, give access, connect a number or spend money. ' +
    '`sending`: those, and calls that reach people. Calls over HTTP are never held.',
})

const keyFields = {
  id: Uuid,
  name: Name,
  last4: Type.String({ description: 'Last four characters of the key.' }),
  scopes: Scopes,
  allowed_instance_ids: Nullable(Type.Array(Uuid, { description: 'null: all instances of the account.' })),
  rate_per_minute: RatePerMinute,
  approval: AsksBefore,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(
    Type.String({ format: 'date-time', description: 'At most a minute behind; null: never used.' }),
  ),
  revoked_at: Nullable(Type.String({ format: 'date-time', description: 'From then on nobody can use it.' })),
  created_at: Timestamp,
}
const Key = Type.Object(keyFields)
export type Key = Static<typeof Key>

const KEY_EXAMPLE = {
  id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30',
  name: 'CRM',
  last4: 'k3Zq',
  scopes: ['instances:read', 'messages:send'],
  allowed_instance_ids: null,
  rate_per_minute: null,
  approval: 'none',
  expires_at: null,
  last_used_at: '2026-03-01T09:30:00.000Z',
  revoked_at: null,
  created_at: '2026-02-01T08:00:00.000Z',
} as const

const SignedIn = Type.Object({
  id: Type.String({ description: 'Names the session; it opens nothing.' }),
  signed_in_at: Timestamp,
  last_used_at: Type.String({ format: 'date-time', description: 'At most a minute behind.' }),
  current: Type.Boolean({ description: 'The one that asks.' }),
  member: Nullable(
    Type.String({ description: 'Who is signed in; null: the operator, or the password of the account.' }),
  ),
  address: Nullable(Type.String({ description: 'IP address from which they signed in.' })),
  browser: Nullable(Type.String({ description: 'Such as `Chrome on Windows`.' })),
})

/** Only people create and revoke keys, in the window or at the terminal; a key cannot. */
const ofTheConsole = {
  scope: null,
  reach: 'account',
  origin: 'ours',
  audience: 'console',
  role: 'member',
  tool: null,
} as const

export const accountContract = {
  getMe: operation({
    id: 'getMe',
    effects: [],
    method: 'GET',
    path: '/v1/me',
    summary: 'Read the calling key',
    description:
      'The account the key belongs to, what the key may do (`scopes`) and where (`allowed_instance_ids`, null means ' +
      'all instances). Works with every valid key, whatever its scopes: a good first call to test a key.',
    scope: null,
    reach: 'key',
    origin: 'spec',
    reply: { status: 200, description: 'The account and the key.', schema: Me },
    errors: [],
    examples: {
      reply: {
        account: { id: '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21', name: 'My agency' },
        scopes: SCOPES.slice(0, 4),
        allowed_instance_ids: null,
        key: { id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'CRM', last4: 'k3Zq', expires_at: null },
      },
    },
    tool: { name: 'get_me', title: 'Read the calling key', idempotent: true },
  }),
  updateAccount: operation({
    ...ofTheConsole,
    id: 'updateAccount',
    effects: [],
    method: 'PATCH',
    path: '/v1/account',
    summary: 'Change the account',
    description:
      'Changes the name shown in the window and in `GET /v1/me`, or ends the first run. An empty body changes nothing.',
    body: Body({
      name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.accountNameLength,
          pattern: '\\S',
          description: 'Must not be blank.',
        }),
      ),
      first_run: Type.Optional(Type.Literal(false, { description: 'Windows stop opening with the welcome screen.' })),
    }),
    reply: { status: 200, description: 'The account.', schema: Type.Object({ id: Uuid, name: Type.String() }) },
    errors: [],
    examples: {
      body: { name: 'North agency' },
      reply: { id: '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21', name: 'North agency' },
    },
  }),
  listSessions: operation({
    ...ofTheConsole,
    id: 'listSessions',
    effects: [],
    method: 'GET',
    path: '/v1/account/sessions',
    summary: 'List who is signed in',
    description: 'The browsers in which the console is signed in, the last used first.',
    reply: { status: 200, description: 'The sessions.', schema: Type.Object({ data: Type.Array(SignedIn) }) },
    errors: [],
    examples: {
      reply: {
        data: [
          {
            id: '3f6c1e0b9a27d458',
            signed_in_at: '2026-03-01T08:00:00.000Z',
            last_used_at: '2026-03-01T09:30:00.000Z',
            current: true,
            ...{ member: 'Ana Souza', address: '203.0.113.7', browser: 'Chrome on Windows' },
          },
        ],
      },
    },
  }),
  endSession: operation({
    ...ofTheConsole,
    id: 'endSession',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/account/sessions/{id}',
    summary: 'Sign a browser out',
    description:
      'Its session ends immediately, and that browser has to sign in again. Repeating the call changes nothing.',
    reply: { status: 204, description: 'Signed out.', schema: null },
    errors: [],
    examples: {},
  }),
  endOtherSessions: operation({
    ...ofTheConsole,
    id: 'endOtherSessions',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/account/sessions',
    summary: 'Sign all other browsers out',
    description: 'Every session ends but the one that asks. From the desktop app, which has none, all of them end.',
    reply: {
      status: 200,
      description: 'How many there were.',
      schema: Type.Object({ ended: Type.Integer({ minimum: 0 }) }),
    },
    errors: [],
    examples: { reply: { ended: 2 } },
  }),
  listApiKeys: operation({
    ...ofTheConsole,
    id: 'listApiKeys',
    effects: [],
    method: 'GET',
    path: '/v1/keys',
    summary: 'List API keys',
    description: 'Newest first, revoked and expired ones included. The keys themselves are stored nowhere.',
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.pageSize, default: LIMITS.pageSizeDefault })),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of keys.', schema: List(Key) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [KEY_EXAMPLE], next_cursor: null, has_more: false } },
  }),
  createApiKey: operation({
    ...ofTheConsole,
    id: 'createApiKey',
    effects: ['access'],
    method: 'POST',
    path: '/v1/keys',
    summary: 'Create an API key',
    description:
      'Takes effect with the next request. The key itself is shown only in this answer; if you lose it, create another one.',
    noStore: true,
    body: Body({
      name: Name,
      scopes: Scopes,
      allowed_instance_ids: Type.Optional(Nullable(Type.Array(Uuid, { minItems: 1, uniqueItems: true }))),
      rate_per_minute: Type.Optional(RatePerMinute),
      approval: Type.Optional(AsksBefore),
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
      body: { name: 'CRM', scopes: ['instances:read', 'messages:send'] },
      reply: { ...KEY_EXAMPLE, last_used_at: null, key: 'swb_5Q0h3vKk9bYt2mWcXr8LzP1nDfGsJa4eUo7i2Vk3Zq' },
    },
  }),
  revokeApiKey: operation({
    ...ofTheConsole,
    id: 'revokeApiKey',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/keys/{id}',
    summary: 'Revoke an API key',
    description:
      'It stops working with the next request and stays in the list. Streams and downloads that it has open end, and its ' +
      'calls that wait for approval are refused. What was created with it ends as well, unless you keep it: keys, access ' +
      'links, CRM webhook secrets, and onboarding links of official numbers. An onboarding page it has seen gets a new ' +
      'address, and a CRM webhook whose secret has ended waits for a new one. Repeating it changes nothing.',
    query: Type.Object({
      created: Type.Optional(
        Type.Enum(['revoke', 'keep'], {
          default: 'revoke',
          description: '`keep`: what was created with this key stays.',
        }),
      ),
    }),
    reply: { status: 204, description: 'Revoked.', schema: null },
    errors: [],
    examples: {},
  }),
} as const satisfies Contract
