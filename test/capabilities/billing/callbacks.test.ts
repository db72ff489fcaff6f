import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import type { Statement } from '../../../main/kernel/sql.ts'
import { billingWorld, CARDS, type BillingWorld } from './billing-world.ts'

const checkout = (b: BillingWorld, body: object, headers?: Record<string, string>) =>
  b.call('POST', '/v1/billing/checkouts', body, headers)
const pay = (b: BillingWorld, { checkout_id: id }: { checkout_id: string }, more: object = {}) =>
  b.call('POST', `/v1/sandbox/billing/checkouts/${id}/pay`, { number: CARDS.works, ...more })
const read = (b: BillingWorld, { checkout_id: id }: { checkout_id: string }) =>
  b.call('GET', `/v1/billing/checkouts/${id}`)
const paid = (b: BillingWorld, made: { checkout_id: string }) =>
  b.until('the checkout is paid', async () => (await read(b, made)).status === 'paid')

/** Charged once, provisioned once, and the books agree. */
async function booksAgree(b: BillingWorld): Promise<void> {
  expect(await b.paidInAll()).toBe(await b.charged())
  const grants = await b.w.rows<{ key: string }>('SELECT source_key AS key FROM entitlement_grants')
  expect(new Set(grants.map(({ key }) => key)).size).toBe(grants.length)
}

test('a checkout page and the invoices after it are in the language of the buyer', async () => {
  const b = await billingWorld()
  const objects = async (kind: string) =>
    (
      await b.w.rows<{ body: string }>('SELECT body FROM sandbox_stripe_objects WHERE kind = :kind ORDER BY seq', {
        kind,
      })
    ).map(({ body }) => JSON.parse(body) as Record<string, unknown>)
  await checkout(b, { plan: 'growth' })
  expect(await objects('checkout_session')).toMatchObject([{ locale: null }])
  expect(await objects('customer')).toMatchObject([{ preferred_locales: [] }])
  await checkout(b, { plan: 'growth', language: 'pt-BR' })
  expect((await objects('checkout_session')).at(-1)).toMatchObject({ locale: 'pt-BR' })
  expect(await objects('customer')).toMatchObject([{ preferred_locales: ['pt-BR'] }])
  const refused = await b.w.api('POST', '/v1/billing/checkouts', { plan: 'growth', language: 'klingon' })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
})

test('a checkout is paid on its page, saves the card, and is provisioned once by its callback', async () => {
  const b = await billingWorld()
  const key = { 'idempotency-key': 'checkout' }
  const made = await checkout(b, { plan: 'growth' }, key)
  expect(made).toMatchObject({ status: 'open', expires_at: '2026-01-06T12:00:00.000Z' })
  expect(await checkout(b, { plan: 'growth' }, key)).toEqual(made)
  expect(made.checkout_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sandbox\/stripe\/checkout\/cs_test_\w{40,}$/)
  expect(await b.charged()).toBe(0)
  expect(await b.purchases()).toEqual([])
  await pay(b, made)
  await paid(b, made)
  await b.rest()
  expect(await b.subscription()).toMatchObject({ status: 'active', plan: 'growth', slots: 10_025 })
  expect(await b.purchases()).toMatchObject([{ status: 'paid', checkout_id: made.checkout_id, amount_cents: 7_900 }])
  expect((await b.call('GET', '/v1/billing/plans')).has_saved_card).toBe(true)
  await booksAgree(b)

  // The saved card pays for the next one, and another plan in a checkout replaces the first.
  expect(await b.buy({ product: 'slots', tier: '5' })).toMatchObject({ status: 'paid', amount_cents: 1_900 })
  expect((await b.subscription()).slots).toBe(10_030)
  await b.advance(10)
  const larger = await checkout(b, { plan: 'scale' })
  await pay(b, larger)
  await paid(b, larger)
  await b.rest()
  expect(await b.subscription()).toMatchObject({ plan: 'scale', slots: 10_105 })
  const living = await b.w.rows<{ plan: string }>(
    `SELECT plan FROM billing_subscriptions WHERE status = 'active' AND plan IS NOT NULL`,
  )
  expect(living).toEqual([{ plan: 'scale' }])
  const [customer] = await b.w.rows<{ body: string }>(`SELECT body FROM sandbox_stripe_objects WHERE kind = 'customer'`)
  // What was left of the first plan is credit.
  expect(JSON.parse(customer?.body ?? '{}').balance).toBe(-Math.round((7_900 * 21) / 31))
  await booksAgree(b)
})

