import type Stripe from 'stripe'
import { amountFor } from './amounts.ts'
import { createPrice } from './catalogue.ts'
import { settleCurrency, updateCustomer } from './customers.ts'
import { StripeFault, unexpected } from './faults.ts'
import { invalid, Reader } from './form.ts'
import type { PriceObject } from './kinds.ts'
import { attach, createCard, type CardDetails } from './payment-methods.ts'
import { newIntent, pay } from './payments.ts'
import { confirmSetup, createSetupIntent } from './setup-intents.ts'
import { createSubscription } from './subscriptions.ts'
import { collect } from './invoices.ts'
import { onInvoicePaid } from './subscriptions.ts'
import { idOf, needId, type Work } from './unit.ts'

const DAY = 86_400
/** Languages of Stripe Checkout. */
const LOCALES = [
  ...(['auto', 'bg', 'cs', 'da', 'de', 'el', 'en', 'en-GB', 'es', 'es-419', 'et', 'fi', 'fil', 'fr', 'fr-CA'] as const),
  ...([
    'hr',
    'hu',
    'id',
    'it',
    'ja',
    'ko',
    'lt',
    'lv',
    'ms',
    'mt',
    'nb',
    'nl',
    'pl',
    'pt',
    'pt-BR',
    'ro',
    'ru',
  ] as const),
  ...(['sk', 'sl', 'sv', 'th', 'tr', 'vi', 'zh', 'zh-HK', 'zh-TW'] as const),
] as const

interface Line {
  readonly price: PriceObject
  readonly quantity: number
}

export function createSession(work: Work, params: Reader): Stripe.Checkout.Session {
  const mode = params.oneOf('mode', ['payment', 'setup', 'subscription']) ?? 'payment'
  const customer = params.text('customer') || null
  if (customer !== null) work.get('customer', customer, 'customer')
  const lines = mode === 'setup' ? [] : params.items('line_items').map((line) => lineOf(work, line))
  if (mode !== 'setup' && lines.length === 0) throw invalid('Missing required param: line_items.', 'line_items')
  refuseWrongMode(mode, lines)
  const now = work.now(customer)
  const id = `cs_test_${work.id('').slice(1)}${work.id('').slice(1)}`
  const total = lines.reduce((sum, { price, quantity }) => sum + amountFor(price, quantity), 0)
  const [first] = lines
  const session: Stripe.Checkout.Session = {
    ...blank(),
    id,
    amount_subtotal: mode === 'setup' ? null : total,
    amount_total: mode === 'setup' ? null : total,
    cancel_url: params.text('cancel_url') || null,
    client_reference_id: params.text('client_reference_id') || null,
    created: now,
    currency: first?.price.currency ?? params.text('currency')?.toLowerCase() ?? null,
    customer,
    expires_at: params.integer('expires_at') ?? now + DAY,
    line_items: {
      object: 'list',
      has_more: false,
      url: `/v1/checkout/sessions/${id}/line_items`,
      data: lines.map(({ price, quantity }) => itemOf(work, price, quantity)),
    },
    locale: params.oneOf('locale', LOCALES) ?? null,
    metadata: params.metadata(),
    mode,
    payment_status: mode === 'setup' ? 'no_payment_required' : 'unpaid',
    status: 'open',
    success_url: params.text('success_url') || null,
    url: work.page(`/checkout/${id}`),
  }
  return work.unit.put('checkout_session', { ...session, ...hidden(params) })
}

/** What the session creates when it is paid; Stripe does not return it. */
interface Hidden {
  readonly _intent?: { metadata: Record<string, string>; setup: 'off_session' | 'on_session' | null }
  readonly _subscription?: Record<string, string>
  readonly _setup?: Record<string, string>
}

function hidden(params: Reader): Hidden {
  const intent = params.below('payment_intent_data')
  return {
    _intent: {
      metadata: intent.metadata(),
      setup: intent.oneOf('setup_future_usage', ['off_session', 'on_session']) ?? null,
    },
    _subscription: params.below('subscription_data').metadata(),
    _setup: params.below('setup_intent_data').metadata(),
  }
}

/** The session as returned: line items only on request, without internal data. */
export function shownSession(session: Stripe.Checkout.Session, withLines: boolean): Stripe.Checkout.Session {
  const { line_items, ...rest } = session
  const shown = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('_'))) as typeof rest
  return withLines && line_items !== undefined ? { ...shown, line_items } : shown
}

function lineOf(work: Work, line: Reader): Line {
  const quantity = line.integer('quantity') ?? 1
  const id = line.text('price')
  if (id) return { price: work.get('price', id, line.path('price')), quantity }
  const data = line.below('price_data')
  if (data.names().length === 0)
    throw invalid('You must provide one of `price` or `price_data` for each line item.', 'line_items')
  return { price: createPrice(work, data), quantity }
}

