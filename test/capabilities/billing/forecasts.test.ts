import { expect, test } from 'vitest'
import { billingWorld, type BillingWorld } from './billing-world.ts'

const DAY_MS = 86_400_000

/** The computer sleeps: each second of a test costs half a millisecond. */
async function pass({ w }: BillingWorld, days: number): Promise<void> {
  w.clock.suspend(days * DAY_MS)
  await w.pass(1_000)
}

test('no forecast is made from less than a week, because most numbers are paired on the first day', async () => {
  const b = await billingWorld()
  const { w } = b
  const usage = async () => (await b.console('GET', '/v1/billing/overview')).usage
  const instance = await w.pair()
  await w.pair('12025550101')
  await b.call('POST', `/v1/instances/${instance.id}/messages`, { to: '12025550999', text: 'Hello' })
  await w.quiet()
  const first = await usage()
  expect([first.slots.full_at, first.slots.new_30_days]).toEqual([null, 2])
  expect(first.messages).toMatchObject({ sent_this_month: 1, forecast_this_month: null })

  await pass(b, 10)
  const later = await usage()
  const leftDays = ((later.slots.total - later.slots.used) / 2) * 10
  expect(later.slots.new_30_days).toBe(2)
  // Five years ahead nobody plans.
  expect(later.slots.full_at === null).toBe(leftDays > 5 * 365)
  expect(later.messages.forecast_this_month).toBeGreaterThan(0)
})

test('the forecast rate covers the days since the first number, up to thirty', async () => {
  const b = await billingWorld()
  const { w } = b
  const client = (await w.api('POST', '/v1/agency/accounts', { name: 'Bakery', slots_allocated: 4 })).body.id
  const { key } = (
    await w.api('POST', `/v1/agency/accounts/${client}/keys`, { name: 'K', scopes: ['instances:write'] })
  ).body
  const made = await w.api('POST', '/v1/instances', { name: 'One' }, { key })
  expect(made.status).toBe(201)
  const usage = async () => (await b.console('GET', `/accounts/${client}/v1/billing/overview`)).usage.slots
  const startedAtMs = w.clock.now()
  await pass(b, 6)
  expect((await usage()).full_at).toBeNull()
  await pass(b, 4)
  // One in ten days: the other three take thirty more.
  const { full_at: fullAt } = await usage()
  expect(Math.round((Date.parse(fullAt) - startedAtMs) / DAY_MS)).toBe(40)
})
