import type Stripe from 'stripe'
import { ApiError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { excessOf, shapeOfForeign } from '../../../kernel/foreign-json.ts'
import type { Interval } from '../../../contract/billing-words.ts'
import type {
  Asked,
  Charged,
  FoundPrice,
  OrderState,
  Payment,
  PaymentProvider,
  PurchaseOrder,
  SubscriptionState,
} from '../payment-provider.ts'
import { stripeLibrary } from './client.ts'
import { readEvent } from './events.ts'
import { toInvoice, toPreview } from './invoice-view.ts'
import { asked, charged } from './outcome.ts'

const TOLERANCE_SECONDS = 300
const LATEST = ['latest_invoice', 'latest_invoice.payments']

/** Stripe as a payment provider. @param client created on first use. */
export function createStripeProvider(client: () => Promise<Stripe>): PaymentProvider {
  const ask = <T>(request: (stripe: Stripe) => Promise<T>): Promise<Asked<T>> =>
    asked(async () => request(await client()))
  const done = (request: (stripe: Stripe) => Promise<unknown>): Promise<Asked<null>> =>
    ask(async (stripe) => {
      await request(stripe)
      return null
    })
  const take = <T>(request: (stripe: Stripe) => Promise<T>, read: (value: T) => Charged): Promise<Charged> =>
    charged(async () => request(await client()), read)

  return {
    createCustomer: ({ accountId, name }) =>
      ask(async (stripe) => {
        const metadata = { account_id: accountId }
        return (await stripe.customers.create({ name, metadata }, { idempotencyKey: `customer:${accountId}` })).id
      }),
    customer: (customerId) =>
      ask(async (stripe) => {
        const expand = ['invoice_settings.default_payment_method']
        const customer = await stripe.customers.retrieve(customerId, { expand })
        if (customer.deleted === true) return { currency: null, methodId: null, card: null }
        const chosen = customer.invoice_settings.default_payment_method
        const method = typeof chosen === 'object' && chosen !== null ? chosen : await newestCard(stripe, customerId)
        const { card } = method ?? {}
        return {
          currency: customer.currency ?? null,
          methodId: method?.id ?? null,
          card:
            card === undefined
              ? null
              : { brand: card.brand, last4: card.last4, exp_month: card.exp_month, exp_year: card.exp_year },
        }
      }),
    useNewestCard: (customerId) =>
      done(async (stripe) => {
        const method = (await newestCard(stripe, customerId))?.id
        if (method === undefined) return
        await stripe.customers.update(customerId, { invoice_settings: { default_payment_method: method } })
        // A checkout stores its card on the subscription, where it would be charged instead of the customer's.
        for await (const { id, default_payment_method: own } of stripe.subscriptions.list({ customer: customerId })) {
          if (idOf(own) !== method) await stripe.subscriptions.update(id, { default_payment_method: method })
        }
      }),
    removeCards: (customerId) =>
      done(async (stripe) => {
        const { data } = await stripe.customers.listPaymentMethods(customerId, { type: 'card', limit: 100 })
        for (const { id } of data) await stripe.paymentMethods.detach(id)
      }),

    charge: (order) =>
      take((stripe) => stripe.paymentIntents.create(intentOf(order), { idempotencyKey: order.orderId }), readIntent),
    subscribe: (order) =>
      take(
        (stripe) => stripe.subscriptions.create(subscriptionOf(order), { idempotencyKey: order.orderId }),
        readSubscribed,
      ),
    changePlan: (order, subscriptionId, at) =>
      take(async (stripe) => {
        const before = await stripe.subscriptions.retrieve(subscriptionId)
        const item = before.items.data[0]?.id
        return stripe.subscriptions.update(
          subscriptionId,
          {
            items: [{ ...(item !== undefined && { id: item }), price: order.priceId }],
            metadata: { order_id: order.orderId },
            default_payment_method: order.methodId,
            proration_behavior: 'always_invoice',
            proration_date: Math.floor(at / 1_000),
            payment_behavior: 'error_if_incomplete',
            off_session: true,
            cancel_at_period_end: false,
            expand: LATEST,
          },
          { idempotencyKey: order.orderId },
        )
      }, readSubscribed),

    createCheckout: (order) =>
      ask(async (stripe) => {
        const { orderId, isRecurring, language } = order
        if (language !== undefined) await stripe.customers.update(order.customerId, { preferred_locales: [language] })
        const metadata = { order_id: orderId }
        const session = await stripe.checkout.sessions.create(
          {
            mode: isRecurring ? 'subscription' : 'payment',
            customer: order.customerId,
            client_reference_id: orderId,
            ...(language !== undefined && { locale: language }),
            metadata,
            line_items: [{ price: order.priceId, quantity: 1 }],
            success_url: order.successUrl,
            cancel_url: order.cancelUrl,
            ...(isRecurring
              ? { subscription_data: { metadata } }
              : { payment_intent_data: { metadata, setup_future_usage: 'off_session' as const } }),
          },
          { idempotencyKey: orderId },
        )
        return { sessionId: session.id, url: session.url ?? '', expiresAtMs: session.expires_at * 1_000 }
      }),
    expireCheckout: (sessionId) => done((stripe) => stripe.checkout.sessions.expire(sessionId)),
    setupPage: (customerId, { successUrl, cancelUrl }) =>
      ask(async (stripe) => {
        const session = await stripe.checkout.sessions.create({
          ...{ mode: 'setup', customer: customerId, success_url: successUrl, cancel_url: cancelUrl },
        })
        return { url: session.url ?? '' }
      }),
    portal: (customerId, returnUrl) =>
      ask(async (stripe) => {
        const session = await stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })
        return { url: session.url }
      }),

    async reconcile(order) {
      const state = await ask((stripe) => findOrder(stripe, order))
      if (state.kind === 'ok') return state.value
      // The customer or the session no longer exists, so the order can never be paid.
      return state.kind === 'refused' && state.code === 'resource_missing' ? { kind: 'absent' } : { kind: 'unknown' }
    },
    subscription: (id) =>
      ask(async (stripe) => readState(await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] }))),
    endSubscription: (id, how) =>
      done((stripe) =>
        how === 'now_with_credit'
          ? stripe.subscriptions.cancel(id, { prorate: true, invoice_now: true }, { idempotencyKey: `end:${id}` })
          : stripe.subscriptions.update(id, { cancel_at_period_end: how === 'at_period_end' }),
      ),
    payInvoice: (invoiceId, methodId, key) =>
      take(
        (stripe) =>
          stripe.invoices.pay(invoiceId, { payment_method: methodId, off_session: true }, { idempotencyKey: key }),
        (invoice) => ({ kind: 'paid', value: paymentOf(null, invoice) }),
      ),

    prices: (lookupKeys) =>
      ask(async (stripe) => {
        const found: FoundPrice[] = []
        // Stripe takes ten at a time.
        for (let i = 0; i < lookupKeys.length; i += 10) {
          const keys = lookupKeys.slice(i, i + 10)
          const { data } = await stripe.prices.list({ lookup_keys: keys, active: true, limit: 100 })
          found.push(...data.map(readPrice))
        }
        return found
      }),
    preview: ({ customerId, priceId, subscriptionId, at }) =>
      ask(async (stripe) => {
        const item =
          subscriptionId === null ? null : (await stripe.subscriptions.retrieve(subscriptionId)).items.data[0]
        const change = {
          ...(item === null ? {} : { subscription: subscriptionId ?? '' }),
          subscription_details: {
            items: [{ ...(item && { id: item.id }), price: priceId }],
            ...(item !== null && {
              proration_behavior: 'always_invoice' as const,
              proration_date: Math.floor(at / 1_000),
            }),
          },
        }
        const invoice = await stripe.invoices.createPreview({ customer: customerId, ...change })
        const price = await stripe.prices.retrieve(priceId)
        return toPreview(invoice, price, item?.current_period_end ?? null)
      }),
    invoices: (customerId, { after, rows, status }) =>
      ask(async (stripe) => {
        const page = await stripe.invoices.list({
          ...{ customer: customerId, limit: rows },
          ...(after !== undefined && { starting_after: after }),
          ...(status !== undefined && { status }),
        })
        return { invoices: page.data.map(toInvoice), hasMore: page.has_more }
      }),
    refund: (paymentId, amount, key) =>
      done((stripe) =>
        stripe.refunds.create(
          { payment_intent: paymentId, ...(amount !== null && { amount }) },
          { idempotencyKey: key },
        ),
      ),
    missingRights: () => ask(missingRights),

    // The signature was verified on arrival.
    parseCallback: (raw) => readEvent(JSON.parse(raw.toString()) as Stripe.Event),
    async readCallback(raw, signature, secret, nowMs) {
      if (signature === undefined) {
        throw unproved('The header Stripe-Signature is missing. Only Stripe calls this address.')
      }
      const { webhooks } = await stripeLibrary()
      refuseOtherTime(signature, nowMs)
      // The library parses it without limits.
      if (excessOf(shapeOfForeign(raw)) !== undefined)
        throw new ApiError('invalid_json', `The body has more than ${LIMITS.bodyValues} values, which no event has.`)
      return readEvent(
        construct(() => webhooks.constructEvent(raw, signature, secret, TOLERANCE_SECONDS, undefined, nowMs)),
      )
    },
  }
}