function refuseWrongMode(mode: string, lines: readonly Line[]): void {
  const isRecurring = lines.some(({ price }) => price.recurring !== null)
  if (mode === 'subscription' && !isRecurring) {
    throw invalid(
      'You must provide at least one recurring price in `subscription` mode when using prices.',
      'line_items',
    )
  }
  if (mode === 'payment' && isRecurring) {
    throw invalid(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      'line_items',
    )
  }
}

function itemOf(work: Work, price: PriceObject, quantity: number): Stripe.LineItem {
  const amount = amountFor(price, quantity)
  return {
    id: work.id('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: work.unit.find('product', price.product)?.name ?? null,
    metadata: {},
    price,
    quantity,
  }
}

export type Payment = 'complete' | 'challenge'

/**
 * Pays on the page, as a person would.
 * @returns `challenge` if the bank asks the cardholder; then it is called again with `isConfirmed`.
 * @throws CardFault if the card is declined; the session stays open.
 */
export function completeSession(
  work: Work,
  session: Stripe.Checkout.Session,
  card: CardDetails,
  isConfirmed: boolean,
): Payment {
  if (session.status !== 'open' || session.expires_at <= work.now(idOf(session.customer))) {
    throw unexpected('resource_missing', 'This checkout session is no longer open.')
  }
  const customer = idOf(session.customer)
  if (customer === null) throw unexpected('resource_missing', 'The simulator needs sessions with a customer.')
  const method = createCard(work, card)
  const made = madeBy(work, session, { customer, method, isConfirmed })
  if (made === 'challenge') return 'challenge'
  const done = work.unit.put('checkout_session', {
    ...session,
    ...made,
    payment_status: session.mode === 'setup' ? 'no_payment_required' : 'paid',
    status: 'complete',
    url: null,
  })
  work.tell('checkout.session.completed', shownSession(done, false))
  return 'complete'
}

type Made = Partial<Pick<Stripe.Checkout.Session, 'payment_intent' | 'subscription' | 'setup_intent' | 'invoice'>>

function madeBy(
  work: Work,
  session: Stripe.Checkout.Session & Hidden,
  { customer, method, isConfirmed }: { customer: string; method: Stripe.PaymentMethod; isConfirmed: boolean },
): Made | 'challenge' {
  const options = { present: true, isConfirmed }
  if (session.mode === 'setup') {
    const draft = createSetupIntent(work, new Reader({ customer, metadata: session._setup ?? {} }))
    const intent = confirmSetup(work, draft, method, isConfirmed)
    return intent.status === 'requires_action' ? 'challenge' : { setup_intent: intent.id }
  }
  if (session.mode === 'payment') {
    settleCurrency(work, work.get('customer', customer), session.currency ?? 'usd')
    const intent = newIntent(work, {
      amount: session.amount_total ?? 0,
      currency: session.currency ?? 'usd',
      customer,
      metadata: session._intent?.metadata ?? {},
      setupFutureUsage: session._intent?.setup ?? null,
    })
    const attempt = pay(work, intent, method, options)
    if (attempt.kind === 'challenge') return 'challenge'
    if (attempt.kind === 'declined') throw refused(attempt.decline)
    return { payment_intent: intent.id }
  }
  attach(work, method, customer)
  const items = (session.line_items?.data ?? []).map(({ price, quantity }) => ({
    price: price?.id ?? '',
    quantity: String(quantity ?? 1),
  }))
  const subscription = createSubscription(
    work,
    new Reader({
      ...{ customer, items, default_payment_method: method.id, payment_behavior: 'default_incomplete' },
      metadata: session._subscription ?? {},
    }),
  )
  const invoice = work.get('invoice', needId(subscription.latest_invoice ?? ''))
  const { attempt, invoice: after } = collect(work, invoice, { method, ...options })
  if (attempt.kind === 'challenge') return 'challenge'
  if (attempt.kind === 'declined') throw refused(attempt.decline)
  onInvoicePaid(work, after)
  return { subscription: subscription.id, invoice: after.id }
}

const refused = ({ code, decline_code, message }: { code: string; decline_code: string; message: string }) =>
  new StripeFault(402, { type: 'card_error', code, decline_code, message })

export function expireSession(work: Work, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  if (session.status !== 'open') {
    throw unexpected('resource_missing', `Only Checkout Sessions with a status in ["open"] can be expired.`)
  }
  const expired = work.unit.put('checkout_session', { ...session, status: 'expired', url: null })
  work.tell('checkout.session.expired', shownSession(expired, false))
  return expired
}

/** Makes a card that was saved on a page the one that invoices are charged to. */
export function makeDefault(work: Work, customer: string, method: string): void {
  updateCustomer(
    work,
    work.get('customer', customer),
    new Reader({ invoice_settings: { default_payment_method: method } }),
  )
}

/** Fields that the simulator does not use. */
const blank = () =>
  ({
    object: 'checkout.session',
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer_account: null,
    customer_creation: null,
    customer_details: null,
    customer_email: null,
    discounts: [],
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    managed_payments: null,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'always',
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    submit_type: null,
    subscription: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    wallet_options: null,
  }) satisfies Partial<Stripe.Checkout.Session>
