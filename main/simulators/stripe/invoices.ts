import type Stripe from 'stripe'
import { unexpected } from './faults.ts'
import type { LineDraft } from './invoice-lines.ts'
import { lineOf } from './invoice-lines.ts'
import { methodNamed } from './payment-methods.ts'
import { newIntent, pay, type Attempt } from './payments.ts'
import { idOf, needId, type Work } from './unit.ts'

export interface InvoiceDraft {
  readonly customer: string
  readonly subscription: Stripe.Subscription | null
  readonly reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'manual' | 'upcoming'
  readonly lines: readonly LineDraft[]
  readonly currency: string
  readonly start: number
  readonly end: number
}

const DAY = 86_400
/** Days after which an open invoice is retried; after the last one the subscription becomes unpaid. */
const RETRY_DAYS = [3, 5, 7]

/** @param id null for a preview, which is not stored. */
export function newInvoice(work: Work, draft: InvoiceDraft, isPreview = false): Stripe.Invoice {
  const { customer, subscription, reason, lines, currency, start, end } = draft
  const id = work.id(isPreview ? 'upcoming_in' : 'in')
  const owner = work.get('customer', customer, 'customer')
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  const due = total + owner.balance
  const invoice: Stripe.Invoice = {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Switchboard sandbox',
    account_tax_ids: null,
    amount_due: Math.max(0, due),
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: Math.max(0, due),
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: reason,
    collection_method: subscription?.collection_method ?? 'charge_automatically',
    created: work.now(customer),
    currency,
    custom_fields: null,
    customer,
    customer_account: null,
    customer_address: null,
    customer_email: owner.email,
    customer_name: owner.name ?? null,
    customer_phone: owner.phone ?? null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: work.unit
      .list('tax_id')
      .filter((tax) => idOf(tax.customer) === customer)
      .map(({ type, value }) => ({ type, value })),
    default_payment_method: idOf(subscription?.default_payment_method),
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: dueDate(work.now(customer), subscription?.days_until_due ?? null),
    effective_at: null,
    ending_balance: isPreview ? Math.min(0, due) : null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: {
      object: 'list',
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
      data: lines.map((line) => lineOf(work, id, line)),
    },
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent:
      subscription === null
        ? null
        : {
            type: 'subscription_details',
            quote_details: null,
            subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
          },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: end,
    period_start: start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: owner.balance,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: idOf(owner.test_clock),
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  }
  if (isPreview) return invoice
  work.unit.put('invoice', invoice)
  work.tell('invoice.created', invoice)
  return invoice
}

const dueDate = (now: number, days: number | null) => (days === null ? null : now + days * DAY)

/** Gives the invoice its number and pages, and uses the customer's credit. */
export function finalize(work: Work, draft: Stripe.Invoice): Stripe.Invoice {
  if (draft.status !== 'draft') throw unexpected('invoice_not_editable', 'This invoice is already finalized.')
  const customerId = needId(draft.customer ?? '')
  const customer = work.get('customer', customerId)
  const now = work.now(customerId)
  const due = draft.total + customer.balance
  const sequence = customer.next_invoice_sequence ?? 1
  const balance = Math.min(0, due)
  work.unit.put('customer', { ...customer, balance, next_invoice_sequence: sequence + 1 })
  const secret = work.id('').slice(1)
  const invoice = work.unit.put('invoice', {
    ...draft,
    amount_due: Math.max(0, due),
    amount_remaining: Math.max(0, due),
    starting_balance: customer.balance,
    ending_balance: balance,
    effective_at: now,
    number: `${customer.invoice_prefix ?? 'SWB'}-${String(sequence).padStart(4, '0')}`,
    hosted_invoice_url: work.page(`/invoice/${draft.id}_${secret}`),
    invoice_pdf: work.page(`/invoice/${draft.id}_${secret}/pdf`),
    status: 'open',
    status_transitions: { ...draft.status_transitions, finalized_at: now },
  })
  work.tell('invoice.finalized', invoice)
  return invoice.amount_due === 0 ? markPaid(work, invoice) : invoice
}

