import { operation, type Contract } from '../../../contract/operation.ts'
import { List } from '../../../contract/shapes.ts'
import { CATALOGUE, CHECKOUT, PURCHASE, SUBSCRIPTION } from '../../../contract/billing-examples.ts'
import { Catalogue, Checkout, CheckoutBody, OrderBody, Purchase, Subscription } from '../../../contract/billing.ts'
import { PageQuery, ORDER } from './parts.ts'

const reads = { scope: 'billing:read', reach: 'account' } as const
const buys = { scope: 'billing:purchase', reach: 'account', method: 'POST', origin: 'spec' } as const

export const purchasesContract = {
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
} as const satisfies Contract
