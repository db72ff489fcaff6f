import { Type, type Static } from 'typebox'
import { Nullable } from './shapes.ts'

/** Constants and types of billing that the room, the payment adapter and the window share. */

export const INTERVALS = ['month', 'year'] as const
export type Interval = (typeof INTERVALS)[number]

export const PRODUCT_KINDS = ['slot', 'voice_package', 'addon'] as const
export type ProductKind = (typeof PRODUCT_KINDS)[number]

export const SUBSCRIPTION_STATUSES = ['none', 'active', 'past_due', 'frozen'] as const

export const PURCHASE_STATUSES = ['processing', 'paid', 'failed'] as const

export const CHECKOUT_STATUSES = ['open', 'paid', 'expired'] as const

/** Why a purchase failed, or needs a person. */
export const PURCHASE_FAILURES = [
  'card_declined',
  'card_expired',
  'payment_action_required',
  'no_saved_card',
  'not_charged',
  'price_changed',
  'amount_mismatch',
  'canceled',
] as const
export type PurchaseFailure = (typeof PURCHASE_FAILURES)[number]

/** Faults of the simulated payment provider, and how often they occur. */
export const BILLING_FAULTS = [
  'close_before_read',
  'close_after_read',
  'slow',
  'server_error',
  'duplicate_callbacks',
  'reorder_callbacks',
  'lose_callbacks',
] as const
export type BillingFault = (typeof BILLING_FAULTS)[number]

/** Settings of the provider that live billing requires. */
const BILLING_MISSING = ['restricted_key', 'webhook_secret', 'price', 'permission', 'callback_address'] as const

/**
 * Something that live billing lacks. `code` and `params` describe it exactly; results of an earlier version have
 * none.
 */
export const MissingThing = Type.Object({
  what: Type.Enum([...BILLING_MISSING]),
  message: Type.String(),
  code: Type.Optional(
    Type.Enum([
      ...['no_key', 'key_refused', 'no_secret', 'unchecked', 'no_address', 'no_permission'],
      ...['no_price', 'wrong_interval', 'other_currency'],
    ]),
  ),
  params: Type.Optional(Type.Record(Type.String(), Type.String())),
})
export type MissingThing = Static<typeof MissingThing>

export const Money = Type.Integer({ description: 'In the smallest unit of the currency: 1900 is 19.00 USD.' })
export const Currency = Type.String({
  pattern: '^[a-z]{3}$',
  description: 'ISO 4217, in lower case.',
  examples: ['usd', 'brl'],
})

export const Price = Type.Object({
  amount_cents: Money,
  currency: Currency,
  interval: Nullable(Type.Enum([...INTERVALS], { description: 'How often it is charged. `null`: once.' })),
})
export type Price = Static<typeof Price>
