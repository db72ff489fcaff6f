import { Type, type Static } from 'typebox'
import {
  BILLING_FAULTS,
  CHECKOUT_STATUSES,
  Currency,
  MissingThing,
  Money,
  Price,
  PRODUCT_KINDS,
  PURCHASE_FAILURES,
  PURCHASE_STATUSES,
  SUBSCRIPTION_STATUSES,
} from './billing-words.ts'
import { INVOICE_LANGUAGES } from './client-billing.ts'
import { Body, Nullable, Timestamp, Uuid } from './shapes.ts'

/** Schemas of the billing operations. */

export const Plan = Type.Object({
  id: Type.String(),
  name: Type.String(),
  price: Price,
  slots: Type.Integer({ description: 'Instance slots the plan adds.' }),
  features: Type.Array(Type.String(), { description: 'Parts of the product that the plan includes.' }),
  voice_packages: Type.Integer({ description: 'Instances with unlimited calls.' }),
})
export type Plan = Static<typeof Plan>

const Tier = Type.Object({
  id: Type.String(),
  name: Type.String(),
  price: Price,
  quantity: Type.Integer({ description: 'How many slots or packages this tier has.' }),
})

const Product = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: Type.Enum([...PRODUCT_KINDS]),
  tiers: Type.Array(Tier),
})

export const Catalogue = Type.Object({
  has_saved_card: Type.Boolean({
    description: 'Whether a purchase can charge a card now. If not, create a checkout.',
  }),
  currency: Currency,
  plans: Type.Array(Plan),
  products: Type.Array(Product),
})
export type Catalogue = Static<typeof Catalogue>

export const Subscription = Type.Object({
  status: Type.Enum([...SUBSCRIPTION_STATUSES], {
    description:
      '`past_due`: a payment failed, and everything works for seven more days. `frozen`: those days are over. Nothing is deleted and messages are still received, but sends answer 409 `invalid_state` until it is paid.',
  }),
  plan: Nullable(Type.String({ description: 'Id of the plan.' })),
  slots: Type.Integer({ description: 'All slots of the account, with those that no plan pays for.' }),
  features: Type.Array(Type.String()),
  current_period_end: Nullable(Timestamp),
  cancel_at_period_end: Type.Boolean(),
  past_due_since: Nullable(Timestamp),
  frozen_at: Nullable(
    Type.String({ format: 'date-time', description: 'When sends stop, or stopped, unless it is paid.' }),
  ),
})
export type Subscription = Static<typeof Subscription>

export const Purchase = Type.Object({
  id: Type.String({ pattern: '^ord_' }),
  status: Type.Enum([...PURCHASE_STATUSES], {
    description:
      '`processing`: the payment provider has not confirmed the outcome yet. It is looked up until it is known, and never charged again. `failed`: nothing was provided, see `failure_code`. Nothing was charged, except with `amount_mismatch`: refund that payment at the payment provider.',
  }),
  plan: Nullable(Type.String()),
  product: Nullable(Type.String()),
  tier: Nullable(Type.String()),
  instance_id: Nullable(Uuid),
  amount_cents: Money,
  currency: Currency,
  refunded_cents: Money,
  checkout_id: Nullable(Type.String({ description: 'Set if it was paid on a hosted page.' })),
  created_at: Timestamp,
  provisioned_at: Nullable(Type.String({ format: 'date-time', description: 'When the account got what was bought.' })),
  failure_code: Nullable(Type.Enum([...PURCHASE_FAILURES])),
})
export type Purchase = Static<typeof Purchase>

export const Checkout = Type.Object({
  checkout_id: Type.String({ pattern: '^chk_' }),
  checkout_url: Type.String({ description: 'The hosted payment page. Open it in a browser.' }),
  status: Type.Enum([...CHECKOUT_STATUSES]),
  expires_at: Timestamp,
})
export type Checkout = Static<typeof Checkout>

const choice = {
  plan: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Id of a plan.' })),
  product: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Id of a product.' })),
  tier: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Id of a tier of the product. Needed if the product has more than one.',
    }),
  ),
}

const EXACTLY_ONE = 'Exactly one of `plan` and `product`.'

const order = {
  ...choice,
  instance_id: Type.Optional(Type.String({ format: 'uuid', description: 'The instance it is bought for, if any.' })),
}

export const OrderBody = Body(order, { description: EXACTLY_ONE })
export type OrderBody = Static<typeof OrderBody>