test.each(['duplicate_callbacks', 'reorder_callbacks', 'lose_callbacks'])(
  'with %s, every paid purchase is provisioned once',
  async (kind) => {
    const b = await billingWorld()
    const made = [await checkout(b, { product: 'setup' }), await checkout(b, { product: 'slots', tier: '5' })]
    await b.fault(kind, 100)
    for (const one of made) await pay(b, one)
    // Without callbacks the poller looks every 15 seconds.
    if (kind === 'lose_callbacks') await b.w.clock.advance(16_000)
    for (const one of made) await paid(b, one)
    await b.rest()
    expect((await b.subscription()).slots).toBe(10_005)
    expect(await b.charged()).toBe(11_800)
    expect((await b.history()).filter(({ kind: what }) => what === 'product_bought')).toHaveLength(2)
    await booksAgree(b)
  },
)

test('a person who returns from the payment page sees the checkout as paid, even before the callback arrives', async () => {
  const b = await billingWorld()
  const made = await checkout(b, { product: 'setup' })
  await b.fault('lose_callbacks', 100)
  await pay(b, made)
  expect((await read(b, made)).status).toBe('open')
  const back = await b.w.wire('GET', `/callbacks/stripe/return?checkout=${made.checkout_id}`, undefined, {
    key: null,
    headers: { accept: 'text/html', 'accept-language': 'pt-BR' },
  })
  expect([back.status, back.text.includes('Você pode fechar esta aba')]).toEqual([200, true])
  expect((await read(b, made)).status).toBe('paid')
  await booksAgree(b)
  const unknown = await b.w.wire('GET', '/callbacks/stripe/return?checkout=chk_unknown', undefined, { key: null })
  expect(unknown.status).toBe(200)
})

test('a challenge is completed on the page, a declined card leaves the checkout open, and a checkout expires', async () => {
  const b = await billingWorld()
  const made = await checkout(b, { plan: 'starter' })
  const attempt = (more: object) => b.w.api('POST', `/v1/sandbox/billing/checkouts/${made.checkout_id}/pay`, more)
  for (const number of [CARDS.declined, CARDS.expired, CARDS.declinedLater, '4111111111111111']) {
    const answer = await attempt({ number })
    expect([answer.status, answer.body.error.code], number).toEqual([402, 'card_declined'])
  }
  const challenged = await attempt({ number: CARDS.challenge })
  expect([challenged.status, challenged.body.error.code]).toEqual([402, 'payment_action_required'])
  expect(await b.charged()).toBe(0)
  expect((await attempt({ number: CARDS.challenge, confirm_challenge: true })).status).toBe(200)
  await paid(b, made)
  await b.rest()
  const again = await attempt({ number: CARDS.works })
  expect([again.status, again.body.error.code]).toEqual([409, 'invalid_state'])
  expect(await b.charged()).toBe(1_900)

  const late = await checkout(b, { product: 'setup' })
  await b.advance(1.5)
  await b.until('it has expired', async () => (await read(b, late)).status === 'expired')
  expect(await b.purchases()).toHaveLength(1)
  await booksAgree(b)
})

test('forged, old and unsigned callbacks are refused, and a repeated callback changes nothing', async () => {
  const b = await billingWorld()
  await b.card()
  await b.rest()
  const [endpoint] = await b.w.rows<{ body: string }>(
    `SELECT body FROM sandbox_stripe_objects WHERE kind = 'webhook_endpoint'`,
  )
  const secret = JSON.parse(endpoint?.body ?? '{}').secret as string
  const stripe = new Stripe('sk_test_x')
  const order = await b.buy({ product: 'setup' })
  const event = {
    id: 'evt_forged',
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(b.w.clock.now() / 1_000),
    type: 'payment_intent.succeeded',
    data: { object: { object: 'payment_intent', customer: 'cus_unknown', metadata: { order_id: order.id } } },
  }
  const payload = JSON.stringify(event)
  const sign = (key: string, offsetSeconds = 0) =>
    stripe.webhooks.generateTestHeaderString({
      payload,
      secret: key,
      timestamp: Math.floor(b.w.clock.now() / 1_000) + offsetSeconds,
    })
  const post = (headers: Record<string, string>, body = payload) =>
    b.w.wire('POST', '/callbacks/stripe', body, { key: null, headers })
  const codes = async (headers: Record<string, string>, body?: string) => {
    const answer = await post(headers, body)
    return [answer.status, answer.body?.error?.code]
  }
  expect(await codes({})).toEqual([401, 'unauthorized'])
  expect(await codes({ 'stripe-signature': 'nonsense' })).toEqual([401, 'unauthorized'])
  expect(await codes({ 'stripe-signature': sign('whsec_other') })).toEqual([401, 'unauthorized'])
  expect(await codes({ 'stripe-signature': sign(secret) }, `${payload} `)).toEqual([401, 'unauthorized'])
  const old = await post({ 'stripe-signature': sign(secret, -600) })
  expect([old.status, old.body.error.message]).toEqual([
    401,
    expect.stringContaining('Check the clock of this computer'),
  ])
  expect(await codes({ 'stripe-signature': sign(secret, 600) })).toEqual([401, 'unauthorized'])
  expect(await b.w.rows(`SELECT event_id FROM billing_callbacks WHERE event_id = 'evt_forged'`)).toEqual([])
  for (let i = 0; i < 2; i++) expect(await codes({ 'stripe-signature': sign(secret) })).toEqual([200, undefined])
  await b.rest()
  expect(await b.w.rows(`SELECT event_id FROM billing_callbacks WHERE event_id = 'evt_forged'`)).toHaveLength(1)
  await booksAgree(b)
  // Our own signature is one that Stripe's library takes.
  const header = sign(secret)
  expect(stripe.webhooks.constructEvent(payload, header, secret, 300, undefined, b.w.clock.now()).id).toBe('evt_forged')
})

