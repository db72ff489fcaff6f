import { Type, type Static } from 'typebox'
import { BrandInput, Branding, themeOf } from '../../contract/brand.ts'
import { FEATURES } from '../../contract/features.ts'
import { ExternalRef } from '../../contract/instance.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { ACCEPTED_SCOPES } from '../../contract/scopes.ts'
import { Body, List, Nullable, PageSize, Timestamp, Uuid, TimeZone } from '../../contract/shapes.ts'
import { USAGE_EXAMPLE } from '../usage/contract.ts'
import { UsageQuery, UsageRow, UsageTotals, USAGE_COLUMNS } from '../../contract/usage.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    agency: true
  }
}

const Name = Type.String({
  minLength: 1,
  maxLength: LIMITS.accountNameLength,
  pattern: '\\S',
  description: 'Must not be blank.',
})
const Status = Type.Enum(['active', 'suspended'], {
  description: '`suspended`: sends nothing, its access links are closed, and its webhooks wait. Nothing is lost.',
})
const Slots = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: 'How many instances the sub-account may have.',
})
const Features = Type.Array(Type.Enum([...FEATURES]), {
  uniqueItems: true,
  description: 'What the sub-account may use besides numbers, messages and webhooks.',
})
const UsageZone = Nullable(TimeZone('In which its days of usage begin. null: that of the settings.'))

export const SubAccount = Type.Object({
  id: Uuid,
  name: Name,
  external_ref: Nullable(ExternalRef),
  status: Status,
  slots_allocated: Slots,
  slots_used: Type.Integer({ description: 'Its instances.' }),
  features: Features,
  timezone: UsageZone,
  created_at: Timestamp,
})
export type SubAccount = Static<typeof SubAccount>

const SlotCounts = Type.Object({
  total: Type.Integer({ description: 'The pool.' }),
  used: Type.Integer({ description: 'Slots given to sub-accounts, and own instances.' }),
  free: Type.Integer(),
})

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

const Client = Type.Object({
  id: Uuid,
  name: Name,
  display_name: Nullable(Type.String({ description: 'Of its brand.' })),
  color: Nullable(Type.String({ description: 'Of its brand: marks the account while somebody works in it.' })),
  external_ref: Nullable(ExternalRef),
  status: Status,
  slots_allocated: Slots,
  slots_used: Type.Integer(),
  connected: Type.Integer({ description: 'Instances that are connected.' }),
  trouble: Type.Object({
    offline: Type.Integer({ description: 'Instances that were connected and are not.' }),
    signed_out: Type.Integer({ description: 'Instances whose session the network ended.' }),
    webhooks: Type.Integer({ description: 'Webhooks that were deactivated after failures.' }),
  }),
  sends_today: Type.Integer({ description: 'In its own time zone.' }),
  features: Features,
  members: Type.Integer({ description: 'People who can sign in.' }),
  created_at: Timestamp,
})
export type Client = Static<typeof Client>

const ID = '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21'
const ACCOUNT_EXAMPLE = {
  ...{ id: ID, name: 'North bakery', external_ref: 'crm-481', status: 'active', slots_allocated: 5, slots_used: 2 },
  ...{ features: ['campaigns', 'ai', 'mcp'], timezone: 'America/Sao_Paulo', created_at: '2026-03-01T09:30:00.000Z' },
} as const
const KEY_EXAMPLE = {
  ...{ id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'Their CRM', last4: 'k3Zq' },
  ...{ scopes: ['instances:read', 'messages:send'], allowed_instance_ids: null, expires_at: null },
  ...{ last_used_at: null, revoked_at: null, created_at: '2026-03-01T09:30:00.000Z' },
} as const
const BRAND_EXAMPLE = {
  ...{ display_name: 'North agency', logo: null, colors: { primary: '#0f766e' } },
  ...{ support_url: 'https://north.example/help', allowed_origins: ['https://app.north.example'] },
  theme: themeOf({ primary: '#0f766e' }),
} as const

