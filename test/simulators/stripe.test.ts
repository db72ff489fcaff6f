import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settle } from '../support/clock.ts'
import { stripeBench } from './stripe-bench.ts'

let b: Awaited<ReturnType<typeof stripeBench>>
let stripe: Stripe
beforeAll(async () => {
  b = await stripeBench()
  stripe = b.clientFor('sk_test_script')
})
afterAll(() => b.close())

const TYPES = join(dirname(createRequire(import.meta.url).resolve('stripe')), '..', 'esm', 'resources')

/** The fields that the SDK declares as always present, read from its own declarations. */
function requiredFields(file: string, name: string): string[] {
  const text = readFileSync(join(TYPES, `${file}.d.ts`), 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '')
  const start = new RegExp(`export interface ${name}\\s*(?:extends [^{]*)?\\{`).exec(text)
  if (start === null) throw new Error(`${file} declares no ${name}`)
  const fields: string[] = []
  let depth = 1
  for (const line of text.slice(start.index + start[0].length).split('\n')) {
    const field = /^\s*([a-z_]+):/.exec(line)?.[1]
    if (depth === 1 && field !== undefined) fields.push(field)
    depth += line.split('{').length - line.split('}').length
    if (depth <= 0) break
  }
  return fields
}

const DECLARED: Readonly<Record<string, readonly [file: string, name: string]>> = {
  customer: ['Customers', 'Customer'],
  payment_method: ['PaymentMethods', 'PaymentMethod'],
  setup_intent: ['SetupIntents', 'SetupIntent'],
  payment_intent: ['PaymentIntents', 'PaymentIntent'],
  charge: ['Charges', 'Charge'],
  refund: ['Refunds', 'Refund'],
  product: ['Products', 'Product'],
  price: ['Prices', 'Price'],
  plan: ['Plans', 'Plan'],
  subscription: ['Subscriptions', 'Subscription'],
  subscription_item: ['SubscriptionItems', 'SubscriptionItem'],
  invoice: ['Invoices', 'Invoice'],
  line_item: ['InvoiceLineItems', 'InvoiceLineItem'],
  invoiceitem: ['InvoiceItems', 'InvoiceItem'],
  invoice_payment: ['InvoicePayments', 'InvoicePayment'],
  item: ['LineItems', 'LineItem'],
  'checkout.session': ['Checkout/Sessions', 'Session'],
  'billing_portal.session': ['BillingPortal/Sessions', 'Session'],
  event: ['Events', 'EventBase'],
  'test_helpers.test_clock': ['TestHelpers/TestClocks', 'TestClock'],
  'billing.meter': ['Billing/Meters', 'Meter'],
  'billing.meter_event': ['Billing/MeterEvents', 'MeterEvent'],
  tax_id: ['TaxIds', 'TaxId'],
  webhook_endpoint: ['WebhookEndpoints', 'WebhookEndpoint'],
  account: ['Accounts', 'Account'],
}
const declared = new Map<string, string[]>()
const seen = new Set<string>()

/** Every object in an answer has all fields that the SDK declares as present. */
function hold(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(hold)
  if (typeof value !== 'object' || value === null) return
  const object = value as Record<string, unknown>
  const kind = object['object']
  if (typeof kind === 'string' && object['deleted'] !== true && kind in DECLARED) {
    const [file = '', name = ''] = DECLARED[kind] ?? []
    const fields = declared.get(kind) ?? requiredFields(file, name)
    declared.set(kind, fields)
    seen.add(kind)
    expect(fields.length, kind).toBeGreaterThan(3)
    expect(
      fields.filter((field) => !(field in object)),
      `fields of ${kind}`,
    ).toEqual([])
  }
  Object.values(object).forEach(hold)
}

