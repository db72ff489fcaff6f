import { Type } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, List } from '../../../contract/shapes.ts'
import { HISTORY, INVOICE, OVERVIEW, PREVIEW, SUBSCRIPTION } from '../../../contract/billing-examples.ts'
import {
  BillingOverview,
  HistoryEntry,
  Invoice,
  Preview,
  PreviewBody,
  Subscription,
} from '../../../contract/billing.ts'
import { ofTheConsole, PageQuery, ORDER } from './parts.ts'

export const subscriptionContract = {
  getBillingOverview: operation({
    ...ofTheConsole,
    id: 'getBillingOverview',
    effects: [],
    method: 'GET',
    path: '/v1/billing/overview',
    summary: 'Read everything about billing',
    description: 'Subscription, plan, card, usage against limits with a forecast, and what needs attention.',
    reply: { status: 200, description: 'The overview.', schema: BillingOverview },
    errors: [],
    examples: { reply: OVERVIEW },
  }),

  previewPurchase: operation({
    ...ofTheConsole,
    id: 'previewPurchase',
    effects: [],
    method: 'POST',
    path: '/v1/billing/previews',
    summary: 'Preview a purchase',
    description:
      'The exact amount due today, from the payment provider, with its lines. Charges and stores nothing. `blocked` says why it cannot be bought.',
    body: PreviewBody,
    reply: { status: 200, description: 'The preview.', schema: Preview },
    errors: ['not_found', 'billing_unavailable'],
    examples: { body: ORDER, reply: PREVIEW },
  }),

  listInvoices: operation({
    ...ofTheConsole,
    id: 'listInvoices',
    effects: [],
    method: 'GET',
    path: '/v1/billing/invoices',
    summary: 'List invoices',
    description:
      'Invoices of the account, newest first, with links to the page and the PDF at the payment provider. For the ' +
      'account of a client: those that its agency sent it.',
    query: PageQuery,
    reply: { status: 200, description: 'A page of invoices.', schema: List(Invoice) },
    errors: ['invalid_cursor', 'billing_unavailable'],
    examples: { reply: { data: [INVOICE], next_cursor: null, has_more: false } },
  }),

  listBillingHistory: operation({
    ...ofTheConsole,
    id: 'listBillingHistory',
    effects: [],
    method: 'GET',
    path: '/v1/billing/history',
    summary: 'List what happened',
    description: 'Purchases, renewals, failed payments, plan changes and refunds, newest first.',
    query: PageQuery,
    reply: { status: 200, description: 'A page of entries.', schema: List(HistoryEntry) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [HISTORY], next_cursor: null, has_more: false } },
  }),

  createPortalSession: operation({
    ...ofTheConsole,
    id: 'createPortalSession',
    effects: ['access'],
    method: 'POST',
    path: '/v1/billing/portal-sessions',
    summary: 'Open the billing portal',
    description: 'A page at the payment provider to change cards, tax data and the subscription. It expires soon.',
    reply: { status: 201, description: 'The page.', schema: Type.Object({ url: Type.String() }) },
    errors: ['billing_unavailable'],
    examples: { reply: { url: 'https://billing.stripe.com/p/session/live_a1B2c3' } },
  }),

  createCardSetup: operation({
    ...ofTheConsole,
    id: 'createCardSetup',
    effects: ['money'],
    method: 'POST',
    path: '/v1/billing/card-setups',
    summary: 'Save a card',
    description: 'A page at the payment provider to enter a card that later purchases charge. Charges nothing.',
    reply: { status: 201, description: 'The page.', schema: Type.Object({ url: Type.String() }) },
    errors: ['billing_unavailable'],
    examples: { reply: { url: 'https://checkout.stripe.com/c/pay/cs_live_a1B2c3' } },
  }),

  removeCard: operation({
    ...ofTheConsole,
    id: 'removeCard',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/billing/card',
    summary: 'Remove the saved card',
    description: 'Purchases then answer 402 `no_saved_card`, and the next renewal fails unless a card is saved before.',
    reply: { status: 204, description: 'There is no saved card.', schema: null },
    errors: ['billing_unavailable'],
    examples: {},
  }),

  updateSubscription: operation({
    ...ofTheConsole,
    id: 'updateSubscription',
    effects: ['removal', 'money'],
    method: 'PATCH',
    path: '/v1/billing/renewal',
    summary: 'End or keep the plan',
    description: '`cancel_at_period_end: true` ends the plan after the period that is paid; `false` keeps it.',
    body: Body({ cancel_at_period_end: Type.Optional(Type.Boolean()) }),
    reply: { status: 200, description: 'The subscription.', schema: Subscription },
    errors: ['invalid_state', 'billing_unavailable'],
    examples: { body: { cancel_at_period_end: false }, reply: SUBSCRIPTION },
  }),
} as const satisfies Contract
