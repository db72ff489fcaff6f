import { Type, type Static } from 'typebox'
import { themeOf } from '../../../contract/brand-theme.ts'
import { BrandInput, Branding } from '../../../contract/brand.ts'
import { ExternalRef } from '../../../contract/instance.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, List, Nullable, PageSize, Timestamp, Uuid, TimeZone } from '../../../contract/shapes.ts'
import { Name, Status, Slots, Features, ID, reading, managing, PATH } from './parts.ts'

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
const ACCOUNT_EXAMPLE = {
  ...{ id: ID, name: 'North bakery', external_ref: 'crm-481', status: 'active', slots_allocated: 5, slots_used: 2 },
  ...{ features: ['campaigns', 'ai', 'mcp'], timezone: 'America/Sao_Paulo', created_at: '2026-03-01T09:30:00.000Z' },
} as const
const BRAND_EXAMPLE = {
  ...{ display_name: 'North agency', logo: null, colors: { primary: '#0f766e' } },
  ...{ support_url: 'https://north.example/help', allowed_origins: ['https://app.north.example'] },
  theme: themeOf({ primary: '#0f766e' }),
} as const

export const accountsContract = {
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
    // An assistant cannot pass a logo as an argument.
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
} as const satisfies Contract