/** The card that an invoice is charged to. */
function methodFor(work: Work, invoice: Stripe.Invoice): Stripe.PaymentMethod | undefined {
  const customer = work.unit.find('customer', needId(invoice.customer ?? ''))
  const id = idOf(invoice.default_payment_method) ?? idOf(customer?.invoice_settings.default_payment_method)
  const found = id === null ? undefined : work.unit.find('payment_method', id)
  return idOf(found?.customer) === customer?.id ? found : undefined
}

export type Collected = Attempt | { readonly kind: 'no_card' } | { readonly kind: 'nothing_due' }

/** Charges an open invoice. The caller decides about the subscription. */
export function collect(
  work: Work,
  invoice: Stripe.Invoice,
  { method, present, isConfirmed = false }: { method?: Stripe.PaymentMethod; present: boolean; isConfirmed?: boolean },
): { invoice: Stripe.Invoice; attempt: Collected } {
  if (invoice.status !== 'open') return { invoice, attempt: { kind: 'nothing_due' } }
  const card = method ?? methodFor(work, invoice)
  if (card === undefined) return { invoice: markFailed(work, invoice), attempt: { kind: 'no_card' } }
  const payment = work.unit.list('invoice_payment').find((one) => idOf(one.invoice as string) === invoice.id)
  const known = idOf(payment?.payment.payment_intent)
  const intent =
    (known === null ? undefined : work.unit.find('payment_intent', known)) ??
    newIntent(work, {
      amount: invoice.amount_due,
      currency: invoice.currency,
      customer: needId(invoice.customer ?? ''),
      metadata: {},
      description: `Payment for Invoice ${invoice.number ?? invoice.id}`,
    })
  const attempt = pay(work, intent, card, { present, isConfirmed })
  const link = payment ?? newPayment(work, invoice, intent.id)
  if (attempt.kind === 'paid') {
    const at = work.now(needId(invoice.customer ?? ''))
    work.unit.put('invoice_payment', {
      ...link,
      status: 'paid',
      amount_paid: invoice.amount_due,
      status_transitions: { canceled_at: null, paid_at: at },
    })
    return { invoice: markPaid(work, invoice), attempt }
  }
  if (payment === undefined) work.unit.put('invoice_payment', link)
  if (attempt.kind === 'challenge') {
    work.tell('invoice.payment_action_required', invoice)
    return { invoice, attempt }
  }
  return { invoice: markFailed(work, invoice), attempt }
}

function newPayment(work: Work, invoice: Stripe.Invoice, intent: string): Stripe.InvoicePayment {
  return {
    id: work.id('inpay'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: work.now(needId(invoice.customer ?? '')),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: intent },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  }
}

function markPaid(work: Work, invoice: Stripe.Invoice): Stripe.Invoice {
  const paid = work.unit.put('invoice', {
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    attempt_count: invoice.attempt_count + (invoice.amount_due > 0 ? 1 : 0),
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: work.now(needId(invoice.customer ?? '')) },
  })
  work.tell('invoice.paid', paid)
  work.tell('invoice.payment_succeeded', paid)
  return paid
}

function markFailed(work: Work, invoice: Stripe.Invoice): Stripe.Invoice {
  const attempts = invoice.attempt_count + 1
  const days = RETRY_DAYS[attempts - 1]
  const now = work.now(needId(invoice.customer ?? ''))
  const failed = work.unit.put('invoice', {
    ...invoice,
    attempted: true,
    attempt_count: attempts,
    next_payment_attempt: days === undefined ? null : now + days * DAY,
  })
  work.tell('invoice.payment_failed', failed)
  return failed
}

export function voidInvoice(work: Work, invoice: Stripe.Invoice): Stripe.Invoice {
  if (invoice.status !== 'open') {
    throw unexpected('invoice_not_editable', 'You can only void an open invoice.')
  }
  const voided = work.unit.put('invoice', {
    ...invoice,
    status: 'void',
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, voided_at: work.now(needId(invoice.customer ?? '')) },
  })
  work.tell('invoice.voided', voided)
  return voided
}

export const subscriptionOf = (invoice: Stripe.Invoice): string | null =>
  idOf(invoice.parent?.subscription_details?.subscription)

/** The card that the request names for this payment. */
export const namedMethod = (work: Work, id: string | undefined): { method?: Stripe.PaymentMethod } =>
  id ? { method: methodNamed(work, id) } : {}
