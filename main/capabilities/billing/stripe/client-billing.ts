import type Stripe from 'stripe'
import type { Interval } from '../../../contract/billing-words.ts'
import type { InvoiceLanguage } from '../../../contract/client-billing.ts'
import type { Asked } from '../payment-provider.ts'
import type { ReportedCounter, ReportedPrice } from '../usage-prices.ts'
import type { ProviderInvoices } from '../invoices.ts'
import { toInvoice } from './invoice-view.ts'
import { INVOICE_WORDS } from './invoice-words.ts'
import { asked } from './outcome.ts'

/** Prices and currency that a client pays. */
interface ClientTerms {
  readonly clientId: string
  /** Number of changes to the terms; part of every idempotency key. */
  readonly revision: number
  readonly name: string
  readonly email: string
  /** Language of the invoices, and of Stripe’s emails and pages about them. */
  readonly language: InvoiceLanguage
  readonly amount: number
  readonly currency: string
  readonly interval: Interval
  readonly taxId: { readonly type: string; readonly value: string } | null
  readonly metered: readonly ReportedPrice[]
}

export interface ClientState {
  readonly customerId: string
  readonly subscriptionId: string
  readonly isPastDue: boolean
  readonly periodEndMs: number | null
}

export interface ClientBillingProvider {
  /** Applies these terms at Stripe. Repeating it changes nothing. */
  apply(
    terms: ClientTerms,
    known: { customerId: string | null; subscriptionId: string | null },
  ): Promise<Asked<ClientState>>
  state(customerId: string, subscriptionId: string): Promise<Asked<ClientState>>
  /** Invoices the remaining amount and ends the subscription. */
  end(subscriptionId: string): Promise<Asked<null>>
  /** Reports usage; a repeated report does not count twice. */
  report(use: {
    customerId: string
    clientId: string
    counter: ReportedCounter
    day: string
    value: number
    atMs: number
  }): Promise<Asked<null>>
  invoices(customerId: string, page: { after?: string | undefined; rows: number }): Promise<Asked<ProviderInvoices>>
}

const DAYS_TO_PAY = 14

/** An agency's own Stripe account, in which its clients pay their invoices. */
export function createClientBilling(client: () => Promise<Stripe>): ClientBillingProvider {
  const ask = <T>(request: (stripe: Stripe) => Promise<T>): Promise<Asked<T>> =>
    asked(async () => request(await client()))

  return {
    apply: (terms, known) =>
      ask(async (stripe) => {
        const customerId = await customerFor(stripe, terms, known.customerId)
        await putTaxId(stripe, customerId, terms.taxId)
        const prices = await pricesFor(stripe, terms)
        const subscription = await subscriptionFor(stripe, { terms, customerId, prices, known: known.subscriptionId })
        return stateOf(customerId, subscription)
      }),
    state: (customerId, subscriptionId) =>
      ask(async (stripe) => stateOf(customerId, await stripe.subscriptions.retrieve(subscriptionId))),
    end: (subscriptionId) =>
      ask(async (stripe) => {
        const { status } = await stripe.subscriptions.retrieve(subscriptionId)
        if (status === 'canceled') return null
        const key = { idempotencyKey: `client-end:${subscriptionId}` }
        await stripe.subscriptions.cancel(subscriptionId, { prorate: true, invoice_now: true }, key)
        return null
      }),
    report: ({ customerId, clientId, counter, day, value, atMs }) =>
      ask(async (stripe) => {
        const identifier = `${clientId}:${counter}:${day}`
        try {
          await stripe.billing.meterEvents.create({
            event_name: eventOf(counter),
            identifier,
            timestamp: Math.floor(atMs / 1_000),
            payload: { stripe_customer_id: customerId, value: String(value) },
          })
        } catch (error) {
          // An earlier run already reported this day.
          if (!(error instanceof Error && /already exists/.test(error.message))) throw error
        }
        return null
      }),
    invoices: (customerId, { after, rows }) =>
      ask(async (stripe) => {
        const page = await stripe.invoices.list({
          ...{ customer: customerId, limit: rows },
          ...(after !== undefined && { starting_after: after }),
        })
        return { invoices: page.data.map(toInvoice), hasMore: page.has_more }
      }),
  }
}

const eventOf = (counter: ReportedCounter) => `switchboard_${counter}`

