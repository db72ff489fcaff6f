import { expect, test } from 'vitest'
import { billingWorld, CARDS, refused } from './billing-world.ts'

test('a plan bought with the saved card is charged once, provisioned and shown', async () => {
  const b = await billingWorld()
  expect((await b.call('GET', '/v1/billing/plans')).has_saved_card).toBe(false)
  const message = await refused(b, 402, 'no_saved_card', { plan: 'growth' })
  expect(message).toContain('Create a checkout')
  await b.card()
  const plans = await b.call('GET', '/v1/billing/plans')
  expect(plans).toMatchObject({ has_saved_card: true, currency: 'usd' })
  expect(plans.plans.map(({ id }: { id: string }) => id)).toEqual(['starter', 'growth', 'scale', 'growth_yearly'])

  const bought = await b.buy({ plan: 'growth' })
  expect(bought).toMatchObject({
    status: 'paid',
    plan: 'growth',
    product: null,
    amount_cents: 7_900,
    failure_code: null,
  })
  expect(bought.provisioned_at).not.toBeNull()
  await b.rest()
  expect(await b.subscription()).toMatchObject({ status: 'active', plan: 'growth', slots: 10_025 })
  expect((await b.subscription()).current_period_end).toBe('2026-02-05T12:00:00.000Z')
  expect(await b.charged()).toBe(7_900)
  expect((await b.purchases()).map(({ id, status }) => [id, status])).toEqual([[bought.id, 'paid']])
  expect((await b.history()).map(({ kind }) => kind)).toEqual(['card_saved', 'subscribed'])
})

test('an impossible purchase is refused with an explanation, and nothing is stored or charged', async () => {
  const b = await billingWorld({ settings: { slots: 2 } })
  const stranger = await b.w.stranger()
  const foreign = (await b.w.api('POST', '/v1/instances', {}, { key: stranger.key })).body.id
  await refused(b, 400, 'validation_error', {})
  await refused(b, 400, 'validation_error', { plan: 'growth', product: 'slots' })
  expect(await refused(b, 404, 'not_found', { plan: 'gold' })).toMatch(/^plan: /)
  expect(await refused(b, 404, 'not_found', { product: 'gold' })).toMatch(/^product: /)
  expect(await refused(b, 400, 'validation_error', { product: 'slots' })).toMatch(/^tier .* 1, 5, 25\.$/)
  await refused(b, 400, 'validation_error', { product: 'slots', tier: 'session' })
  await refused(b, 400, 'validation_error', { plan: 'growth', tier: '5' })
  await refused(b, 404, 'not_found', { plan: 'growth', instance_id: foreign })
  await refused(b, 404, 'not_found', { product: 'slots', tier: '5', instance_id: foreign }, '/v1/billing/checkouts')
  // Existence comes before money: without a card the wrong plan is still a wrong plan.
  expect(await b.purchases()).toEqual([])
  expect(await b.w.rows('SELECT id FROM billing_orders')).toEqual([])
  for (const number of ['4111111111111111', '4242424242424241', '1234'.repeat(4)]) {
    const answer = await b.w.api('PUT', '/v1/sandbox/billing/card', { number })
    expect([answer.status, answer.body.error.code]).toEqual([402, 'card_declined'])
  }
  const stored = await b.w.rows<{ body: string }>('SELECT body FROM sandbox_stripe_objects')
  expect(stored.filter(({ body }) => /4111|"object":"payment_method"/.test(body))).toEqual([])

  await b.card()
  await b.buy({ plan: 'starter' })
  expect(await refused(b, 409, 'invalid_state', { plan: 'starter' })).toContain('already has the plan')
  // 2 of the setting and 5 of the plan: seven are in use.
  for (let i = 0; i < 6; i++) await b.w.instance()
  expect(await b.buy({ plan: 'growth' })).toMatchObject({ status: 'paid' })
  for (let i = 0; i < 4; i++) await b.w.instance()
  const blocked = await refused(b, 409, 'invalid_state', { plan: 'starter' })
  expect(blocked).toContain('Starter leaves 7 instance slots, and 10 are in use. Delete 3 instances first')
  expect((await b.subscription()).plan).toBe('growth')
  expect(await b.charged()).toBe(7_900)
})

test('a declined card charges nothing and changes nothing', async () => {
  const b = await billingWorld()
  for (const number of [CARDS.declined, CARDS.expired]) {
    const answer = await b.w.api('PUT', '/v1/sandbox/billing/card', { number })
    expect([answer.status, answer.body.error.code]).toEqual([402, 'card_declined'])
  }
  const key = { 'idempotency-key': 'once' }
  const buy = (body: object) => b.w.api('POST', '/v1/billing/purchases', body, { headers: key })
  await b.card(CARDS.declinedLater)
  const declined = await buy({ plan: 'growth' })
  expect([declined.status, declined.body.error.code]).toEqual([402, 'card_declined'])
  await b.card(CARDS.challenge)
  const challenged = await buy({ plan: 'growth' })
  expect([challenged.status, challenged.body.error.code]).toEqual([402, 'payment_action_required'])
  await refused(b, 402, 'payment_action_required', { product: 'setup' })
  await b.card(CARDS.works, { exp_month: 1, exp_year: 2026 })
  await b.advance(30)
  await refused(b, 402, 'card_declined', { product: 'setup' })
  expect((await b.purchases()).map(({ failure_code }) => failure_code)).toEqual([
    'card_expired',
    'payment_action_required',
    'payment_action_required',
    'card_declined',
  ])
  expect(await b.charged()).toBe(0)
  expect(await b.subscription()).toMatchObject({ status: 'none', plan: null, slots: 10_000 })
  // The key was freed, because nothing was bought with it.
  await b.card()
  const bought = await buy({ plan: 'growth' })
  expect(bought.body.status).toBe('paid')
  const again = await buy({ plan: 'growth' })
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', bought.body])
  const other = await buy({ plan: 'scale' })
  expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  expect(await b.charged()).toBe(7_900)
})

