import type Stripe from 'stripe'
import { settleCurrency } from './customers.ts'
import { CardFault, unexpected } from './faults.ts'
import { invalid, type Reader } from './form.ts'
import { isMetered, periodLine, usageLine, type LineDraft } from './invoice-lines.ts'
import { collect, finalize, newInvoice, subscriptionOf, type Collected } from './invoices.ts'
import { declined, methodsOf } from './payment-methods.ts'
import { nextPeriodEnd } from './periods.ts'
import { creditLine, itemFor, periodOf, planChange } from './proration.ts'
import { idOf, needId, type Work } from './unit.ts'

const BEHAVIOURS = ['allow_incomplete', 'default_incomplete', 'error_if_incomplete', 'pending_if_incomplete'] as const
const PRORATIONS = ['create_prorations', 'always_invoice', 'none'] as const

export function createSubscription(work: Work, params: Reader): Stripe.Subscription {
  const customer = work.get('customer', params.need('customer'), 'customer')
  const wanted = params.items('items')
  if (wanted.length === 0) throw invalid('Missing required param: items.', 'items')
  const now = work.now(customer.id)
  const id = work.id('sub')
  const draft = wanted.map((one) => itemFor(work, one, id, { start: now, end: now }))
  const [first] = draft
  const recurring = first?.price.recurring
  const end = nextPeriodEnd(now, recurring, now)
  const items = draft.map((item) => ({ ...item, current_period_end: end }))
  const currency = first?.price.currency ?? 'usd'
  if (items.some(({ price }) => price.currency !== currency)) {
    throw invalid('All prices on a subscription must have the same currency.', 'items')
  }
  settleCurrency(work, customer, currency)
  const given = params.text('default_payment_method') || null
  if (given !== null && !methodsOf(work, customer.id).some((method) => method.id === given)) {
    throw invalid(
      `The customer does not have a payment method with the ID ${given}. The payment method must be attached to the customer.`,
      'default_payment_method',
    )
  }
  const subscription = work.unit.put('subscription', {
    ...blank(work, id, customer, now),
    currency,
    default_payment_method: given,
    description: params.text('description') || null,
    items: { object: 'list', has_more: false, url: `/v1/subscription_items?subscription=${id}`, data: items },
    metadata: params.metadata(),
    cancel_at_period_end: params.boolean('cancel_at_period_end') ?? false,
    ...collectionOf(params),
  })
  work.tell('customer.subscription.created', subscription)
  const behaviour = params.oneOf('payment_behavior', BEHAVIOURS) ?? 'allow_incomplete'
  const lines = items.filter((item) => !isMetered(item)).map((item) => periodLine(work, item, now, end))
  const billed = bill(work, subscription, lines, {
    reason: 'subscription_create',
    present: params.boolean('off_session') !== true && behaviour !== 'error_if_incomplete',
    behaviour,
  })
  return billed
}

interface BillWish {
  readonly reason: 'subscription_create' | 'subscription_update'
  readonly present: boolean
  readonly behaviour: (typeof BEHAVIOURS)[number]
}

/** Invoices lines now and charges them. @throws CardFault under `error_if_incomplete`; nothing is kept then. */
function bill(work: Work, subscription: Stripe.Subscription, lines: readonly LineDraft[], wish: BillWish) {
  const { start, end } = periodOf(subscription)
  const customer = needId(subscription.customer)
  const draft = newInvoice(work, {
    ...{ customer, subscription, lines, start, end },
    reason: wish.reason,
    currency: subscription.currency,
  })
  const open = finalize(work, draft)
  // An emailed invoice is paid later; until then the subscription is active.
  if (open.status === 'paid' || isSent(subscription))
    return activate(work, { ...subscription, latest_invoice: open.id })
  if (wish.behaviour === 'default_incomplete') {
    return work.unit.put('subscription', { ...subscription, latest_invoice: open.id, status: 'incomplete' })
  }
  const { invoice, attempt } = collect(work, open, { present: wish.present })
  if (attempt.kind === 'paid') return activate(work, { ...subscription, latest_invoice: invoice.id })
  if (wish.behaviour === 'error_if_incomplete') throw incompleteFault(attempt)
  const status = wish.reason === 'subscription_create' ? 'incomplete' : 'past_due'
  return work.unit.put('subscription', { ...subscription, latest_invoice: invoice.id, status })
}