/** The library throws several kinds of errors for a malformed signature such as `t=,v1=`. */
function construct(event: () => Stripe.Event): Stripe.Event {
  try {
    return event()
  } catch (error) {
    if (error instanceof SyntaxError) throw new ApiError('invalid_json', 'The body is not valid JSON.')
    throw unproved('Stripe-Signature does not match the body and the signing secret in the settings of billing.')
  }
}

const unproved = (message: string) => new ApiError('unauthorized', message, { 'www-authenticate': 'Signature' })

/** Limits the time in both directions: with a slow clock, a recorded callback could be replayed for longer. */
function refuseOtherTime(signature: string, nowMs: number): void {
  const seconds = Number(/(?:^|,)\s*t=(\d+)/.exec(signature)?.[1] ?? NaN)
  const off = Math.round(nowMs / 1_000 - seconds)
  if (Math.abs(off) <= TOLERANCE_SECONDS || Number.isNaN(off)) return
  throw unproved(
    `The callback was signed ${String(Math.abs(off))} seconds ${off > 0 ? 'ago' : 'ahead of the clock here'}; at most ${String(TOLERANCE_SECONDS)} are accepted. Check the clock of this computer.`,
  )
}

const idOf = (reference: string | { readonly id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null)

async function newestCard(stripe: Stripe, customerId: string): Promise<Stripe.PaymentMethod | undefined> {
  const { data } = await stripe.customers.listPaymentMethods(customerId, { type: 'card', limit: 1 })
  return data[0]
}

const intentOf = (order: PurchaseOrder): Stripe.PaymentIntentCreateParams => ({
  amount: order.amount,
  currency: order.currency,
  customer: order.customerId,
  payment_method: order.methodId,
  // Allows no payment method that redirects the buyer to another page.
  automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  description: order.description,
  metadata: { order_id: order.orderId },
  off_session: true,
  confirm: true,
})

const subscriptionOf = (order: PurchaseOrder): Stripe.SubscriptionCreateParams => ({
  customer: order.customerId,
  items: [{ price: order.priceId }],
  default_payment_method: order.methodId,
  description: order.description,
  metadata: { order_id: order.orderId },
  off_session: true,
  payment_behavior: 'error_if_incomplete',
  expand: LATEST,
})

function readIntent(intent: Stripe.PaymentIntent): Charged {
  switch (intent.status) {
    case 'succeeded':
      return { kind: 'paid', value: paymentOfIntent(intent) }
    case 'requires_action':
    case 'requires_confirmation':
      return { kind: 'action_required' }
    default:
      return { kind: 'unknown' }
  }
}

const paymentOfIntent = (intent: Stripe.PaymentIntent): Payment => ({
  amount: intent.amount_received,
  currency: intent.currency,
  subscriptionId: null,
  paymentId: intent.id,
  invoiceId: null,
})

function readSubscribed(subscription: Stripe.Subscription): Charged {
  const invoice = subscription.latest_invoice
  if (subscription.status !== 'active' || invoice === null || typeof invoice === 'string') return { kind: 'unknown' }
  return { kind: 'paid', value: paymentOf(subscription, invoice) }
}

function paymentOf(subscription: Stripe.Subscription | null, invoice: Stripe.Invoice): Payment {
  return {
    amount: invoice.amount_paid,
    currency: invoice.currency,
    subscriptionId: subscription?.id ?? null,
    paymentId: idOf(invoice.payments?.data[0]?.payment.payment_intent),
    invoiceId: invoice.id,
  }
}

/**
 * Finds an order by the id in its metadata. Lists of a customer are complete immediately, but Stripe's search can lag
 * by a minute.
 */
async function findOrder(stripe: Stripe, order: Parameters<PaymentProvider['reconcile']>[0]): Promise<OrderState> {
  const { orderId, customerId, sessionId, changeOf } = order
  if (sessionId !== null) return findSession(stripe, sessionId)
  if (changeOf !== null) {
    const subscription = await stripe.subscriptions.retrieve(changeOf, { expand: LATEST })
    if (subscription.metadata['order_id'] !== orderId) return { kind: 'absent' }
    return decided(subscription)
  }
  if (order.isRecurring) {
    const all = stripe.subscriptions.list({
      ...{ customer: customerId, status: 'all', limit: 100 },
      expand: ['data.latest_invoice', 'data.latest_invoice.payments'],
    })
    for await (const subscription of all) {
      if (subscription.metadata['order_id'] === orderId) return decided(subscription)
    }
    return { kind: 'absent' }
  }
  for await (const intent of stripe.paymentIntents.list({ customer: customerId, limit: 100 })) {
    if (intent.metadata['order_id'] !== orderId) continue
    if (intent.status === 'succeeded') return { kind: 'paid', payment: paymentOfIntent(intent) }
    if (intent.status === 'processing') return { kind: 'pending' }
    const isAsked = intent.last_payment_error?.code === 'authentication_required' || intent.status === 'requires_action'
    return { kind: 'failed', code: isAsked ? 'payment_action_required' : 'card_declined' }
  }
  return { kind: 'absent' }
}

async function findSession(stripe: Stripe, sessionId: string): Promise<OrderState> {
  const session = await stripe.checkout.sessions.retrieve(sessionId, {
    expand: ['invoice', 'invoice.payments'],
  })
  if (session.status === 'expired') return { kind: 'failed', code: 'canceled' }
  if (session.status !== 'complete' || session.payment_status === 'unpaid') return { kind: 'pending' }
  const invoice = typeof session.invoice === 'object' ? session.invoice : null
  return {
    kind: 'paid',
    payment: {
      amount: session.amount_total ?? 0,
      currency: session.currency ?? '',
      subscriptionId: idOf(session.subscription),
      paymentId: idOf(session.payment_intent) ?? idOf(invoice?.payments?.data[0]?.payment.payment_intent),
      invoiceId: invoice?.id ?? null,
    },
  }
}

function decided(subscription: Stripe.Subscription): OrderState {
  const read = readSubscribed(subscription)
  if (read.kind === 'paid') return { kind: 'paid', payment: read.value }
  const isOver = subscription.status === 'incomplete_expired' || subscription.status === 'canceled'
  return isOver ? { kind: 'failed', code: 'card_declined' } : { kind: 'pending' }
}

const STATES: Readonly<Record<string, SubscriptionState['status']>> = {
  active: 'active',
  trialing: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  incomplete: 'incomplete',
  incomplete_expired: 'ended',
  canceled: 'ended',
  paused: 'past_due',
}

function readState(subscription: Stripe.Subscription): SubscriptionState {
  const [item] = subscription.items.data
  const invoice = typeof subscription.latest_invoice === 'object' ? subscription.latest_invoice : null
  const status = STATES[subscription.status] ?? 'past_due'
  const since = invoice?.status_transitions.finalized_at ?? invoice?.created ?? null
  return {
    id: subscription.id,
    customerId: idOf(subscription.customer) ?? '',
    status,
    orderId: subscription.metadata['order_id'] ?? null,
    priceId: item?.price.id ?? null,
    periodEndMs: item === undefined ? null : item.current_period_end * 1_000,
    cancelsAtPeriodEnd: subscription.cancel_at_period_end,
    unpaidSinceMs: status === 'past_due' && since !== null ? since * 1_000 : null,
    latestInvoiceId: idOf(subscription.latest_invoice),
  }
}

const INTERVALS: Readonly<Record<string, Interval>> = { month: 'month', year: 'year' }

const readPrice = (price: Stripe.Price): FoundPrice => ({
  lookupKey: price.lookup_key ?? '',
  priceId: price.id,
  amount: price.unit_amount ?? 0,
  currency: price.currency,
  interval: INTERVALS[price.recurring?.interval ?? ''] ?? null,
})

/** Stripe answers 403 if a restricted key lacks a permission. The requests used here create nothing. */
async function missingRights(stripe: Stripe): Promise<string[]> {
  const PROBES: Readonly<Record<string, () => Promise<unknown>>> = {
    Customers: () => stripe.customers.list({ limit: 1 }),
    PaymentIntents: () => stripe.paymentIntents.list({ limit: 1 }),
    Subscriptions: () => stripe.subscriptions.list({ limit: 1 }),
    Invoices: () => stripe.invoices.list({ limit: 1 }),
    'Checkout Sessions': () => stripe.checkout.sessions.list({ limit: 1 }),
    Prices: () => stripe.prices.list({ limit: 1 }),
  }
  const missing: string[] = []
  for (const [name, probe] of Object.entries(PROBES)) {
    try {
      await probe()
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode !== 403) throw error
      missing.push(name)
    }
  }
  return missing
}
