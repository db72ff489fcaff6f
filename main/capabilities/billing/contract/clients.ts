import { operation, type Contract } from '../../../contract/operation.ts'
import { List } from '../../../contract/shapes.ts'
import { INVOICE } from '../../../contract/billing-examples.ts'
import { Invoice } from '../../../contract/billing.ts'
import {
  AgencyBilling,
  AgencyBillingBody,
  CLIENT_BILLING_EXAMPLE,
  ClientBilling,
  ClientBillingBody,
} from '../../../contract/client-billing.ts'
import { PageQuery } from './parts.ts'

const ofAnAgency = { scope: 'agency:manage', reach: 'account', origin: 'ours' } as const
const AGENCY = {
  ...{ enabled: true, mode: 'sandbox', restricted_key_last4: null, ready: true, clients: 3 },
} as const

export const clientsContract = {
  getAgencyBilling: operation({
    ...ofAnAgency,
    id: 'getAgencyBilling',
    effects: [],
    scope: 'agency:read',
    method: 'GET',
    path: '/v1/agency/billing',
    summary: 'Read how clients are billed',
    description: 'Whether the agency bills its sub-accounts through a Stripe account of its own. Off by default.',
    reply: { status: 200, description: 'The settings.', schema: AgencyBilling },
    errors: [],
    examples: { reply: AGENCY },
    tool: {
      name: 'get_agency_billing',
      title: 'Read how clients are billed',
      idempotent: true,
      onRequest: true,
    },
  }),

  updateAgencyBilling: operation({
    ...ofAnAgency,
    id: 'updateAgencyBilling',
    effects: ['destination'],
    method: 'PATCH',
    path: '/v1/agency/billing',
    summary: 'Change how clients are billed',
    description:
      'Turns billing of sub-accounts on or off, and sets the restricted key of your own Stripe account, which is stored encrypted. While it is off nothing new is reported or changed at Stripe. The mode can be changed while no client is billed.',
    body: AgencyBillingBody,
    reply: { status: 200, description: 'The settings.', schema: AgencyBilling },
    errors: ['invalid_state', 'sealed'],
    examples: { body: { enabled: true }, reply: AGENCY },
    // Credentials must not pass through an assistant.
    tool: null,
  }),

  getClientBilling: operation({
    ...ofAnAgency,
    id: 'getClientBilling',
    effects: [],
    scope: 'agency:read',
    method: 'GET',
    path: '/v1/agency/accounts/{account_id}/billing',
    summary: 'Read what a client pays',
    description: 'The terms of a sub-account, and whether Stripe has them. A sub-account that is not billed: 404.',
    reply: { status: 200, description: 'The terms.', schema: ClientBilling },
    errors: [],
    examples: { reply: CLIENT_BILLING_EXAMPLE },
    tool: {
      name: 'get_client_billing',
      title: 'Read what a client pays',
      idempotent: true,
      onRequest: true,
    },
  }),

  setClientBilling: operation({
    ...ofAnAgency,
    id: 'setClientBilling',
    effects: ['money'],
    method: 'PUT',
    path: '/v1/agency/accounts/{account_id}/billing',
    summary: 'Set what a client pays',
    description:
      'Bills the sub-account for each period through your own Stripe account: Stripe sends an invoice, due within 14 days, with the tax id on it. What is charged by use is reported once for each day and charged at the end of the period; `usage_prices` has prices down to 0.0001 of a currency unit, for each minute or each 1,000 tokens too. A price that is in both `metered` and `usage_prices` is charged once. Changed terms take effect immediately, prorated.',
    body: ClientBillingBody,
    reply: { status: 200, description: 'The terms; `pending` until Stripe has them.', schema: ClientBilling },
    errors: ['invalid_state', 'billing_unavailable', 'sealed'],
    examples: {
      body: {
        ...{ amount_cents: 4_900, currency: 'brl', interval: 'month', email: 'billing@client.example' },
        usage_prices: [{ counter: 'ai_tokens', per: 1_000, amount_cents_decimal: '0.25' }],
      },
      reply: CLIENT_BILLING_EXAMPLE,
    },
    // Its invoices go to customers, so a person must set them up.
    tool: null,
  }),

  removeClientBilling: operation({
    ...ofAnAgency,
    id: 'removeClientBilling',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/agency/accounts/{account_id}/billing',
    summary: 'Stop billing a client',
    description: 'Ends the subscription at your Stripe account. What is left is invoiced; earlier invoices stay there.',
    reply: { status: 204, description: 'The client is not billed any more.', schema: null },
    errors: [],
    examples: {},
    tool: null,
  }),

  listClientInvoices: operation({
    ...ofAnAgency,
    id: 'listClientInvoices',
    effects: [],
    scope: 'agency:read',
    method: 'GET',
    path: '/v1/agency/accounts/{account_id}/invoices',
    summary: 'List invoices of a client',
    description: 'Invoices of a sub-account at your Stripe account, newest first, with links to the page and the PDF.',
    query: PageQuery,
    reply: { status: 200, description: 'A page of invoices.', schema: List(Invoice) },
    errors: ['invalid_cursor', 'invalid_state', 'billing_unavailable', 'sealed'],
    examples: { reply: { data: [INVOICE], next_cursor: null, has_more: false } },
    tool: {
      name: 'list_client_invoices',
      title: 'List invoices of a client',
      idempotent: true,
      onRequest: true,
    },
  }),
} as const satisfies Contract