test('a refund is shown, and a refunded one-time purchase is revoked', async () => {
  const b = await billingWorld()
  await b.card()
  const bought = await b.buy({ product: 'setup' })
  const refund = (body?: object) => b.w.api('POST', `/v1/sandbox/billing/purchases/${bought.id}/refund`, body)
  expect((await refund({ amount_cents: 900 })).status).toBe(200)
  await b.rest()
  expect((await b.purchases())[0]).toMatchObject({ status: 'paid', refunded_cents: 900 })
  expect((await refund({ amount_cents: 9_900 })).status).toBe(409)
  expect((await refund()).status).toBe(200)
  await b.rest()
  expect((await b.purchases())[0]).toMatchObject({ refunded_cents: 9_900 })
  expect((await refund()).body.error.code).toBe('invalid_state')
  expect(await b.charged()).toBe(0)
  expect(await b.w.rows(`SELECT source_key FROM entitlement_grants WHERE source = 'billing'`)).toEqual([])
})

describe('a payment that does not match its order', () => {
  const billingLines = async (b: BillingWorld) =>
    (await b.console('GET', '/v1/overview/attention')).data.filter(({ room }: { room: string }) => room === 'billing')

  /** The answer to the charge is lost, and the order says less than was charged. */
  async function mismatched(b: BillingWorld, body: object) {
    await b.card()
    await b.fault('close_after_read')
    const bought = await b.buy(body, { 'idempotency-key': 'mismatch' })
    expect(bought.status).toBe('processing')
    const lower: Statement<object> = { text: 'UPDATE billing_orders SET amount_cents = amount_cents - 100' }
    await b.w.service.db.commit((tx) => tx.run(lower, {}))
    return b.until('the order is decided', async () =>
      (await b.purchases()).find(({ status }) => status !== 'processing'),
    )
  }

  test('ends its order without provisioning, and needs attention until it is refunded', async () => {
    const b = await billingWorld()
    const order = await mismatched(b, { product: 'setup' })
    expect(order).toMatchObject({ status: 'failed', failure_code: 'amount_mismatch', amount_cents: 9_900 })
    expect(await b.w.rows('SELECT source_key FROM entitlement_grants')).toEqual([])
    const [line, ...others] = await billingLines(b)
    expect(others).toEqual([])
    expect(line).toMatchObject({ code: 'amount_mismatch', severity: 'error', count: 1 })
    expect(line.text).toMatch(/^Payment pi_\w+ of \$99\.00 does not match order ord_\w+, .* refund the payment\./)
    // Callbacks about it that come later change nothing.
    await b.rest()
    await b.w.pass(60_000)
    expect(await b.purchases()).toEqual([order])
    await b.call('POST', `/v1/sandbox/billing/purchases/${order.id}/refund`)
    await b.rest()
    expect(await billingLines(b)).toEqual([])
    expect((await b.purchases())[0]).toMatchObject({ status: 'failed', refunded_cents: 9_900 })
    expect(await b.charged()).toBe(0)
  })

  test('names the subscription that would be charged again, and another plan can still be bought', async () => {
    const b = await billingWorld()
    await mismatched(b, { plan: 'growth' })
    expect((await billingLines(b))[0].text).toMatch(/cancel subscription sub_\w+ and refund the payment/)
    expect((await b.subscription()).status).toBe('none')
    expect(await b.buy({ plan: 'growth' })).toMatchObject({ status: 'paid' })
  })
})