/** The invoice is paid: makes the subscription active. */
function activate(work: Work, subscription: Stripe.Subscription): Stripe.Subscription {
  const before = work.unit.find('subscription', subscription.id)
  const after = work.unit.put('subscription', { ...subscription, status: 'active' })
  if (before !== undefined && before.status !== 'active') work.tell('customer.subscription.updated', after, before)
  return after
}

function incompleteFault(attempt: Collected): Error {
  switch (attempt.kind) {
    case 'declined': {
      const isChallenge = attempt.decline.decline_code === 'authentication_required'
      const code = isChallenge ? { code: 'subscription_payment_intent_requires_action' } : {}
      return declined({ ...attempt.decline, ...code } as typeof attempt.decline, {}, false)
    }
    case 'challenge':
      return new CardFault(
        {
          code: 'subscription_payment_intent_requires_action',
          message:
            'Payment for this subscription requires additional user action before it can be completed successfully.',
        },
        false,
      )
    case 'no_card':
    case 'nothing_due':
    case 'paid':
      return unexpected(
        'resource_missing',
        'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      )
  }
}

/** The invoice of a subscription was paid, by any method. */
export function onInvoicePaid(work: Work, invoice: Stripe.Invoice): void {
  const id = subscriptionOf(invoice)
  const subscription = id === null ? undefined : work.unit.find('subscription', id)
  if (subscription === undefined || subscription.status === 'canceled') return
  const others = openInvoices(work, subscription.id).filter((one) => one.id !== invoice.id)
  if (others.length === 0) activate(work, subscription)
}

const openInvoices = (work: Work, subscription: string) =>
  work.unit.list('invoice').filter((one) => one.status === 'open' && subscriptionOf(one) === subscription)

export function updateSubscription(work: Work, before: Stripe.Subscription, params: Reader): Stripe.Subscription {
  if (before.status === 'canceled' || before.status === 'incomplete_expired') {
    throw unexpected(
      'resource_missing',
      'A canceled subscription can only update its cancellation_details and metadata.',
    )
  }
  const now = work.now(needId(before.customer))
  const at = params.integer('proration_date') ?? now
  const wanted = params.items('items')
  const change = wanted.length === 0 ? null : planChange(work, before, wanted, at)
  const cancelsAtEnd = params.boolean('cancel_at_period_end')
  const items = change?.items ?? before.items.data
  const changed: Stripe.Subscription = {
    ...before,
    items: { ...before.items, data: [...items] },
    ...(change?.restarts === true && { billing_cycle_anchor: at }),
    ...(cancelsAtEnd !== undefined && {
      cancel_at_period_end: cancelsAtEnd,
      canceled_at: cancelsAtEnd ? now : null,
      cancel_at: cancelsAtEnd ? periodOf(before).end : null,
    }),
    ...(params.has('default_payment_method') && {
      default_payment_method: params.text('default_payment_method') || null,
    }),
    metadata: params.metadata(before.metadata),
  }
  work.unit.put('subscription', changed)
  const billed = change === null ? changed : billChange(work, changed, change, params)
  const after = work.unit.put('subscription', billed)
  work.tell('customer.subscription.updated', after, before)
  return after
}

function billChange(
  work: Work,
  subscription: Stripe.Subscription,
  { lines, restarts }: { lines: readonly LineDraft[]; restarts: boolean },
  params: Reader,
): Stripe.Subscription {
  const proration = params.oneOf('proration_behavior', PRORATIONS) ?? 'create_prorations'
  if (lines.length === 0 || (proration === 'none' && !restarts)) return subscription
  if (proration === 'create_prorations' && !restarts) {
    for (const line of lines) putPending(work, subscription, line)
    return subscription
  }
  const charged = proration === 'none' ? lines.filter((line) => !line.proration) : lines
  const behaviour = params.oneOf('payment_behavior', BEHAVIOURS) ?? 'allow_incomplete'
  const present = params.boolean('off_session') !== true && behaviour !== 'error_if_incomplete'
  return bill(work, subscription, charged, { reason: 'subscription_update', present, behaviour })
}

/** Adds a line to the next invoice. */
function putPending(work: Work, subscription: Stripe.Subscription, line: LineDraft): void {
  const id = work.id('ii')
  const item = {
    id,
    object: 'invoiceitem',
    amount: line.amount,
    currency: line.price.currency,
    customer: needId(subscription.customer),
    customer_account: null,
    date: work.now(needId(subscription.customer)),
    description: line.description,
    discountable: false,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: {},
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, subscription_item: line.item },
    },
    period: { start: line.start, end: line.end },
    pricing: {
      type: 'price_details',
      price_details: { price: line.price.id, product: line.price.product },
      unit_amount_decimal: line.price.unit_amount_decimal,
    },
    proration: true,
    quantity: line.quantity,
    quantity_decimal: line.price.unit_amount_decimal,
    tax_rates: [],
    test_clock: null,
  } as Stripe.InvoiceItem
  work.unit.put('invoiceitem', item)
  work.tell('invoiceitem.created', item)
}