test('sixty calls of the official client get answers of its own types', async () => {
  let calls = 0
  const made = async <T>(call: Promise<T>): Promise<T> => {
    const value = await call
    calls++
    hold(JSON.parse(JSON.stringify(value)))
    return value
  }
  const fails = async (call: Promise<unknown>) => {
    calls++
    return call.then(
      () => expect.unreachable('the call should fail'),
      (error: unknown) => error as InstanceType<typeof Stripe.errors.StripeError>,
    )
  }
  const { customers, paymentMethods, paymentIntents, setupIntents, products, prices, subscriptions, invoices } = stripe

  const account: Stripe.Account = await made(stripe.accounts.retrieveCurrent())
  expect(account.charges_enabled).toBe(true)
  const endpoint = await made(stripe.webhookEndpoints.create({ url: `${b.localUrl}/hook`, enabled_events: ['*'] }))
  const product: Stripe.Product = await made(products.create({ name: 'Gold' }))
  const monthly: Stripe.Price = await made(
    prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 3_100,
      recurring: { interval: 'month' },
      lookup_key: 'gold',
    }),
  )
  const larger = await made(
    prices.create({
      product_data: { name: 'Platinum' },
      currency: 'usd',
      unit_amount: 6_200,
      recurring: { interval: 'month' },
    }),
  )
  const once = await made(prices.create({ product: product.id, currency: 'usd', unit_amount: 500 }))
  const found = await made(prices.list({ lookup_keys: ['gold'], active: true }))
  expect(found.data.map(({ id }) => id)).toEqual([monthly.id])
  await made(prices.retrieve(monthly.id, { expand: ['product'] }))
  await made(products.update(product.id, { description: 'The best' }))
  await made(products.list({ active: true }))

  const customer: Stripe.Customer = await made(
    customers.create({ name: 'Ada', email: 'ada@example.com', metadata: { a: '1' } }),
  )
  await made(customers.update(customer.id, { metadata: { b: '2', a: '' } }))
  const ada = await made(customers.retrieve(customer.id))
  expect(ada.deleted === true ? {} : ada.metadata).toEqual({ b: '2' })
  expect((await made(customers.list({ limit: 1 }))).data).toHaveLength(1)
  await made(customers.createTaxId(customer.id, { type: 'br_cnpj', value: '01.234.456/5432-10' }))
  await made(customers.listTaxIds(customer.id))

  const card: Stripe.PaymentMethod = await made(
    paymentMethods.create({
      type: 'card',
      card: { number: '4242 4242 4242 4242', exp_month: 8, exp_year: 2030, cvc: '123' },
    }),
  )
  await made(paymentMethods.attach(card.id, { customer: customer.id }))
  await made(customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } }))
  await made(customers.listPaymentMethods(customer.id, { type: 'card' }))
  await made(paymentMethods.retrieve(card.id))
  const setup: Stripe.SetupIntent = await made(
    setupIntents.create({ customer: customer.id, payment_method: 'pm_card_mastercard', confirm: true }),
  )
  expect(setup.status).toBe('succeeded')
  await made(setupIntents.retrieve(setup.id, { expand: ['payment_method'] }))

  const paid: Stripe.PaymentIntent = await made(
    paymentIntents.create({
      amount: 500,
      currency: 'usd',
      customer: customer.id,
      payment_method: card.id,
      confirm: true,
      metadata: { order_id: 'ord_1' },
    }),
  )
  expect([paid.status, paid.amount_received]).toEqual(['succeeded', 500])
  const looked = await made(paymentIntents.search({ query: `metadata['order_id']:'ord_1' AND status:'succeeded'` }))
  expect(looked.data.map(({ id }) => id)).toEqual([paid.id])
  expect((await made(stripe.charges.list({ payment_intent: paid.id }))).data[0]?.paid).toBe(true)
  const refund: Stripe.Refund = await made(stripe.refunds.create({ payment_intent: paid.id, amount: 200 }))
  expect(refund.status).toBe('succeeded')
  await made(stripe.refunds.list({ payment_intent: paid.id }))
  expect((await fails(stripe.refunds.create({ payment_intent: paid.id, amount: 400 }))).statusCode).toBe(400)
  const waiting = await made(
    paymentIntents.create({
      amount: 700,
      currency: 'usd',
      customer: customer.id,
      payment_method: 'pm_card_threeDSecure2Required',
      confirm: true,
    }),
  )
  expect([waiting.status, waiting.next_action?.type]).toEqual(['requires_action', 'redirect_to_url'])
  await made(paymentIntents.cancel(waiting.id))
  const asked = await fails(
    paymentIntents.create({
      amount: 700,
      currency: 'usd',
      customer: customer.id,
      payment_method: 'pm_card_threeDSecure2Required',
      confirm: true,
      off_session: true,
    }),
  )
  expect([asked.statusCode, asked.code]).toEqual([402, 'authentication_required'])
  const refusal = await fails(
    paymentIntents.create({ amount: 700, currency: 'usd', payment_method: 'pm_card_chargeDeclined', confirm: true }),
  )
  expect([refusal.type, refusal.code, refusal.decline_code]).toEqual([
    'StripeCardError',
    'card_declined',
    'generic_decline',
  ])
  expect(refusal.payment_intent?.status).toBe('requires_payment_method')
  expect(
    (await fails(paymentMethods.attach('pm_card_chargeDeclinedExpiredCard', { customer: customer.id }))).code,
  ).toBe('expired_card')

  const clock: Stripe.TestHelpers.TestClock = await made(
    stripe.testHelpers.testClocks.create({ frozen_time: Date.UTC(2026, 0, 31) / 1_000 }),
  )
  const timed = await made(customers.create({ test_clock: clock.id }))
  await made(paymentMethods.attach('pm_card_visa', { customer: timed.id }))
  const [method] = (await made(paymentMethods.list({ customer: timed.id }))).data
  const subscription: Stripe.Subscription = await made(
    subscriptions.create({
      ...{ customer: timed.id, items: [{ price: monthly.id }], default_payment_method: method?.id ?? '' },
      ...{ payment_behavior: 'error_if_incomplete', expand: ['latest_invoice.payments'] },
    }),
  )
  expect(subscription.status).toBe('active')
  // 31 January, 28 February, 31 March: the anchor's day, or the last one.
  const ends = async () => (await made(subscriptions.retrieve(subscription.id))).items.data[0]?.current_period_end
  expect(await ends()).toBe(Date.UTC(2026, 1, 28) / 1_000)
  await made(stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: Date.UTC(2026, 2, 1) / 1_000 }))
  expect(await ends()).toBe(Date.UTC(2026, 2, 31) / 1_000)
  await made(stripe.testHelpers.testClocks.retrieve(clock.id))
  const at = Date.UTC(2026, 2, 15, 12) / 1_000
  await made(stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: at }))
  const item = subscription.items.data[0]?.id ?? ''
  const change = {
    items: [{ id: item, price: larger.id }],
    proration_behavior: 'always_invoice' as const,
    proration_date: at,
  }
  const preview: Stripe.Invoice = await made(
    invoices.createPreview({ subscription: subscription.id, subscription_details: change }),
  )
  const changed = await made(subscriptions.update(subscription.id, { ...change, expand: ['latest_invoice'] }))
  const invoice = changed.latest_invoice as Stripe.Invoice
  expect([invoice.amount_paid, invoice.billing_reason]).toEqual([preview.amount_due, 'subscription_update'])
  expect(preview.amount_due).toBe(1_550)
  await made(invoices.retrieve(invoice.id))
  await made(invoices.list({ customer: timed.id }))
  await made(stripe.invoicePayments.list({ invoice: invoice.id }))
  await made(invoices.createPreview({ subscription: subscription.id }))
  await made(subscriptions.list({ customer: timed.id }))
  await made(subscriptions.search({ query: `status:'active'` }))
  await made(subscriptions.update(subscription.id, { cancel_at_period_end: true }))
  expect((await made(subscriptions.cancel(subscription.id, { prorate: true, invoice_now: true }))).status).toBe(
    'canceled',
  )

  const session: Stripe.Checkout.Session = await made(
    stripe.checkout.sessions.create({
      ...{ mode: 'payment', customer: customer.id, line_items: [{ price: once.id, quantity: 2 }] },
      ...{ success_url: 'https://example.com/done', client_reference_id: 'ord_2' },
    }),
  )
  expect([session.amount_total, session.payment_status]).toEqual([1_000, 'unpaid'])
  await made(stripe.checkout.sessions.retrieve(session.id, { expand: ['line_items'] }))
  await made(stripe.checkout.sessions.list({ customer: customer.id }))
  await made(stripe.checkout.sessions.expire(session.id))
  const portal: Stripe.BillingPortal.Session = await made(
    stripe.billingPortal.sessions.create({ customer: customer.id }),
  )
  expect(portal.url).toContain('/sandbox/stripe/portal/bps_')
  const meter: Stripe.Billing.Meter = await made(
    stripe.billing.meters.create({
      display_name: 'Messages',
      event_name: 'messages',
      default_aggregation: { formula: 'sum' },
    }),
  )
  expect(meter.status).toBe('active')
  const count = {
    event_name: 'messages',
    identifier: 'day-1',
    payload: { stripe_customer_id: customer.id, value: '3' },
  }
  await made(stripe.billing.meterEvents.create(count))
  expect((await fails(stripe.billing.meterEvents.create(count))).statusCode).toBe(400)
  const event: Stripe.Event | undefined = (await made(stripe.events.list({ type: 'charge.refunded' }))).data[0]
  await made(stripe.events.retrieve(event?.id ?? ''))
  const wrong = await fails(customers.retrieve('cus_unknown'))
  expect([wrong.statusCode, wrong.code]).toEqual([404, 'resource_missing'])
  await made(customers.del(customer.id))
  expect(calls).toBeGreaterThanOrEqual(60)
  expect([...seen].sort()).toEqual(
    Object.keys(DECLARED)
      .filter((kind) => kind !== 'invoiceitem')
      .sort(),
  )

  // Signed as the library checks it.
  await b.clock.advance(100)
  for (let i = 0; i < 50 && b.received.length < 5; i++) {
    await settle()
    await b.clock.advance(100)
  }
  expect(b.received.length).toBeGreaterThan(4)
  const [first] = b.received
  const secret = endpoint.secret ?? ''
  expect(
    stripe.webhooks.constructEvent(first?.body ?? '', first?.signature ?? '', secret, 300, undefined, b.clock.now())
      .object,
  ).toBe('event')
})