test('a payment with an unknown outcome stays processing, is looked up and is never charged again', async () => {
  const b = await billingWorld()
  await b.card()
  const settled = (id: string) =>
    b.until('the order is known', async () => {
      await b.w.clock.advance(15_000)
      const found = await b.call('GET', `/v1/billing/purchases/${id}`)
      return found.status !== 'processing' && found
    })
  // The provider took the money, and its answer was lost.
  await b.fault('close_after_read')
  const lost = await b.buy({ product: 'setup' })
  expect(lost).toMatchObject({ status: 'processing', provisioned_at: null })
  expect(await settled(lost.id)).toMatchObject({ status: 'paid', amount_cents: 9_900, failure_code: null })
  expect(await b.charged()).toBe(9_900)
  // It never got the request; from here both look the same.
  for (const kind of ['close_before_read', 'server_error']) {
    await b.fault(kind)
    const key = { 'idempotency-key': kind }
    const nothing = await b.buy({ plan: 'growth' }, key)
    expect(nothing).toMatchObject({ status: 'processing' })
    expect(await b.buy({ plan: 'growth' }, key), 'a repeat is a replay').toEqual(nothing)
    expect(await refused(b, 409, 'invalid_state', { plan: 'scale' })).toContain('still processing')
    expect(await settled(nothing.id)).toMatchObject({ status: 'failed', failure_code: 'not_charged' })
  }
  expect(await b.charged()).toBe(9_900)
  // A subscription that was made is found by the order in its metadata.
  await b.fault('close_after_read')
  const plan = await b.buy({ plan: 'growth' })
  expect(await settled(plan.id)).toMatchObject({ status: 'paid' })
  expect(await b.subscription()).toMatchObject({ status: 'active', plan: 'growth', slots: 10_025 })
  expect(await b.paidInAll()).toBe(await b.charged())
  expect(await b.charged()).toBe(17_800)
})

test('a one-time purchase costs exactly the previewed amount and does not renew', async () => {
  const b = await billingWorld()
  await b.card()
  const preview = await b.console('POST', '/v1/billing/previews', { product: 'setup' })
  expect(preview).toMatchObject({ change: 'new', amount_due_cents: 9_900, next_payment: null, blocked: null })
  expect(preview.lines).toEqual([{ description: '1 × Guided setup', amount_cents: 9_900, proration: false }])
  expect(await b.buy({ product: 'setup' })).toMatchObject({ status: 'paid', amount_cents: 9_900 })
})

test('a change of plan costs exactly the previewed amount, and a change to a cheaper plan gives credit', async () => {
  const b = await billingWorld()
  await b.card()
  await b.buy({ plan: 'starter' })
  await b.advance(10)
  const preview = await b.console('POST', '/v1/billing/previews', { plan: 'growth' })
  expect(preview).toMatchObject({ change: 'upgrade', blocked: null, currency: 'usd' })
  const bought = await b.buy({ plan: 'growth' })
  // 21 of 31 days are left.
  expect(preview.amount_due_cents).toBe(Math.round((7_900 * 21) / 31) - Math.round((1_900 * 21) / 31))
  const due = Number(preview.amount_due_cents)
  expect(bought).toMatchObject({ status: 'paid', amount_cents: due })
  expect(await b.charged()).toBe(1_900 + due)
  expect(await b.subscription()).toMatchObject({ plan: 'growth', slots: 10_025 })
  const down = await b.console('POST', '/v1/billing/previews', { plan: 'starter' })
  expect(down).toMatchObject({ change: 'downgrade', amount_due_cents: 0 })
  expect(await b.buy({ plan: 'starter' })).toMatchObject({ status: 'paid', amount_cents: 0 })
  expect(await b.subscription()).toMatchObject({ plan: 'starter', slots: 10_005 })
  const subscriptions = await b.w.rows('SELECT id FROM billing_subscriptions')
  expect(subscriptions).toHaveLength(1)
  expect(await b.charged()).toBe(1_900 + due)
})

test('a purchase is refused once if its price changed since it was shown, and nothing is charged', async () => {
  const b = await billingWorld()
  await b.card()
  await b.buy({ product: 'setup' })
  // What the window has shown; the provider wants more by now.
  await b.w.service.db.commit((tx) =>
    tx.run(
      { text: `UPDATE billing_prices SET amount_cents = 8900 WHERE lookup_key = 'switchboard_setup_session'` },
      {},
    ),
  )
  const message = await refused(b, 409, 'invalid_state', { product: 'setup' })
  expect(message).toContain('has changed to $99.00. Nothing was charged')
  expect(await b.charged()).toBe(9_900)
  expect(await b.buy({ product: 'setup' })).toMatchObject({ status: 'paid', amount_cents: 9_900 })
})