/** Lines for the next invoice of the subscription. */
export function pendingLines(work: Work, subscription: Stripe.Subscription): { lines: LineDraft[]; ids: string[] } {
  const found = work.unit
    .list('invoiceitem')
    .filter((item) => item.invoice === null && item.parent?.subscription_details?.subscription === subscription.id)
  const lines = found.map((item) => ({
    amount: item.amount,
    description: item.description ?? '',
    quantity: item.quantity,
    price: work.get('price', needId(item.pricing?.price_details?.price ?? '')),
    proration: true,
    start: item.period.start,
    end: item.period.end,
    subscription: subscription.id,
    item: item.parent?.subscription_details?.subscription_item ?? '',
  }))
  return { lines, ids: found.map(({ id }) => id) }
}

export function cancelSubscription(work: Work, before: Stripe.Subscription, params: Reader): Stripe.Subscription {
  if (before.status === 'canceled') throw unexpected('resource_missing', `No such subscription: '${before.id}'`)
  const at = work.now(needId(before.customer))
  if (params.boolean('prorate') === true) {
    const period = periodOf(before)
    for (const item of before.items.data) putPending(work, before, creditLine(work, item, period, at))
  }
  if (params.boolean('invoice_now') === true) invoicePending(work, before)
  return end(work, before, 'cancellation_requested')
}

function invoicePending(work: Work, subscription: Stripe.Subscription): void {
  const { lines, ids } = pendingLines(work, subscription)
  if (lines.length === 0) return
  const { start, end: until } = periodOf(subscription)
  const customer = needId(subscription.customer)
  const draft = newInvoice(work, {
    ...{ customer, subscription, lines, start, end: until },
    reason: 'subscription_update',
    currency: subscription.currency,
  })
  for (const id of ids) work.unit.put('invoiceitem', { ...work.get('invoiceitem', id), invoice: draft.id })
  const finalized = finalize(work, draft)
  if (!isSent(subscription)) collect(work, finalized, { present: false })
}

const isSent = ({ collection_method: method }: Stripe.Subscription) => method === 'send_invoice'

function collectionOf(params: Reader): Pick<Stripe.Subscription, 'collection_method' | 'days_until_due'> {
  const method = params.oneOf('collection_method', ['charge_automatically', 'send_invoice']) ?? 'charge_automatically'
  const days = params.integer('days_until_due') ?? null
  if (method === 'send_invoice' && days === null) {
    throw invalid('You must pass `days_until_due` when using `collection_method=send_invoice`.', 'days_until_due')
  }
  return { collection_method: method, days_until_due: days }
}