async function customerFor(
  stripe: Stripe,
  { clientId, name, email, language }: ClientTerms,
  known: string | null,
): Promise<string> {
  const person = { name, email, preferred_locales: [language] }
  if (known !== null) {
    await stripe.customers.update(known, person)
    return known
  }
  const metadata = { account_id: clientId }
  return (await stripe.customers.create({ ...person, metadata }, { idempotencyKey: `client:${clientId}` })).id
}

async function putTaxId(stripe: Stripe, customerId: string, wanted: ClientTerms['taxId']): Promise<void> {
  const { data } = await stripe.customers.listTaxIds(customerId, { limit: 100 })
  const isThere = data.some(({ type, value }) => type === wanted?.type && value === wanted.value)
  for (const { id, type, value } of data) {
    if (type !== wanted?.type || value !== wanted.value) await stripe.customers.deleteTaxId(customerId, id)
  }
  // Stripe knows the valid types, and reports an invalid one.
  if (wanted !== null && !isThere) {
    await stripe.customers.createTaxId(customerId, wanted)
  }
}

/** The price for the period, and one for each counter. */
async function pricesFor(stripe: Stripe, terms: ClientTerms): Promise<string[]> {
  const { clientId, revision, name, amount, currency, interval, language, metered } = terms
  const words = INVOICE_WORDS[language]
  const create = async (suffix: string, params: Stripe.PriceCreateParams) =>
    (
      await stripe.prices.create(params, {
        idempotencyKey: `client-price-named:${clientId}:${String(revision)}:${suffix}`,
      })
    ).id
  const base = await create('base', {
    ...{ currency, unit_amount: amount, recurring: { interval } },
    product_data: { name: `${words.service}, ${name}` },
  })
  const ids = [base]
  for (const price of metered) {
    const { counter } = price
    const meter = await meterFor(stripe, counter)
    ids.push(
      await create(counter, {
        ...{ currency, ...amountFor(price), product_data: { name: `${words.counters[counter]}, ${name}` } },
        recurring: { interval, usage_type: 'metered', meter },
      }),
    )
  }
  return ids
}

/** Whole amounts keep their field from earlier versions: a reused idempotency key requires an identical request. */
function amountFor({ per, amount }: ReportedPrice): Partial<Stripe.PriceCreateParams> {
  return {
    ...(amount.includes('.')
      ? // The client takes text too; its own number class would load the whole library here.
        { unit_amount_decimal: amount as unknown as Stripe.Decimal }
      : { unit_amount: Number(amount) }),
    ...(per > 1 && { transform_quantity: { divide_by: per, round: 'up' } }),
  }
}

async function meterFor(stripe: Stripe, counter: ReportedCounter): Promise<string> {
  for await (const meter of stripe.billing.meters.list({ status: 'active', limit: 100 })) {
    if (meter.event_name === eventOf(counter)) return meter.id
  }
  const made = await stripe.billing.meters.create(
    {
      display_name: `Switchboard: ${INVOICE_WORDS.en.counters[counter]}`,
      event_name: eventOf(counter),
      default_aggregation: { formula: 'sum' },
    },
    { idempotencyKey: `meter-named:${counter}` },
  )
  return made.id
}

async function subscriptionFor(
  stripe: Stripe,
  {
    terms,
    customerId,
    prices,
    known,
  }: { terms: ClientTerms; customerId: string; prices: readonly string[]; known: string | null },
): Promise<Stripe.Subscription> {
  const items = prices.map((price) => ({ price }))
  const key = { idempotencyKey: `client-subscription:${terms.clientId}:${String(terms.revision)}` }
  const metadata = { account_id: terms.clientId, revision: String(terms.revision) }
  if (known === null) {
    return stripe.subscriptions.create(
      { customer: customerId, items, metadata, collection_method: 'send_invoice', days_until_due: DAYS_TO_PAY },
      key,
    )
  }
  const before = await stripe.subscriptions.retrieve(known)
  if (before.metadata['revision'] === String(terms.revision)) return before
  const dropped = before.items.data.map(({ id }) => ({ id, deleted: true }))
  return stripe.subscriptions.update(
    known,
    { items: [...dropped, ...items], metadata, proration_behavior: 'create_prorations' },
    key,
  )
}

function stateOf(customerId: string, subscription: Stripe.Subscription): ClientState {
  const end = subscription.items.data[0]?.current_period_end
  return {
    customerId,
    subscriptionId: subscription.id,
    isPastDue: subscription.status === 'past_due' || subscription.status === 'unpaid',
    periodEndMs: end === undefined ? null : end * 1_000,
  }
}
