import type Stripe from 'stripe'
import { missing, StripeFault } from './faults.ts'
import { invalid, type Reader } from './form.ts'
import { idOf, type Work } from './unit.ts'

export function createRefund(work: Work, params: Reader): Stripe.Refund {
  const charge = chargeOf(work, params)
  const left = charge.amount_captured - charge.amount_refunded
  const amount = params.integer('amount') ?? left
  if (left === 0) {
    throw new StripeFault(400, {
      type: 'invalid_request_error',
      code: 'charge_already_refunded',
      message: `Charge ${charge.id} has already been refunded.`,
    })
  }
  if (amount < 1 || amount > left) {
    throw invalid(
      `Refund amount (${String(amount)}) is greater than unrefunded amount on charge (${String(left)})`,
      'amount',
    )
  }
  const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'] as const
  const refund: Stripe.Refund = {
    id: work.id('re'),
    object: 'refund',
    amount,
    balance_transaction: work.id('txn'),
    charge: charge.id,
    created: work.now(idOf(charge.customer)),
    currency: charge.currency,
    customer: idOf(charge.customer),
    customer_account: null,
    metadata: params.metadata(),
    payment_intent: idOf(charge.payment_intent),
    payment_method: charge.payment_method,
    reason: params.oneOf('reason', reasons) ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  }
  work.unit.put('refund', refund)
  const refunded = charge.amount_refunded + amount
  const after = work.unit.put('charge', {
    ...charge,
    amount_refunded: refunded,
    refunded: refunded === charge.amount_captured,
  })
  work.tell('refund.created', refund)
  work.tell('charge.refunded', after, charge)
  return refund
}

function chargeOf(work: Work, params: Reader): Stripe.Charge {
  const [charge, intent] = [params.text('charge'), params.text('payment_intent')]
  if (charge) return work.get('charge', charge, 'charge')
  if (!intent) throw missing('charge')
  const latest = idOf(work.get('payment_intent', intent, 'payment_intent').latest_charge)
  const found = latest === null ? undefined : work.unit.find('charge', latest)
  if (found?.paid === true) return found
  throw invalid(`This PaymentIntent (${intent}) does not have a successful charge to refund.`, 'payment_intent')
}
