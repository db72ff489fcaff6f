import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import { judgeAttach, numberOfAlias, TEST_CARDS, type Decline } from './cards.ts'
import { updateCustomer } from './customers.ts'
import { CardFault, noSuch } from './faults.ts'
import { invalid, Reader } from './form.ts'
import { idOf, type Work } from './unit.ts'

export interface CardDetails {
  readonly number: string
  readonly expMonth: number
  readonly expYear: number
  readonly name?: string | null
}

export const declined = ({ code, decline_code, message }: Decline, more: object, keeps: boolean) =>
  new CardFault({ code, decline_code, message, ...more }, keeps)

/**
 * A payment method of a test card. The number is not stored.
 * @throws CardFault for every other number: it may be a real card.
 */
export function createCard(work: Work, { number, expMonth, expYear, name = null }: CardDetails): Stripe.PaymentMethod {
  const digits = number.replaceAll(/[\s-]/g, '')
  const known = TEST_CARDS[digits]
  if (known === undefined) {
    if (!/^\d{12,19}$/.test(digits) || !isLuhn(digits)) {
      const message = 'Your card number is incorrect.'
      throw new CardFault({ code: 'incorrect_number', message, param: 'number' }, false)
    }
    const message =
      'Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: https://stripe.com/docs/testing.'
    throw new CardFault({ code: 'card_declined', decline_code: 'test_mode_live_card', message, param: '' }, false)
  }
  if (expMonth < 1 || expMonth > 12) {
    throw new CardFault(
      { code: 'invalid_expiry_month', message: "Your card's expiration month is invalid.", param: 'exp_month' },
      false,
    )
  }
  const method: Stripe.PaymentMethod = {
    id: work.id('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: null, email: null, name, phone: null, tax_id: null },
    card: {
      brand: known.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: known.brand,
      exp_month: expMonth,
      exp_year: expYear,
      fingerprint: createHash('sha256').update(digits).digest('hex').slice(0, 16),
      funding: 'credit',
      generated_from: null,
      last4: digits.slice(-4),
      networks: { available: [known.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: work.now(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  }
  return work.unit.put('payment_method', method)
}

export function createPaymentMethod(work: Work, params: Reader): Stripe.PaymentMethod {
  if (params.need('type') !== 'card') throw invalid('The simulator knows cards only.', 'type')
  const card = params.below('card')
  if (card.has('token')) return methodNamed(work, `pm_card_${card.need('token').replace(/^tok_/, '')}`)
  return createCard(work, {
    number: card.need('number'),
    expMonth: card.integer('exp_month') ?? 0,
    expYear: card.integer('exp_year') ?? 0,
    name: params.below('billing_details').text('name') || null,
  })
}

/** A stored payment method, or a new one for an id of Stripe's test mode such as `pm_card_visa`. */
export function methodNamed(work: Work, id: string, param = 'payment_method'): Stripe.PaymentMethod {
  const number = numberOfAlias(id)
  if (number === undefined) {
    const found = work.unit.find('payment_method', id)
    if (found !== undefined) return found
    throw noSuch('PaymentMethod', id, param)
  }
  const expYear = new Date(work.now() * 1_000).getUTCFullYear() + 1
  return createCard(work, { number, expMonth: 12, expYear })
}

/** @throws CardFault if the bank refuses the card when it is saved. */
export function attach(work: Work, method: Stripe.PaymentMethod, customer: string): Stripe.PaymentMethod {
  work.get('customer', customer, 'customer')
  const owner = idOf(method.customer)
  if (owner === customer) return method
  if (owner !== null) {
    throw invalid('The payment method you provided has already been attached to a customer.', 'payment_method')
  }
  const verdict = method.card === undefined ? 'ok' : judgeAttach(method.card, work.now(customer))
  if (typeof verdict === 'object') throw declined(verdict, { param: '' }, false)
  const attached = work.unit.put('payment_method', { ...method, customer })
  work.tell('payment_method.attached', attached)
  return attached
}

export function detach(work: Work, method: Stripe.PaymentMethod): Stripe.PaymentMethod {
  const owner = idOf(method.customer)
  if (owner === null) {
    throw invalid('The payment method you provided is not attached to a customer so detachment is impossible.', 'id')
  }
  const detached = work.unit.put('payment_method', { ...method, customer: null })
  const customer = work.unit.find('customer', owner)
  if (customer !== undefined && idOf(customer.invoice_settings.default_payment_method) === method.id) {
    updateCustomer(work, customer, new Reader({ invoice_settings: { default_payment_method: '' } }))
  }
  work.tell('payment_method.detached', detached, { customer: owner })
  return detached
}

export const methodsOf = (work: Work, customer: string): Stripe.PaymentMethod[] =>
  work.unit.list('payment_method').filter((method) => idOf(method.customer) === customer)

function isLuhn(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce((total, digit, i) => {
      const value = digit * (i % 2 === 1 ? 2 : 1)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}
