import { Type } from 'typebox'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, List, PageSize } from '../../contract/shapes.ts'
import {
  CARD,
  CATALOGUE,
  CHECKOUT,
  HISTORY,
  INVOICE,
  OVERVIEW,
  PREVIEW,
  PROVIDER,
  PURCHASE,
  SUBSCRIPTION,
} from '../../contract/billing-examples.ts'
import {
  BillingOverview,
  Card,
  CardBody,
  Catalogue,
  Checkout,
  FaultBody,
  HistoryEntry,
  Invoice,
  CheckoutBody,
  OrderBody,
  Preview,
  PreviewBody,
  ProviderBody,
  ProviderSettings,
  Purchase,
  SandboxClock,
  Subscription,
} from '../../contract/billing.ts'

import {
  AgencyBilling,
  AgencyBillingBody,
  CLIENT_BILLING_EXAMPLE,
  ClientBilling,
  ClientBillingBody,
} from '../../contract/client-billing.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    billing: true
  }
}

const reads = { scope: 'billing:read', reach: 'account' } as const
const buys = { scope: 'billing:purchase', reach: 'account', method: 'POST', origin: 'spec' } as const
const ofTheConsole = {
  scope: null,
  reach: 'account',
  origin: 'ours',
  audience: 'console',
  role: 'member',
  tool: null,
} as const
const ofTheOperator = { ...ofTheConsole, role: 'operator' } as const
const ofAnAgency = { scope: 'agency:manage', reach: 'account', origin: 'ours' } as const
const AGENCY = {
  ...{ enabled: true, mode: 'sandbox', restricted_key_last4: null, ready: true, clients: 3 },
} as const
const ofTheSandbox = { scope: 'instances:write', reach: 'account', origin: 'ours', tool: null } as const

const PageQuery = Type.Object({
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
})

const ORDER = { plan: 'growth' }

