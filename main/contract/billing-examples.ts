import type {
  BillingOverview,
  Card,
  Catalogue,
  Checkout,
  Invoice,
  Plan,
  Preview,
  ProviderSettings,
  Purchase,
} from './billing.ts'
import type { HistoryEntry, Subscription } from './billing.ts'

const AT = '2026-03-01T09:30:00.000Z'
const PERIOD_END = '2026-04-01T09:30:00.000Z'
const usd = (amount_cents: number) => ({ amount_cents, currency: 'usd', interval: 'month' }) as const

const PLAN: Plan = {
  id: 'growth',
  name: 'Growth',
  price: usd(7_900),
  slots: 25,
  features: ['campaigns', 'ai', 'voice', 'ghl', 'mcp'],
  voice_packages: 1,
}

export const CATALOGUE: Catalogue = {
  has_saved_card: true,
  currency: 'usd',
  plans: [PLAN],
  products: [
    {
      id: 'slots',
      name: 'Extra slots',
      kind: 'slot',
      tiers: [{ id: '5', name: '5 slots', price: usd(1_900), quantity: 5 }],
    },
  ],
}

export const SUBSCRIPTION: Subscription = {
  status: 'active',
  plan: 'growth',
  slots: 10_025,
  features: ['campaigns', 'ai', 'voice', 'ghl', 'mcp'],
  current_period_end: PERIOD_END,
  cancel_at_period_end: false,
  past_due_since: null,
  frozen_at: null,
}

export const PURCHASE: Purchase = {
  id: 'ord_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
  status: 'paid',
  plan: 'growth',
  product: null,
  tier: null,
  instance_id: null,
  amount_cents: 7_900,
  currency: 'usd',
  refunded_cents: 0,
  checkout_id: null,
  created_at: AT,
  provisioned_at: '2026-03-01T09:30:01.240Z',
  failure_code: null,
}

export const CHECKOUT: Checkout = {
  checkout_id: 'chk_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
  checkout_url: 'https://checkout.stripe.com/c/pay/cs_live_a1B2c3',
  status: 'open',
  expires_at: '2026-03-02T09:30:00.000Z',
}

export const PREVIEW: Preview = {
  amount_due_cents: 6_000,
  currency: 'usd',
  lines: [
    { description: 'Unused time on Starter', amount_cents: -1_900, proration: true },
    { description: 'Remaining time on Growth', amount_cents: 7_900, proration: true },
  ],
  credit_cents: 0,
  next_payment: { amount_cents: 7_900, at: PERIOD_END },
  change: 'upgrade',
  blocked: null,
}

export const CARD: Card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2029, expired: false }

export const OVERVIEW: BillingOverview = {
  mode: 'sandbox',
  paid_by_agency: false,
  available: true,
  missing: [],
  now: AT,
  currency: 'usd',
  subscription: SUBSCRIPTION,
  plan: PLAN,
  extras: [],
  card: CARD,
  open_invoice: null,
  usage: {
    slots: { used: 12, total: 10_025, full_at: null, new_30_days: 2 },
    voice_packages: { total: 1 },
    messages: { sent_this_month: 4_200, forecast_this_month: 9_800, sent_last_month: 8_700 },
  },
  notices: [],
}

export const INVOICE: Invoice = {
  id: 'in_1SxYz2AbCdEf',
  number: 'SWB-0001',
  status: 'paid',
  total_cents: 7_900,
  amount_due_cents: 7_900,
  amount_paid_cents: 7_900,
  currency: 'usd',
  created_at: AT,
  due_at: null,
  overdue_since: null,
  period_start: AT,
  period_end: PERIOD_END,
  description: '1 × Growth (at $79.00 / month)',
  hosted_url: 'https://invoice.stripe.com/i/acct_1/live_a1B2c3',
  pdf_url: 'https://pay.stripe.com/invoice/acct_1/live_a1B2c3/pdf',
}

export const HISTORY: HistoryEntry = {
  id: 'bhy_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
  kind: 'subscribed',
  at: AT,
  plan: 'growth',
  product: null,
  tier: null,
  amount_cents: 7_900,
  currency: 'usd',
  purchase_id: PURCHASE.id,
  detail: null,
}

export const PROVIDER: ProviderSettings = {
  mode: 'live',
  restricted_key_last4: 'k3Qz',
  webhook_secret_last4: null,
  prices: [
    { plan: 'growth', product: null, tier: null, name: 'Growth', lookup_key: 'switchboard_growth', found: usd(7_900) },
  ],
  callback_url: 'https://switchboard.example.com/callbacks/stripe',
  ready: false,
  missing: [{ what: 'webhook_secret', message: 'The signing secret of the webhook endpoint at Stripe is missing.' }],
  checked_at: AT,
}