function end(
  work: Work,
  before: Stripe.Subscription,
  reason: 'cancellation_requested' | 'payment_failed',
): Stripe.Subscription {
  const now = work.now(needId(before.customer))
  const ended = work.unit.put('subscription', {
    ...before,
    status: 'canceled',
    canceled_at: before.canceled_at ?? now,
    ended_at: now,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason },
  })
  work.tell('customer.subscription.deleted', ended)
  return ended
}

/** The period has ended: starts and charges the next one. */
export function renew(work: Work, before: Stripe.Subscription): void {
  if (before.cancel_at_period_end) return void end(work, before, 'cancellation_requested')
  const period = periodOf(before)
  const recurring = before.items.data[0]?.price.recurring
  const next = nextPeriodEnd(before.billing_cycle_anchor, recurring, period.end)
  const items = before.items.data.map((item) => ({
    ...item,
    current_period_start: period.end,
    current_period_end: next,
  }))
  const renewed = work.unit.put('subscription', { ...before, items: { ...before.items, data: items } })
  const customer = needId(before.customer)
  const pending = pendingLines(work, before)
  const lines = [
    ...pending.lines,
    ...items.map((item) =>
      isMetered(item)
        ? usageLine(work, item, customer, period.start, period.end)
        : periodLine(work, item, period.end, next),
    ),
  ]
  const draft = newInvoice(work, {
    ...{ customer, lines, subscription: renewed, start: period.start, end: period.end },
    reason: 'subscription_cycle',
    currency: before.currency,
  })
  for (const id of pending.ids) work.unit.put('invoiceitem', { ...work.get('invoiceitem', id), invoice: draft.id })
  // Nothing more is charged until the debt is paid: the invoice stays a draft, as at Stripe.
  if (before.status === 'unpaid') {
    work.unit.put('subscription', { ...renewed, latest_invoice: draft.id })
    work.tell('customer.subscription.updated', renewed, before)
    return
  }
  const finalized = finalize(work, draft)
  const { invoice, attempt } = isSent(renewed)
    ? { invoice: finalized, attempt: { kind: 'nothing_due' } as const }
    : collect(work, finalized, { present: false })
  const isPaid = attempt.kind === 'paid' || invoice.status === 'paid' || isSent(renewed)
  const after = work.unit.put('subscription', {
    ...renewed,
    latest_invoice: invoice.id,
    status: isPaid && renewed.status === 'active' ? 'active' : isPaid ? renewed.status : 'past_due',
  })
  work.tell('customer.subscription.updated', after, before)
}

/** Retries an open invoice. After the last attempt the subscription is unpaid until somebody pays. */
export function retry(work: Work, invoice: Stripe.Invoice): void {
  const { invoice: after, attempt } = collect(work, invoice, { present: false })
  if (attempt.kind === 'paid') return onInvoicePaid(work, after)
  const id = subscriptionOf(invoice)
  const subscription = id === null ? undefined : work.unit.find('subscription', id)
  if (after.next_payment_attempt !== null || subscription === undefined || subscription.status === 'canceled') return
  const unpaid = work.unit.put('subscription', { ...subscription, status: 'unpaid' })
  work.tell('customer.subscription.updated', unpaid, subscription)
}

function blank(work: Work, id: string, customer: Stripe.Customer, now: number) {
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: now,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: now,
    customer: customer.id,
    customer_account: null,
    days_until_due: null,
    default_source: null,
    default_tax_rates: [],
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: 'incomplete',
    test_clock: idOf(customer.test_clock),
    transfer_data: null,
    trial_end: null,
    trial_settings: { end_behavior: { missing_payment_method: 'create_invoice', billing_cycle_anchor: null } },
    trial_start: null,
  } satisfies Partial<Stripe.Subscription>
}