const reading = { scope: 'agency:read', reach: 'account', origin: 'ours' } as const
const managing = { scope: 'agency:manage', reach: 'account', origin: 'ours' } as const
const PATH = '/v1/agency/accounts/{account_id}'

export const agencyContract = {
  getAgency: operation({
    ...reading,
    id: 'getAgency',
    effects: [],
    method: 'GET',
    path: '/v1/agency',
    summary: 'Read the agency',
    description: 'Its pool of slots and its brand. A sub-account reads its own.',
    reply: {
      status: 200,
      description: 'The agency.',
      schema: Type.Object({ name: Name, slots: SlotCounts, branding: Branding }),
    },
    errors: [],
    examples: {
      reply: { name: 'North agency', slots: { total: 100, used: 37, free: 63 }, branding: BRAND_EXAMPLE },
    },
    tool: { name: 'get_agency', title: 'Read the agency', idempotent: true, onRequest: true },
  }),
  updateBranding: operation({
    ...managing,
    id: 'updateBranding',
    effects: ['destination'],
    method: 'PATCH',
    path: '/v1/agency/branding',
    summary: 'Change the brand',
    description:
      'Changes the fields that are sent; null clears one. The brand is on access links and on the console that members see. ' +
      'What a sub-account does not set itself is inherited.',
    body: Body(BrandInput),
    reply: { status: 200, description: 'The brand.', schema: Branding },
    errors: [],
    examples: { body: { display_name: 'North agency', colors: { primary: '#0f766e' } }, reply: BRAND_EXAMPLE },
    // A logo is no argument for an assistant.
    tool: null,
  }),
  listSubAccounts: operation({
    ...reading,
    id: 'listSubAccounts',
    effects: [],
    method: 'GET',
    path: '/v1/agency/accounts',
    summary: 'List sub-accounts',
    description: 'The accounts that the agency has opened for its clients, newest first.',
    query: Type.Object({
      status: Type.Optional(Status),
      external_ref: Type.Optional(ExternalRef),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of sub-accounts.', schema: List(SubAccount) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [ACCOUNT_EXAMPLE], next_cursor: null, has_more: false } },
    tool: {
      ...{ name: 'list_sub_accounts', title: 'List sub-accounts', idempotent: true },
      onRequest: true,
    },
  }),
  createSubAccount: operation({
    ...managing,
    id: 'createSubAccount',
    effects: ['access'],
    method: 'POST',
    path: '/v1/agency/accounts',
    summary: 'Create a sub-account',
    description:
      'An account of its own: keys, events, webhooks, contacts and campaigns of one account are invisible to every other, ' +
      'also to its agency. Without `features`, it may use all of them. Sub-accounts cannot have sub-accounts.',
    idempotencyKey: true,
    body: Body({
      name: Name,
      external_ref: Type.Optional(Nullable(ExternalRef)),
      slots_allocated: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
      features: Type.Optional(Features),
      timezone: Type.Optional(UsageZone),
    }),
    reply: { status: 201, description: 'The sub-account.', schema: SubAccount },
    errors: ['external_ref_conflict', 'no_free_slot', 'invalid_state'],
    examples: { body: { name: 'North bakery', slots_allocated: 5 }, reply: { ...ACCOUNT_EXAMPLE, slots_used: 0 } },
    tool: null,
  }),
  getSubAccount: operation({
    ...reading,
    id: 'getSubAccount',
    effects: [],
    method: 'GET',
    path: PATH,
    summary: 'Read a sub-account',
    description: 'Its state, its slots, and the features it may use.',
    reply: { status: 200, description: 'The sub-account.', schema: SubAccount },
    errors: [],
    examples: { reply: ACCOUNT_EXAMPLE },
    tool: { name: 'get_sub_account', title: 'Read a sub-account', idempotent: true, onRequest: true },
  }),
  updateSubAccount: operation({
    ...managing,
    id: 'updateSubAccount',
    effects: ['access'],
    method: 'PATCH',
    path: PATH,
    summary: 'Change a sub-account',
    description:
      'Name, external_ref, features and time zone; null clears external_ref and timezone. A feature that is taken away is ' +
      'refused from the next request on.',
    body: Body({
      name: Type.Optional(Name),
      external_ref: Type.Optional(Nullable(ExternalRef)),
      features: Type.Optional(Features),
      timezone: Type.Optional(UsageZone),
    }),
    reply: { status: 200, description: 'The sub-account.', schema: SubAccount },
    errors: ['external_ref_conflict'],
    examples: {
      body: { features: ['campaigns', 'mcp'] },
      reply: { ...ACCOUNT_EXAMPLE, features: ['campaigns', 'mcp'] },
    },
    tool: null,
  }),
  deleteSubAccount: operation({
    ...managing,
    id: 'deleteSubAccount',
    effects: ['removal'],
    confirm: 'always',
    method: 'DELETE',
    path: PATH,
    summary: 'Delete a sub-account',
    description:
      'Irreversible. Its keys stop working, its members are signed out and its webhooks are removed. It must have no ' +
      'instances: delete or transfer them first. What it used stays in the usage reports.',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: ['invalid_state'],
    examples: {},
    tool: null,
  }),
  suspendSubAccount: operation({
    ...managing,
    id: 'suspendSubAccount',
    effects: ['removal'],
    method: 'POST',
    path: `${PATH}/suspend`,
    summary: 'Suspend a sub-account',
    description:
      'It sends nothing any more: calls that reach people answer 403 `account_suspended`, campaigns pause, and access ' +
      'links are closed. Voice calls in progress are hung up with the end reason `account_suspended`. Numbers stay ' +
      'connected; what arrives is kept, and webhook deliveries wait. Repeating it changes nothing.',
    reply: { status: 200, description: 'The sub-account.', schema: SubAccount },
    errors: [],
    examples: { reply: { ...ACCOUNT_EXAMPLE, status: 'suspended' } },
    tool: null,
  }),
  activateSubAccount: operation({
    ...managing,
    id: 'activateSubAccount',
    effects: ['people'],
    method: 'POST',
    path: `${PATH}/activate`,
    summary: 'Activate a sub-account',
    description:
      'Ends a suspension: campaigns go on, waiting deliveries are made, and access links that have not expired open again.',
    reply: { status: 200, description: 'The sub-account.', schema: SubAccount },
    errors: [],
    examples: { reply: ACCOUNT_EXAMPLE },
    tool: null,
  }),
  setSubAccountSlots: operation({
    ...managing,
    id: 'setSubAccountSlots',
    effects: [],
    method: 'PUT',
    path: `${PATH}/slots`,
    summary: 'Set the slots of a sub-account',
    description:
      'Not below the number of its instances, and not beyond what is free in the pool, unless the setting ' +
      '`agency.overcommit` is on.',
    body: Body({ slots_allocated: Slots }),
    reply: { status: 200, description: 'The sub-account.', schema: SubAccount },
    errors: ['no_free_slot'],
    examples: { body: { slots_allocated: 8 }, reply: { ...ACCOUNT_EXAMPLE, slots_allocated: 8 } },
    tool: null,
  }),
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
    // Its answer is a credential.
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
  transferInstance: operation({
    ...managing,
    id: 'transferInstance',
    effects: ['access'],
    method: 'POST',
    path: '/v1/agency/instances/{id}/transfer',
    summary: 'Transfer an instance',
    description:
      'Moves an instance between the agency and its sub-accounts, or between two of them, without a new pairing: it keeps ' +
      'its id and its session, and takes its messages, files and the contacts it has talked with along. ' +
      'Links that could connect it end: access links, its onboarding link and links to confirm a passkey. ' +
      'Keys of the old account lose it, and lists of restricted keys no longer have it. The old account gets ' +
      '`instance.deleted`, the new one `instance.created`, and `instance.connected` if it is. Deliveries of earlier events ' +
      'stay with the account that had it. Its own webhook is removed, because it leads to the old owner. ' +
      'Its line settings are reset: if it had a proxy, it reconnects without one. ' +
      'Its AI agents, what they know and what they have said go along, and so do its calls, recordings and widgets. ' +
      'What is of the old account does not: keys of AI providers, HTTP tools of agents, CRM connections, the SIP trunk, ' +
      'the voice package and addresses for call summaries. Calls that run are hung up, and scheduled ones are canceled ' +
      'with `instance_transferred`.',
    body: Body({ account_id: Uuid }),
    reply: {
      status: 200,
      description: 'The instance, in its new account.',
      schema: Type.Object({
        id: Uuid,
        name: Type.String(),
        account_id: Uuid,
        previous_account_id: Uuid,
        external_ref: Nullable(ExternalRef),
        transferred_at: Timestamp,
      }),
    },
    errors: ['external_ref_conflict', 'no_free_slot', 'invalid_state'],
    examples: {
      body: { account_id: ID },
      reply: {
        ...{ id: '019b8d40-3c1e-7a52-8f63-1d2c3b4a5968', name: 'Front desk', account_id: ID },
        previous_account_id: '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a20',
        ...{ external_ref: null, transferred_at: '2026-03-01T09:30:00.000Z' },
      },
    },
    tool: null,
  }),
  getAgencyUsage: operation({
    ...reading,
    id: 'getAgencyUsage',
    effects: [],
    method: 'GET',
    path: '/v1/agency/usage',
    summary: 'Read the usage of all accounts',
    description:
      'One row for each account, instance and day that used anything, and the totals: of the agency and of its sub-accounts, ' +
      'deleted ones included. With `Accept: text/csv`, the rows as CSV. What an instance used before a transfer stays with ' +
      'the account that had it.',
    query: Type.Object({
      ...UsageQuery.properties,
      account_id: Type.Optional({ ...Uuid, description: 'Only this sub-account.' }),
    }),
    reply: {
      status: 200,
      description: 'Rows by account and day, and the totals.',
      schema: Type.Object({ data: Type.Array(UsageRow), totals: UsageTotals }),
      csv: { example: USAGE_COLUMNS.join(',') },
    },
    errors: ['not_found'],
    examples: {
      reply: {
        data: [
          { account_id: ID, instance_id: '019b8d40-3c1e-7a52-8f63-1d2c3b4a5968', day: '2026-03-01', ...USAGE_EXAMPLE },
        ],
        totals: USAGE_EXAMPLE,
      },
    },
    tool: {
      ...{ name: 'get_agency_usage', title: 'Read the usage of all accounts', idempotent: true },
      onRequest: true,
    },
  }),
  listClients: operation({
    id: 'listClients',
    effects: [],
    method: 'GET',
    path: '/v1/agency/clients',
    summary: 'List clients with their state',
    description: 'Sub-accounts for the window, by name: numbers connected, sends today, and what is in trouble.',
    ...{ scope: null, reach: 'account', origin: 'ours', audience: 'console', role: 'operator' },
    query: Type.Object({
      q: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name or of external_ref.' })),
      status: Type.Optional(Status),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of clients.', schema: List(Client) },
    errors: ['invalid_cursor'],
    examples: {
      reply: {
        data: [
          {
            ...{ id: ID, name: 'North bakery', display_name: null, color: '#0f766e', external_ref: 'crm-481' },
            ...{ status: 'active', slots_allocated: 5, slots_used: 2, connected: 1, sends_today: 84, members: 1 },
            ...{ trouble: { offline: 1, signed_out: 0, webhooks: 0 }, features: ['campaigns', 'mcp'] },
            created_at: '2026-03-01T09:30:00.000Z',
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
    tool: null,
  }),
} as const satisfies Contract