export const CheckoutBody = Body(
  {
    ...order,
    language: Type.Optional(
      Type.Enum([...INVOICE_LANGUAGES], {
        description:
          'Of the payment page, and of the invoices and receipts of the account from then on. If absent, the page is in ' +
          'the language of the browser.',
      }),
    ),
  },
  { description: EXACTLY_ONE },
)
export type CheckoutBody = Static<typeof CheckoutBody>

export const PreviewBody = Body(choice, { description: EXACTLY_ONE })
export type PreviewBody = Static<typeof PreviewBody>

const Line = Type.Object({
  description: Type.String({ description: 'As it will be on the invoice, in English.' }),
  amount_cents: Type.Integer({ description: 'Negative for a credit.' }),
  proration: Type.Boolean({ description: 'For the part of the period that is left.' }),
})

export const Preview = Type.Object({
  amount_due_cents: Money,
  currency: Currency,
  lines: Type.Array(Line),
  credit_cents: Type.Integer({ description: 'Credit of the account that pays part of it.' }),
  next_payment: Nullable(Type.Object({ amount_cents: Money, at: Timestamp })),
  change: Type.Enum(['new', 'upgrade', 'downgrade', 'same'], {
    description: 'Compared with the plan of the account. Products are always `new`.',
  }),
  blocked: Nullable(
    Type.Object(
      {
        reason: Type.Enum(['slots_in_use', 'current_plan', 'no_saved_card', 'past_due']),
        message: Type.String(),
        slots_used: Type.Integer(),
        slots_after: Type.Integer(),
      },
      { description: 'Why this cannot be bought now; null if it can.' },
    ),
  ),
})
export type Preview = Static<typeof Preview>

export const Card = Type.Object({
  brand: Type.String({ examples: ['visa'] }),
  last4: Type.String(),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
  expired: Type.Boolean(),
})
export type Card = Static<typeof Card>

const Usage = Type.Object({
  slots: Type.Object({
    used: Type.Integer(),
    total: Type.Integer(),
    full_at: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'When all slots are in use at the pace of the last 30 days. Null while the oldest instance is younger than a week.',
      }),
    ),
    new_30_days: Type.Integer({ description: 'Instances created in the last 30 days that still exist.' }),
  }),
  voice_packages: Type.Object({ total: Type.Integer() }),
  messages: Type.Object({
    sent_this_month: Type.Integer(),
    forecast_this_month: Nullable(
      Type.Integer({ description: 'At the pace of this month so far. Null in the first six days of a month.' }),
    ),
    sent_last_month: Type.Integer(),
  }),
})

const Notice = Type.Object({
  kind: Type.Enum(['payment_failed', 'grace_ends', 'frozen', 'revived', 'card_expires', 'card_expired', 'ends']),
  at: Timestamp,
  days_left: Nullable(Type.Integer()),
})

export const BillingOverview = Type.Object({
  mode: Type.Enum(['sandbox', 'live'], { description: '`sandbox`: no money moves.' }),
  paid_by_agency: Type.Boolean({
    description: 'Whether its agency pays for the account. Then it buys nothing itself.',
  }),
  available: Type.Boolean({ description: 'Whether purchases work. If not, `missing` says why.' }),
  missing: Type.Array(MissingThing),
  now: Type.String({ format: 'date-time', description: 'In the sandbox its clock can be ahead.' }),
  currency: Currency,
  subscription: Subscription,
  plan: Nullable(Plan),
  extras: Type.Array(
    Type.Object({
      product: Type.String(),
      tier: Type.String(),
      name: Type.String(),
      quantity: Type.Integer(),
      price: Price,
      current_period_end: Nullable(Timestamp),
      cancel_at_period_end: Type.Boolean(),
    }),
    { description: 'Products that the account has.' },
  ),
  card: Nullable(Card),
  open_invoice: Nullable(
    Type.Object({ amount_due_cents: Money, currency: Currency, hosted_url: Nullable(Type.String()) }),
  ),
  usage: Usage,
  notices: Type.Array(Notice),
})
export type BillingOverview = Static<typeof BillingOverview>

