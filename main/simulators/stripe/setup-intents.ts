import type Stripe from 'stripe'
import { judgeAttach, judgeCharge } from './cards.ts'
import { unexpected } from './faults.ts'
import type { Reader } from './form.ts'
import { attach, declined, methodNamed } from './payment-methods.ts'
import { idOf, type Work } from './unit.ts'

export function createSetupIntent(work: Work, params: Reader): Stripe.SetupIntent {
  const customer = params.text('customer') || null
  if (customer !== null) work.get('customer', customer, 'customer')
  const id = work.id('seti')
  const intent: Stripe.SetupIntent = {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${work.id('').slice(1)}`,
    created: work.now(customer),
    customer,
    customer_account: null,
    description: params.text('description') || null,
    excluded_payment_method_types: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: params.metadata(),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: params.oneOf('usage', ['off_session', 'on_session']) ?? 'off_session',
  }
  work.unit.put('setup_intent', intent)
  work.tell('setup_intent.created', intent)
  const method = params.text('payment_method') || null
  if (params.boolean('confirm') === true) return confirmSetup(work, intent, methodNamed(work, method ?? ''), false)
  if (method === null) return intent
  const named = methodNamed(work, method)
  return work.unit.put('setup_intent', { ...intent, payment_method: named.id, status: 'requires_confirmation' })
}

/** @throws CardFault if the bank refuses the card. */
export function confirmSetup(
  work: Work,
  intent: Stripe.SetupIntent,
  method: Stripe.PaymentMethod,
  isConfirmed: boolean,
): Stripe.SetupIntent {
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw unexpected(
      'setup_intent_unexpected_state',
      `You cannot confirm this SetupIntent because it has a status of ${intent.status}.`,
    )
  }
  const customer = idOf(intent.customer)
  const { card } = method
  const verdict = card === undefined ? 'ok' : judgeAttach(card, work.now(customer))
  if (typeof verdict === 'object') throw declined(verdict, {}, false)
  const asks = card !== undefined && judgeCharge(card, work.now(customer)) === 'challenge'
  if (asks && !isConfirmed) {
    const waiting = work.unit.put('setup_intent', {
      ...intent,
      payment_method: method.id,
      status: 'requires_action',
      next_action: {
        type: 'redirect_to_url',
        redirect_to_url: { return_url: null, url: work.page(`/challenge/${intent.id}`) },
      },
    })
    work.tell('setup_intent.requires_action', waiting)
    return waiting
  }
  if (customer !== null) attach(work, method, customer)
  const done = work.unit.put('setup_intent', {
    ...intent,
    payment_method: method.id,
    next_action: null,
    status: 'succeeded',
  })
  work.tell('setup_intent.succeeded', done)
  return done
}
