import { Type } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body } from '../../../contract/shapes.ts'
import { CARD, CHECKOUT, PURCHASE } from '../../../contract/billing-examples.ts'
import { Card, CardBody, Checkout, FaultBody, Purchase, SandboxClock } from '../../../contract/billing.ts'

const ofTheSandbox = { scope: 'instances:write', reach: 'account', origin: 'ours', tool: null } as const

export const sandboxContract = {
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
