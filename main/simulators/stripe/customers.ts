import type Stripe from 'stripe'
import { invalid, type Reader } from './form.ts'
import { idOf, type Work } from './unit.ts'

export function createCustomer(work: Work, params: Reader): Stripe.Customer {
  const clock = params.text('test_clock') || null
  const testClock = clock === null ? null : work.get('test_clock', clock, 'test_clock')
  const customer: Stripe.Customer = {
    id: work.id('cus'),
    object: 'customer',
    address: null,
    balance: 0,
    created: testClock?.frozen_time ?? work.now(),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: params.text('description') || null,
    discount: null,
    email: params.text('email') || null,
    invoice_prefix: work.id('').slice(1, 9).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: params.metadata(),
    name: params.text('name') || null,
    next_invoice_sequence: 1,
    phone: params.text('phone') || null,
    preferred_locales: params.texts('preferred_locales'),
    shipping: null,
    tax_exempt: 'none',
    test_clock: testClock?.id ?? null,
  }
  work.unit.put('customer', customer)
  work.tell('customer.created', customer)
  return customer
}

export function updateCustomer(work: Work, before: Stripe.Customer, params: Reader): Stripe.Customer {
  const method = params.below('invoice_settings').text('default_payment_method')
  if (method !== undefined && method !== '') {
    const found = work.get('payment_method', method, 'invoice_settings[default_payment_method]')
    if (idOf(found.customer) !== before.id) {
      throw invalid(
        `The customer does not have a payment method with the ID ${method}. The payment method must be attached to the customer.`,
        'invoice_settings[default_payment_method]',
      )
    }
  }
  const text = (name: 'description' | 'email' | 'name' | 'phone') =>
    params.has(name) ? { [name]: params.text(name) || null } : {}
  const after: Stripe.Customer = {
    ...before,
    ...{ ...text('description'), ...text('email'), ...text('name'), ...text('phone') },
    metadata: params.metadata(before.metadata),
    ...(params.has('preferred_locales') && { preferred_locales: params.texts('preferred_locales') }),
    ...(params.has('balance') && { balance: params.integer('balance') ?? 0 }),
    invoice_settings: {
      ...before.invoice_settings,
      ...(method !== undefined && { default_payment_method: method || null }),
    },
  }
  work.unit.put('customer', after)
  work.tell('customer.updated', after, before)
  return after
}

/** Deletes only the customer; Stripe keeps the payments. */
export function deleteCustomer(work: Work, customer: Stripe.Customer): Stripe.DeletedCustomer {
  work.unit.remove(customer.id)
  work.tell('customer.deleted', customer)
  return { id: customer.id, object: 'customer', deleted: true }
}

/** The first payment fixes the customer's currency permanently. */
export function settleCurrency(work: Work, customer: Stripe.Customer, currency: string): Stripe.Customer {
  if (customer.currency === currency) return customer
  if (customer.currency !== null && customer.currency !== undefined) {
    throw invalid(
      `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${customer.currency}`,
      'currency',
    )
  }
  return work.unit.put('customer', { ...customer, currency })
}
