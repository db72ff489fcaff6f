import { Type, type Static } from 'typebox'
import { ExternalRef } from '../../../contract/instance.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, List, Nullable, PageSize, Timestamp, Uuid } from '../../../contract/shapes.ts'
import { USAGE_EXAMPLE } from '../../usage/contract.ts'
import { UsageQuery, UsageRow, UsageTotals, USAGE_COLUMNS } from '../../../contract/usage.ts'
import { Name, Status, Slots, Features, ID, reading, managing } from './parts.ts'

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
    numbers: Type.Integer({ description: 'Other instances that need a person.' }),
    chats: Type.Integer({ description: 'Chats that wait for a person.' }),
    webhooks: Type.Integer({ description: 'Webhooks that were deactivated after failures.' }),
    overdue: Type.Integer({ description: '1 if an invoice of the agency is overdue, otherwise 0.' }),
  }),
  sends_today: Type.Integer({ description: 'In its own time zone.' }),
  features: Features,
  members: Type.Integer({ description: 'People who can sign in.' }),
  created_at: Timestamp,
})
export type Client = Static<typeof Client>

export const clientsContract = {
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
            ...{
              trouble: { offline: 1, signed_out: 0, numbers: 0, chats: 0, webhooks: 0, overdue: 0 },
              features: ['campaigns', 'mcp'],
            },
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
