import { Type, type Static } from 'typebox'
import { Currency, INTERVALS } from './billing-words.ts'
import { Body, Nullable, Timestamp, Uuid } from './shapes.ts'

/** What an agency bills to its clients through its own Stripe account. */

/** Counters that can be billed by usage, per day. */
const METERED = ['sent', 'received', 'calls', 'call_seconds', 'ai_tokens'] as const
export type Metered = (typeof METERED)[number]

/** How many counted units a price may cover: 60 seconds are a minute. */
export const UNITS_OF = {
  sent: [1],
  received: [1],
  calls: [1],
  call_seconds: [1, 60],
  ai_tokens: [1, 1_000],
} as const satisfies Readonly<Record<Metered, readonly number[]>>
export type UnitsOfPrice = (typeof UNITS_OF)[Metered][number]

/** Languages of the console. */
export const INVOICE_LANGUAGES = ['en', 'es', 'pt-BR'] as const
export type InvoiceLanguage = (typeof INVOICE_LANGUAGES)[number]

export const AgencyBilling = Type.Object({
  enabled: Type.Boolean(),
  mode: Type.Enum(['sandbox', 'live'], { description: '`sandbox`: a simulated Stripe account; no money moves.' }),
  restricted_key_last4: Nullable(Type.String()),
  ready: Type.Boolean({ description: 'Whether invoices can be made.' }),
  clients: Type.Integer({ description: 'Sub-accounts that are billed.' }),
})
export type AgencyBilling = Static<typeof AgencyBilling>

export const AgencyBillingBody = Body({
  enabled: Type.Optional(Type.Boolean()),
  mode: Type.Optional(Type.Enum(['sandbox', 'live'])),
  restricted_key: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^(rk|sk)_(live|test)_[A-Za-z0-9_]{8,200}$',
        description: 'A restricted key of the agency’s own Stripe account. Never shown again. `null` removes it.',
      }),
    ),
  ),
})
export type AgencyBillingBody = Static<typeof AgencyBillingBody>

const terms = {
  amount_cents: Type.Integer({ minimum: 0, maximum: 99_999_999, description: 'For each period.' }),
  currency: Currency,
  interval: Type.Enum([...INTERVALS]),
  email: Type.String({ format: 'email', maxLength: 254, description: 'Where Stripe sends the invoices.' }),
  language: Type.Enum([...INVOICE_LANGUAGES], {
    description:
      'Of the invoices, and of Stripe’s emails and pages about them. Without it: `en`. Invoices that were sent do not change.',
  }),
  tax: Nullable(
    Type.Object(
      {
        type: Type.String({ pattern: '^[a-z]{2}_[a-z_]{2,20}$', examples: ['br_cnpj', 'eu_vat'] }),
        value: Type.String({ minLength: 3, maxLength: 40 }),
      },
      { additionalProperties: false, description: 'As Stripe names its types. It is printed on the invoices.' },
    ),
  ),
  metered: Type.Array(
    Type.Object(
      {
        counter: Type.Enum([...METERED]),
        unit_amount_cents: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'For each unit.' }),
      },
      { additionalProperties: false },
    ),
    {
      maxItems: METERED.length,
      description:
        'What is charged by use, at the end of each period, as far as the price is for one unit and in whole cents. `usage_prices` has all prices.',
    },
  ),
  usage_prices: Type.Array(
    Type.Object(
      {
        counter: Type.Enum([...METERED]),
        per: Type.Enum([1, 60, 1_000], {
          description:
            'How many counted units the amount is for. `1` for each of them; `60` for a minute of `call_seconds`, `1000` for a thousand `ai_tokens`.',
        }),
        amount_cents_decimal: Type.String({
          // Above 0, and 1,000,000 at most.
          pattern: String.raw`^([1-9]\d{0,5}(\.\d{1,4})?|1000000|0\.([1-9]\d{0,3}|0[1-9]\d{0,2}|00[1-9]\d?|000[1-9]))$`,
          description:
            'In the smallest unit of the currency, with up to four decimals: `0.01` is 0.0001 USD. Text, so that nothing is rounded.',
          examples: ['0.01', '2'],
        }),
      },
      { additionalProperties: false },
    ),
    {
      maxItems: METERED.length,
      description:
        'What is charged by use, at the end of each period. The use of the whole period is added up, and a started minute or thousand is charged as a whole one. The amount of a line is rounded once, half up, to the smallest unit of the currency.',
    },
  ),
}

const messageCosts = Nullable(
  Type.Object(
    {
      markup_percent: Type.Integer({
        minimum: 0,
        maximum: 1_000,
        description: 'What you add to the costs of each day. `0`: the client pays what Meta charges.',
      }),
    },
    {
      additionalProperties: false,
      description:
        'Puts what Meta charges for the messages of the client on its invoices, as `GET /v1/usage/costs` counts it. Each day of UTC is reported two hours after its end, with the rates and the mark-up of that moment; later corrections of rates change no reported day. `null`: not charged.',
    },
  ),
)

const Left = Type.Object({
  currency: Currency,
  amount_micros: Type.Integer({ minimum: 0, description: 'In millionths of the currency.' }),
})

export const ClientBillingBody = Body({
  ...terms,
  message_costs: Type.Optional(messageCosts),
  language: Type.Optional(terms.language),
  tax: Type.Optional(terms.tax),
  metered: Type.Optional(terms.metered),
  usage_prices: Type.Optional(terms.usage_prices),
})
export type ClientBillingBody = Static<typeof ClientBillingBody>

export const ClientBilling = Type.Object({
  account_id: Uuid,
  ...terms,
  message_costs: messageCosts,
  message_costs_left_out: Type.Array(Left, {
    description:
      'Costs of the last 31 reported days that are on no invoice of the client, because they are in another currency than its invoices. Empty without `message_costs`.',
  }),
  status: Type.Enum(['pending', 'active', 'past_due', 'failed'], {
    description:
      '`pending`: Stripe has not confirmed it yet. `failed`: Stripe refused it, `error` says why; change the terms to try again.',
  }),
  error: Nullable(Type.String()),
  usage_reported_until: Nullable(Type.String({ description: 'The last day whose use is at Stripe: YYYY-MM-DD.' })),
  current_period_end: Nullable(Timestamp),
  updated_at: Timestamp,
})
export type ClientBilling = Static<typeof ClientBilling>

export const CLIENT_BILLING_EXAMPLE: ClientBilling = {
  account_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  amount_cents: 4_900,
  currency: 'brl',
  interval: 'month',
  email: 'billing@client.example',
  language: 'pt-BR',
  tax: { type: 'br_cnpj', value: '01.234.456/5432-10' },
  metered: [{ counter: 'sent', unit_amount_cents: 2 }],
  usage_prices: [
    { counter: 'sent', per: 1, amount_cents_decimal: '2' },
    { counter: 'ai_tokens', per: 1_000, amount_cents_decimal: '0.25' },
  ],
  message_costs: { markup_percent: 15 },
  message_costs_left_out: [],
  status: 'active',
  error: null,
  usage_reported_until: '2026-03-01',
  current_period_end: '2026-04-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
}