test('an idempotency key replays the same request and refuses another one', async () => {
  const { customers } = stripe
  const options = { idempotencyKey: 'once' }
  const [one, two] = await Promise.all([
    customers.create({ name: 'Bo' }, options),
    customers.create({ name: 'Bo' }, options).catch((error: unknown) => error as { statusCode: number }),
  ])
  expect('statusCode' in two ? two.statusCode : two.id).toBe('statusCode' in two ? 409 : one.id)
  const again = await customers.create({ name: 'Bo' }, options)
  expect([again.id, again.lastResponse.headers['idempotent-replayed']]).toEqual([one.id, 'true'])
  await expect(customers.create({ name: 'Cy' }, options)).rejects.toMatchObject({ type: 'StripeIdempotencyError' })
  expect((await customers.list({ limit: 100 })).data.filter(({ name }) => name === 'Bo')).toHaveLength(1)
  const declined = { amount: 900, currency: 'usd', payment_method: 'pm_card_chargeDeclined', confirm: true } as const
  const errors = []
  for (let i = 0; i < 2; i++) {
    errors.push(
      await stripe.paymentIntents
        .create(declined, { idempotencyKey: 'no' })
        .catch((error: unknown) => error as { payment_intent: { id: string } }),
    )
  }
  expect(errors[0] && 'payment_intent' in errors[0] && errors[0].payment_intent).toEqual(
    errors[1] && 'payment_intent' in errors[1] && errors[1].payment_intent,
  )
})

test('refuses live keys and real cards, and separates accounts', async () => {
  await expect(b.clientFor('sk_live_something').customers.list()).rejects.toMatchObject({ statusCode: 401 })
  const card = { number: '4111 1111 1111 1111', exp_month: 8, exp_year: 2030 }
  await expect(stripe.paymentMethods.create({ type: 'card', card })).rejects.toMatchObject({
    decline_code: 'test_mode_live_card',
  })
  expect((await b.clientFor('sk_test_other').customers.list()).data).toEqual([])
})