export const billingContract = {
  listBillingPlans: operation({
    ...reads,
    id: 'listBillingPlans',
    effects: [],
    method: 'GET',
    path: '/v1/billing/plans',
    summary: 'List plans and products',
    description:
      'What the account can buy: plans, and products with their tiers. `has_saved_card` says whether a purchase can charge a card; if not, use a checkout.',
    origin: 'spec',
    reply: { status: 200, description: 'The catalogue.', schema: Catalogue },
    errors: ['billing_unavailable'],
    examples: { reply: CATALOGUE },
    tool: {
      name: 'list_billing_plans',
      title: 'List plans and products',
      idempotent: true,
      onRequest: true,
    },
  }),

  getSubscription: operation({
    ...reads,
    id: 'getSubscription',
    effects: [],
    method: 'GET',
    path: '/v1/billing/subscription',
    summary: 'Read the subscription',
    description: 'The plan of the account, its slots, and whether it is paid.',
    origin: 'ours',
    reply: { status: 200, description: 'The subscription.', schema: Subscription },
    errors: [],
    examples: { reply: SUBSCRIPTION },
    tool: {
      name: 'get_subscription',
      title: 'Read the subscription',
      idempotent: true,
      onRequest: true,
    },
  }),

  listPurchases: operation({
    ...reads,
    id: 'listPurchases',
    effects: [],
    method: 'GET',
    path: '/v1/billing/purchases',
    summary: 'List purchases',
    description: 'Purchases and paid checkouts of the account, newest first. Renewals are not purchases.',
    origin: 'ours',
    query: PageQuery,
    reply: { status: 200, description: 'A page of purchases.', schema: List(Purchase) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [PURCHASE], next_cursor: null, has_more: false } },
    tool: { name: 'list_purchases', title: 'List purchases', idempotent: true, onRequest: true },
  }),

  getPurchase: operation({
    ...reads,
    id: 'getPurchase',
    effects: [],
    method: 'GET',
    path: '/v1/billing/purchases/{purchase_id}',
    summary: 'Read a purchase',
    description: 'One purchase. While it is `processing`, read it again until it is `paid` or `failed`.',
    origin: 'ours',
    reply: { status: 200, description: 'The purchase.', schema: Purchase },
    errors: [],
    examples: { reply: PURCHASE },
    tool: { name: 'get_purchase', title: 'Read a purchase', idempotent: true, onRequest: true },
  }),

  createPurchase: operation({
    ...buys,
    id: 'createPurchase',
    effects: ['money'],
    path: '/v1/billing/purchases',
    summary: 'Buy a plan or a product',
    description: [
      'Charges the saved card of the account and provisions what was bought. Buying another plan changes the plan: you pay the difference for the rest of the period, and a smaller plan gives credit. A plan with fewer slots than are in use: 409 `invalid_state` with the count.',
      'Without a saved card: 402 `no_saved_card`. If the bank declines: 402 `card_declined`. If it asks the cardholder to confirm: 402 `payment_action_required`, and a checkout does it. Nothing is charged in these cases.',
      'If the provider does not answer, the purchase is `processing`: it is looked up until the outcome is known and never charged twice. Send an `Idempotency-Key` to repeat the call safely.',
    ].join('\n\n'),
    idempotencyKey: true,
    body: OrderBody,
    reply: { status: 201, description: 'The purchase, `paid` or `processing`.', schema: Purchase },
    errors: [
      'no_saved_card',
      'card_declined',
      'payment_action_required',
      'not_found',
      'invalid_state',
      'billing_unavailable',
    ],
    examples: { body: ORDER, reply: PURCHASE },
    tool: {
      name: 'create_purchase',
      title: 'Buy a plan or a product',
      description: 'Charges the saved card. A person has to approve it in the window first, whatever the key allows.',
      idempotent: false,
      onRequest: true,
    },
  }),

  createCheckout: operation({
    ...buys,
    id: 'createCheckout',
    effects: ['money'],
    path: '/v1/billing/checkouts',
    summary: 'Create a checkout',
    description:
      'Creates a hosted payment page for a plan or a product. Nothing is charged until somebody pays on the page. Then the account gets what was bought by itself, once, and the checkout also appears among the purchases. The card is saved for later purchases.',
    idempotencyKey: true,
    body: CheckoutBody,
    reply: { status: 201, description: 'The checkout. Open `checkout_url` in a browser.', schema: Checkout },
    errors: ['not_found', 'invalid_state', 'billing_unavailable'],
    examples: { body: ORDER, reply: CHECKOUT },
    tool: {
      name: 'create_checkout',
      title: 'Create a checkout',
      idempotent: false,
      onRequest: true,
    },
  }),

  getCheckout: operation({
    ...reads,
    id: 'getCheckout',
    effects: [],
    method: 'GET',
    path: '/v1/billing/checkouts/{checkout_id}',
    summary: 'Read a checkout',
    description: '`paid` means that the account has what was bought.',
    origin: 'ours',
    reply: { status: 200, description: 'The checkout.', schema: Checkout },
    errors: [],
    examples: { reply: CHECKOUT },
    tool: { name: 'get_checkout', title: 'Read a checkout', idempotent: true, onRequest: true },
  }),

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

  getBillingProvider: operation({
    ...ofTheOperator,
    id: 'getBillingProvider',
    effects: [],
    method: 'GET',
    path: '/v1/billing/provider',
    summary: 'Read the settings of the payment provider',
    description: 'Which provider charges, and what it still needs. Keys are never shown.',
    reply: { status: 200, description: 'The settings.', schema: ProviderSettings },
    errors: [],
    examples: { reply: PROVIDER },
  }),

  updateBillingProvider: operation({
    ...ofTheOperator,
    id: 'updateBillingProvider',
    effects: ['destination'],
    method: 'PATCH',
    path: '/v1/billing/provider',
    summary: 'Change the settings of the payment provider',
    description:
      'Keys are stored encrypted. In `live` mode nothing is simulated: what is missing makes purchases answer 503 `billing_unavailable`. What an account bought in one mode does not count in the other.',
    body: ProviderBody,
    reply: { status: 200, description: 'The settings.', schema: ProviderSettings },
    errors: ['sealed'],
    examples: { body: { mode: 'live' }, reply: PROVIDER },
  }),

  checkBillingProvider: operation({
    ...ofTheOperator,
    id: 'checkBillingProvider',
    effects: [],
    method: 'POST',
    path: '/v1/billing/provider/check',
    summary: 'Check the payment provider',
    description: 'Asks the provider for every price and permission that is needed, and names what is missing.',
    reply: { status: 200, description: 'The settings, with what was found.', schema: ProviderSettings },
    errors: ['billing_unavailable', 'sealed'],
    examples: { reply: PROVIDER },
  }),

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
    // It takes a credential.
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
    // Invoices go to people; a person sets them up.
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

  getSandboxBillingClock: operation({
    ...ofTheSandbox,
    id: 'getSandboxBillingClock',
    effects: [],
    scope: 'instances:read',
    method: 'GET',
    path: '/v1/sandbox/billing/clock',
    summary: 'Read the clock of simulated billing',
    description: 'The date that renewals and grace periods of the sandbox go by, and how far it is ahead.',
    reply: { status: 200, description: 'The clock.', schema: SandboxClock },
    errors: ['invalid_state'],
    examples: { reply: { now: '2026-04-01T09:30:00.000Z', advanced_days: 31 } },
  }),

  advanceSandboxBillingClock: operation({
    ...ofTheSandbox,
    id: 'advanceSandboxBillingClock',
    effects: ['money'],
    method: 'POST',
    path: '/v1/sandbox/billing/clock',
    summary: 'Advance the clock of simulated billing',
    description:
      'Moves the billing of the account forward, as a test clock at Stripe does: renewals are charged, failed payments are retried, and grace periods end. Nothing else of the account notices. It cannot be moved back.',
    body: Body({ days: Type.Number({ exclusiveMinimum: 0, maximum: 400 }) }),
    reply: { status: 200, description: 'The clock, with everything due until then done.', schema: SandboxClock },
    errors: ['invalid_state'],
    examples: { body: { days: 31 }, reply: { now: '2026-04-01T09:30:00.000Z', advanced_days: 31 } },
  }),

  causeSandboxBillingFault: operation({
    ...ofTheSandbox,
    id: 'causeSandboxBillingFault',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/billing/faults',
    summary: 'Make the simulated payment provider fail',
    description:
      '`close_before_read`: resets the connection before the request has an effect. `close_after_read`: afterwards. `slow`: answers too late. `server_error`: 500. `duplicate_callbacks`, `reorder_callbacks`, `lose_callbacks`: what happens to the next callbacks. Only requests of this account that change something are affected.',
    body: FaultBody,
    reply: {
      status: 200,
      description: 'The fault is set.',
      schema: Type.Object({ kind: FaultBody.properties.kind, times: Type.Integer() }),
    },
    errors: ['invalid_state'],
    examples: { body: { kind: 'close_after_read' }, reply: { kind: 'close_after_read', times: 1 } },
  }),

  setSandboxCard: operation({
    ...ofTheSandbox,
    id: 'setSandboxCard',
    effects: ['money'],
    method: 'PUT',
    path: '/v1/sandbox/billing/card',
    summary: 'Save a test card',
    description: 'Replaces the saved card of the account, as the hosted page does. No money moves.',
    body: CardBody,
    reply: { status: 200, description: 'The saved card.', schema: Card },
    errors: ['card_declined', 'invalid_state'],
    examples: { body: { number: '4242424242424242' }, reply: CARD },
  }),

  paySandboxCheckout: operation({
    ...ofTheSandbox,
    id: 'paySandboxCheckout',
    effects: ['money'],
    method: 'POST',
    path: '/v1/sandbox/billing/checkouts/{checkout_id}/pay',
    summary: 'Pay a checkout with a test card',
    description:
      'Does what a person does on the hosted page. `confirm_challenge` presses the button that a challenge shows; without it such a payment is 402 `payment_action_required`.',
    body: Body({
      ...CardBody.properties,
      confirm_challenge: Type.Optional(Type.Boolean({ default: false })),
    }),
    reply: {
      status: 200,
      description: 'The payment went through. The checkout is `paid` as soon as the callback is processed.',
      schema: Checkout,
    },
    errors: ['card_declined', 'payment_action_required', 'invalid_state'],
    examples: { body: { number: '4242424242424242' }, reply: CHECKOUT },
  }),

  refundSandboxPurchase: operation({
    ...ofTheSandbox,
    id: 'refundSandboxPurchase',
    effects: ['money'],
    method: 'POST',
    path: '/v1/sandbox/billing/purchases/{purchase_id}/refund',
    summary: 'Refund a purchase in the sandbox',
    description:
      'Does what a person does in the dashboard of the payment provider. A product that is refunded in full is taken back; a plan stays until it is canceled.',
    body: Body({ amount_cents: Type.Optional(Type.Integer({ minimum: 1, description: 'Default: all of it.' })) }),
    bodyOptional: true,
    reply: {
      status: 200,
      description: 'The refund was made; the purchase shows it as soon as the callback is processed.',
      schema: Purchase,
    },
    errors: ['invalid_state'],
    examples: { body: { amount_cents: 1_900 }, reply: { ...PURCHASE, refunded_cents: 1_900 } },
  }),
} as const satisfies Contract
