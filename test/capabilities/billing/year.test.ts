import { expect, test } from 'vitest'
import { billingWorld, CARDS, refused } from './billing-world.ts'

const day = (iso: string | null) => iso?.slice(0, 10)

test('in a year on the test clock, subscriptions renew, fail, freeze, reactivate, are prorated and end', async () => {
  const b = await billingWorld()
  const { w } = b
  await b.card(CARDS.works, { exp_month: 6, exp_year: 2026 })
  await b.buy({ plan: 'growth' })
  const instance = await w.pair()
  const send = (headers = {}) =>
    w.api('POST', `/v1/instances/${instance.id}/messages`, { to: '12025550999', text: 'Hello' }, { headers })
  const keyed = { 'idempotency-key': 'before-the-freeze' }

  // Six renewals: the card is good until the end of June.
  await b.advance(151)
  await b.rest()
  const renewed = () => b.history().then((all) => all.filter(({ kind }) => kind === 'renewed').length)
  expect(await renewed()).toBe(5)
  expect(await b.charged()).toBe(6 * 7_900)
  expect(await b.subscription()).toMatchObject({ status: 'active', plan: 'growth' })
  expect((await b.console('GET', '/v1/billing/overview')).notices).toMatchObject([{ kind: 'card_expires' }])

  // The renewal of 5 July fails. Everything works for seven days.
  await b.advance(30)
  await b.rest()
  const due = await b.subscription()
  expect([due.status, day(due.past_due_since), day(due.frozen_at)]).toEqual(['past_due', '2026-07-05', '2026-07-12'])
  expect((await send()).status).toBe(201)
  expect(await refused(b, 409, 'invalid_state', { plan: 'scale' })).toContain('Pay the open invoice first')
  const overview = await b.console('GET', '/v1/billing/overview')
  expect(overview.open_invoice).toMatchObject({ amount_due_cents: 7_900, currency: 'usd' })
  expect(overview.notices.map(({ kind }: { kind: string }) => kind)).toEqual([
    'payment_failed',
    'grace_ends',
    'card_expired',
  ])
  const [unpaid, before] = (await b.console('GET', '/v1/billing/invoices')).data
  expect(unpaid).toMatchObject({ status: 'open', due_at: unpaid.overdue_since })
  expect(day(unpaid.overdue_since)).toBe('2026-07-05')
  expect(before).toMatchObject({ status: 'paid', overdue_since: null })
  const attention = (await b.console('GET', '/v1/overview/attention')).data
  expect(attention.filter(({ room }: { room: string }) => room === 'billing')).toMatchObject([{ code: 'past_due' }])

  await b.advance(6)
  await b.rest()
  expect((await b.subscription()).status).toBe('past_due')
  const sent = await send(keyed)
  expect(sent.status).toBe(201)
  await b.advance(2)
  await b.rest()
  expect((await b.subscription()).status).toBe('frozen')
  expect(await send(keyed)).toMatchObject({ status: 201, body: { message_id: sent.body.message_id } })
  const frozen = await send()
  expect([frozen.status, frozen.body.error.code]).toEqual([409, 'invalid_state'])
  expect(frozen.body.error.message).toContain('Pay the open invoice in Billing')
  // Nothing is deleted, and messages are still received.
  const mark = await w.mark()
  await w.api('POST', '/v1/sandbox/phones/12025550777/messages', { to: instance.phone_number, text: 'Still there?' })
  expect(await w.typesSince(mark)).toContain('message.received')
  expect((await w.api('GET', `/v1/instances/${instance.id}`)).body.status).toBe('connected')

  // A new card pays what is owed by itself.
  await b.advance(20)
  await b.rest()
  expect((await b.subscription()).status).toBe('frozen')
  await b.card()
  await b.until('it is paid', async () => (await b.subscription()).status === 'active')
  await b.rest()
  expect((await send()).status).toBe(201)
  const kinds = (await b.history()).map(({ kind }) => kind)
  for (const kind of ['payment_failed', 'grace_ends', 'frozen', 'revived']) expect(kinds).toContain(kind)
  expect((await b.history()).filter(({ kind }) => kind === 'payment_failed').length).toBeGreaterThan(1)
  const afterRevival = await b.charged()
  expect(afterRevival).toBe(7 * 7_900)

  // The rest of the year, with another plan in between.
  await b.advance(60)
  const preview = await b.console('POST', '/v1/billing/previews', { plan: 'scale' })
  expect(await b.buy({ plan: 'scale' })).toMatchObject({ status: 'paid', amount_cents: preview.amount_due_cents })
  await b.console('PATCH', '/v1/billing/renewal', { cancel_at_period_end: true })
  expect(await b.subscription()).toMatchObject({ plan: 'scale', cancel_at_period_end: true })
  await b.advance(96)
  await b.rest()
  expect(await b.subscription()).toMatchObject({ status: 'none', plan: null, slots: 10_000 })
  expect((await b.history()).at(-1)?.kind).toBe('ended')

  // Every invoice that was paid was charged, and nothing else.
  const invoices = (await b.console('GET', '/v1/billing/invoices?limit=100')).data
  const paid = invoices.reduce(
    (sum: number, { amount_paid_cents }: { amount_paid_cents: number }) => sum + amount_paid_cents,
    0,
  )
  expect(paid).toBe(await b.charged())
  expect(invoices[0].pdf_url).toMatch(/\/sandbox\/stripe\/invoice\/in_\w+\/pdf$/)
  const pdf = await w.wire('GET', new URL(invoices[0].pdf_url).pathname, undefined, { key: null })
  expect([pdf.status, pdf.headers['content-type'], pdf.text.slice(0, 8)]).toEqual([200, 'application/pdf', '%PDF-1.4'])
})