export const Invoice = Type.Object({
  id: Type.String(),
  number: Nullable(Type.String()),
  status: Type.Enum(['draft', 'open', 'paid', 'uncollectible', 'void']),
  total_cents: Type.Integer(),
  amount_due_cents: Type.Integer(),
  amount_paid_cents: Type.Integer(),
  currency: Currency,
  created_at: Timestamp,
  due_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When it has to be paid, or when its charge failed. Null if neither is known.',
    }),
  ),
  overdue_since: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Since when it should have been paid. Null if it is not overdue.',
    }),
  ),
  period_start: Timestamp,
  period_end: Timestamp,
  description: Type.String({ description: 'The first line.' }),
  hosted_url: Nullable(Type.String({ description: 'A page that shows the invoice and takes a payment.' })),
  pdf_url: Nullable(Type.String()),
})
export type Invoice = Static<typeof Invoice>

export const HISTORY_KINDS = [
  'subscribed',
  'plan_changed',
  'product_bought',
  'renewed',
  'payment_failed',
  'grace_ends',
  'frozen',
  'revived',
  'cancel_scheduled',
  'cancel_undone',
  'ended',
  'refunded',
  'card_saved',
  'card_removed',
  'purchase_failed',
] as const

export const HistoryEntry = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...HISTORY_KINDS]),
  at: Timestamp,
  plan: Nullable(Type.String()),
  product: Nullable(Type.String()),
  tier: Nullable(Type.String()),
  amount_cents: Nullable(Money),
  currency: Nullable(Currency),
  purchase_id: Nullable(Type.String()),
  detail: Nullable(Type.String({ description: 'A code, such as `card_declined`, or the last four digits of a card.' })),
})
export type HistoryEntry = Static<typeof HistoryEntry>

export const ProviderSettings = Type.Object({
  mode: Type.Enum(['sandbox', 'live']),
  restricted_key_last4: Nullable(Type.String()),
  webhook_secret_last4: Nullable(Type.String()),
  prices: Type.Array(
    Type.Object({
      plan: Nullable(Type.String()),
      product: Nullable(Type.String()),
      tier: Nullable(Type.String()),
      name: Type.String(),
      lookup_key: Type.String(),
      /** The provider's price; null if there is none or it was not requested. */
      found: Nullable(Price),
    }),
  ),
  callback_url: Nullable(
    Type.String({ description: 'Enter this at Stripe. null without `public_base_url`: payments are then looked up.' }),
  ),
  ready: Type.Boolean(),
  missing: Type.Array(MissingThing),
  checked_at: Nullable(Timestamp),
})
export type ProviderSettings = Static<typeof ProviderSettings>

export const ProviderBody = Body({
  mode: Type.Optional(Type.Enum(['sandbox', 'live'])),
  restricted_key: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^(rk|sk)_(live|test)_[A-Za-z0-9_]{8,200}$',
        description: 'A restricted key of Stripe. Never shown again. `null` removes it.',
      }),
    ),
  ),
  webhook_secret: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^whsec_[A-Za-z0-9+/=_-]{8,200}$',
        description: 'The signing secret of the webhook endpoint at Stripe. `null` removes it.',
      }),
    ),
  ),
  lookup_keys: Type.Optional(
    Type.Record(Type.String({ maxLength: 130 }), Type.String({ minLength: 1, maxLength: 200 }), {
      description:
        'Lookup keys of prices at Stripe, by plan id or by `product/tier`. Those that are not named keep theirs.',
    }),
  ),
})
export type ProviderBody = Static<typeof ProviderBody>

export const SandboxClock = Type.Object({
  now: Timestamp,
  advanced_days: Type.Number({ description: 'How far it is ahead of the clock of this computer.' }),
})

export const FaultBody = Body({
  kind: Type.Enum([...BILLING_FAULTS]),
  times: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, default: 1, description: 'How many requests or callbacks it affects.' }),
  ),
})

export const CardBody = Body({
  number: Type.String({
    minLength: 12,
    maxLength: 24,
    description:
      'A test card: 4242424242424242 (works), 4000000000000341 (can be saved, then declined), 4000000000003220 (asks the cardholder to confirm each payment), 4000000000000002 (declined) or 4000000000000069 (expired). Any other number is refused and not stored.',
  }),
  exp_month: Type.Optional(Type.Integer({ minimum: 1, maximum: 12, default: 12 })),
  exp_year: Type.Optional(
    Type.Integer({ minimum: 2000, maximum: 2099, description: 'Default: three years from now.' }),
  ),
})
export type CardBody = Static<typeof CardBody>
