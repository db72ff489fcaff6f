import type Stripe from 'stripe'
import { judgeCharge, type Decline } from './cards.ts'
import { unexpected } from './faults.ts'
import { invalid, type Reader } from './form.ts'
import { attach, declined, methodNamed } from './payment-methods.ts'
import { idOf, type Work } from './unit.ts'

export interface PaymentWish {
  readonly amount: number
  readonly currency: string
  readonly customer: string | null
  readonly metadata: Record<string, string>
  readonly description?: string | null
  readonly setupFutureUsage?: 'off_session' | 'on_session' | null
}

/** The result of an attempt to charge. */
export type Attempt =
  | { readonly kind: 'paid'; readonly intent: Stripe.PaymentIntent }
  | { readonly kind: 'declined'; readonly intent: Stripe.PaymentIntent; readonly decline: Decline }
  | { readonly kind: 'challenge'; readonly intent: Stripe.PaymentIntent }

const MIN_AMOUNT = 50

export function newIntent(work: Work, wish: PaymentWish): Stripe.PaymentIntent {
  const { amount, currency, customer, metadata, description = null, setupFutureUsage = null } = wish
  const id = work.id('pi')
  const intent: Stripe.PaymentIntent = {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${work.id('').slice(1)}`,
    confirmation_method: 'automatic',
    created: work.now(customer),
    currency,
    customer,
    customer_account: null,
    description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: setupFutureUsage,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  }
  work.unit.put('payment_intent', intent)
  work.tell('payment_intent.created', intent)
  return intent
}

/**
 * Charges a card.
 * @param present the cardholder is present and can confirm; otherwise a challenge is a decline.
 * @param isConfirmed the cardholder has confirmed.
 */
export function pay(
  work: Work,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  { present, isConfirmed = false }: { readonly present: boolean; readonly isConfirmed?: boolean },
): Attempt {
  const verdict = method.card === undefined ? 'ok' : judgeCharge(method.card, work.now(idOf(intent.customer)))
  if (verdict === 'ok' || (verdict === 'challenge' && isConfirmed))
    return { kind: 'paid', intent: succeed(work, intent, method) }
  if (verdict === 'challenge' && present) {
    const waiting = work.unit.put('payment_intent', {
      ...intent,
      payment_method: method.id,
      status: 'requires_action',
      next_action: {
        type: 'redirect_to_url',
        redirect_to_url: { return_url: null, url: work.page(`/challenge/${intent.id}`) },
      },
    })
    work.tell('payment_intent.requires_action', waiting)
    return { kind: 'challenge', intent: waiting }
  }
  const decline: Decline = verdict === 'challenge' ? NEEDS_CARDHOLDER : verdict
  return { kind: 'declined', intent: fail(work, intent, method, decline), decline }
}

const NEEDS_CARDHOLDER = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
} as unknown as Decline

function succeed(work: Work, intent: Stripe.PaymentIntent, method: Stripe.PaymentMethod): Stripe.PaymentIntent {
  const charge = putCharge(work, intent, method, null)
  const paid: Stripe.PaymentIntent = {
    ...intent,
    amount_received: intent.amount,
    latest_charge: charge.id,
    last_payment_error: null,
    next_action: null,
    payment_method: method.id,
    status: 'succeeded',
  }
  work.unit.put('payment_intent', paid)
  work.tell('charge.succeeded', charge)
  const customer = idOf(intent.customer)
  if (intent.setup_future_usage !== null && customer !== null)
    attach(work, work.get('payment_method', method.id), customer)
  work.tell('payment_intent.succeeded', paid)
  return paid
}

function fail(
  work: Work,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  decline: Decline,
): Stripe.PaymentIntent {
  const charge = putCharge(work, intent, method, decline)
  const failed: Stripe.PaymentIntent = {
    ...intent,
    latest_charge: charge.id,
    next_action: null,
    payment_method: null,
    status: 'requires_payment_method',
    last_payment_error: {
      type: 'card_error',
      code: decline.code,
      decline_code: decline.decline_code,
      message: decline.message,
      charge: charge.id,
      payment_method: method,
    },
  }
  work.unit.put('payment_intent', failed)
  work.tell('charge.failed', charge)
  work.tell('payment_intent.payment_failed', failed)
  return failed
}

function putCharge(
  work: Work,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  decline: Decline | null,
): Stripe.Charge {
  const isPaid = decline === null
  const charge: Stripe.Charge = {
    id: work.id('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: isPaid ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: isPaid ? work.id('txn') : null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'SWITCHBOARD',
    captured: isPaid,
    created: work.now(idOf(intent.customer)),
    currency: intent.currency,
    customer: idOf(intent.customer),
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: isPaid ? 'approved_by_network' : 'declined_by_network',
      reason: decline?.decline_code ?? null,
      risk_level: 'normal',
      seller_message: isPaid ? 'Payment complete.' : decline.message,
      type: isPaid ? 'authorized' : 'issuer_declined',
    },
    paid: isPaid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card' },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: isPaid ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  }
  return work.unit.put('charge', charge)
}

export function createIntent(work: Work, params: Reader): Stripe.PaymentIntent {
  const amount = params.integer('amount')
  if (amount === undefined) throw invalid('Missing required param: amount.', 'amount')
  if (amount < MIN_AMOUNT) throw invalid(`Amount must be at least ${String(MIN_AMOUNT)} cents`, 'amount')
  const customer = params.text('customer') || null
  if (customer !== null) work.get('customer', customer, 'customer')
  const intent = newIntent(work, {
    amount,
    currency: params.need('currency').toLowerCase(),
    customer,
    metadata: params.metadata(),
    description: params.text('description') || null,
    setupFutureUsage: params.oneOf('setup_future_usage', ['off_session', 'on_session']) ?? null,
  })
  const given = params.text('payment_method') || null
  const method = given === null ? null : methodNamed(work, given)
  refuseStranger(method, customer)
  if (params.boolean('confirm') === true) return confirm(work, intent, params, method)
  if (method === null) return intent
  return work.unit.put('payment_intent', { ...intent, payment_method: method.id, status: 'requires_confirmation' })
}

/** @throws CardFault, and keeps the failed intent. */
export function confirm(
  work: Work,
  intent: Stripe.PaymentIntent,
  params: Reader,
  given: Stripe.PaymentMethod | null = null,
): Stripe.PaymentIntent {
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw unexpected(
      'payment_intent_unexpected_state',
      `You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`,
    )
  }
  const name = params.text('payment_method') || idOf(intent.payment_method)
  const method = given ?? (name === null ? null : methodNamed(work, name))
  if (method === null) {
    throw unexpected(
      'payment_intent_unexpected_state',
      'You cannot confirm this PaymentIntent because it’s missing a payment method.',
    )
  }
  refuseStranger(method, idOf(intent.customer))
  const present = params.boolean('off_session') !== true && params.boolean('error_on_requires_action') !== true
  return settled(pay(work, intent, method, { present }))
}

/** @throws CardFault for a declined attempt. */
export function settled(attempt: Attempt): Stripe.PaymentIntent {
  if (attempt.kind !== 'declined') return attempt.intent
  throw declined(
    attempt.decline,
    { payment_intent: attempt.intent, charge: idOf(attempt.intent.latest_charge) ?? '' },
    true,
  )
}

export function cancelIntent(work: Work, intent: Stripe.PaymentIntent, params: Reader): Stripe.PaymentIntent {
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw unexpected(
      'payment_intent_unexpected_state',
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
    )
  }
  const reasons = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'] as const
  const canceled = work.unit.put('payment_intent', {
    ...intent,
    status: 'canceled',
    next_action: null,
    canceled_at: work.now(idOf(intent.customer)),
    cancellation_reason: params.oneOf('cancellation_reason', reasons) ?? null,
  })
  work.tell('payment_intent.canceled', canceled)
  return canceled
}

function refuseStranger(method: Stripe.PaymentMethod | null, customer: string | null): void {
  const owner = idOf(method?.customer)
  if (owner === null || owner === customer) return
  throw invalid(
    'The PaymentMethod supplied does not belong to the Customer you supplied. Please supply the Customer it belongs to.',
    'payment_method',
  )
}
