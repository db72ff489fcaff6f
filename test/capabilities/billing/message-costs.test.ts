import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { chargedCosts, leftOutCosts, priceOfAMicro } from '../../../main/capabilities/billing/message-costs.ts'
import type { Costs } from '../../../main/capabilities/costs/index.ts'
import { billingWorld, type BillingWorld } from './billing-world.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const TERMS = { amount_cents: 4_900, currency: 'usd', interval: 'month', email: 'billing@client.example' } as const

function reportOf(...costs: readonly { currency: string; amount_micros: number }[]): Pick<Costs, 'report'> {
  const totals = { messages: 0, free: 0, allowance: 0, billable: 0, unpriced: 0, costs: [...costs], estimated: false }
  return { report: async () => ({ data: [], totals }) }
}

test.each([
  ['usd', '0.0001'],
  ['jpy', '0.000001'],
  ['kwd', '0.001'],
])('a millionth of %s is %s of its smallest unit', (currency, price) => {
  expect(priceOfAMicro(currency)).toBe(price)
})

test.each([
  [3_400, 0, 3_400],
  [3_400, 15, 3_910],
  [3, 15, 3],
  [10, 15, 12],
  [0, 15, 0],
  [90_000_000_000_000, 1_000, 990_000_000_000_000],
])('costs of %d with a markup of %d percent are charged as %d', async (cost, markupPercent, charged) => {
  const costs = reportOf({ currency: 'inr', amount_micros: 7 }, { currency: 'usd', amount_micros: cost })
  const of = { clientId: 'c', currency: 'usd', markupPercent, day: '2026-11-01' }
  expect(await chargedCosts(costs, of)).toBe(charged)
  expect(await chargedCosts(reportOf(), of)).toBe(0)
})

test('costs in another currency are not charged, and are listed separately', async () => {
  const other = { currency: 'inr', amount_micros: 7 }
  const costs = reportOf(other, { currency: 'usd', amount_micros: 5 })
  const of = { clientId: 'c', currency: 'usd', from: '2026-10-01', to: '2026-11-01' }
  expect(await leftOutCosts(costs, of)).toEqual([other])
})

/** Each row is so many messages to a country on a day. */
function countMessages(b: BillingWorld, accountId: string, rows: readonly (readonly [string, string, number])[]) {
  const raw = new Database(join(b.w.home, 'switchboard.db'))
  const rate = raw.prepare(
    `INSERT OR IGNORE INTO message_rates (country, category, valid_from, currency, micros, source)
     VALUES (?, 'utility', '2026-01-01', ?, ?, 'Our rate card')`,
  )
  rate.run('US', 'usd', 3_400)
  rate.run('IN', 'inr', 115_000)
  const count = raw.prepare(
    `INSERT INTO price_counts (account_id, day, instance_id, campaign_id, number_id, business_id, country, category,
       kind, messages)
     VALUES (?, ?, 'ins', '', 'num', 'biz', ?, 'utility', 'charged', ?)`,
  )
  for (const [day, country, messages] of rows) count.run(accountId, day, country, messages)
  raw.close()
}

test('a client is charged daily for the cost of its messages with a markup, each day once', async () => {
  const b = await billingWorld()
  const { call, until } = b
  const { id } = await call('POST', '/v1/agency/accounts', { name: 'Client', slots_allocated: 1 })
  const path = `/v1/agency/accounts/${id}/billing`
  await call('PATCH', '/v1/agency/billing', { enabled: true })
  const terms = { ...TERMS, message_costs: { markup_percent: 15 } }
  await call('PUT', path, terms)
  const isActive = () => until('Stripe has the terms', async () => (await call('GET', path)).status === 'active')
  await isActive()
  const objects = async (kind: string) =>
    (
      await b.w.rows<{ body: string }>('SELECT body FROM sandbox_stripe_objects WHERE kind = :kind ORDER BY seq', {
        kind,
      })
    ).map(({ body }) => JSON.parse(body))
  const [subscription] = await objects('subscription')
  const [, price] = subscription.items.data.map(({ price: one }: { price: any }) => one)
  expect([price.unit_amount_decimal, price.recurring.usage_type]).toEqual(['0.0001', 'metered'])

  countMessages(b, id, [
    ['2026-01-05', 'US', 1_000],
    ['2026-01-05', 'IN', 2],
    ['2026-01-06', 'US', 10],
  ])
  const nextReport = async () =>
    (
      await b.w.rows<{ at: number }>(
        "SELECT run_at AS at FROM jobs WHERE kind = 'billing.client_usage' AND state = 'waiting'",
      )
    )[0]?.at ?? 0
  const sleep = async (ms: number) => {
    await until('the next report waits for its day', async () => (await nextReport()) > b.w.clock.now())
    b.w.clock.suspend(ms)
    await b.w.clock.advance(60_000)
  }
  const reported = async () => (await objects('meter_count')).map(({ value }) => value)
  await sleep(20 * HOUR_MS)
  await until('the first day is reported', async () => (await call('GET', path)).usage_reported_until === '2026-01-05')
  expect(await reported()).toEqual([3_910_000])
  expect(await call('GET', path)).toMatchObject({
    message_costs: { markup_percent: 15 },
    message_costs_left_out: [{ currency: 'inr', amount_micros: 230_000 }],
  })

  // A new markup applies to later days.
  await call('PUT', path, { ...TERMS, message_costs: { markup_percent: 0 } })
  await isActive()
  await sleep(DAY_MS)
  await until('the next day is reported', async () => (await call('GET', path)).usage_reported_until === '2026-01-06')
  expect(await reported()).toEqual([3_910_000, 34_000])

  await call('PUT', path, TERMS)
  expect(await call('GET', path)).toMatchObject({ message_costs: null, message_costs_left_out: [] })
})

test.each([[{ markup_percent: -1 }], [{ markup_percent: 1_001 }], [{ markup_percent: 1.5 }], [{}], [true]])(
  'message_costs of %j is refused and changes nothing',
  async (wrong) => {
    const b = await billingWorld()
    const { id } = await b.call('POST', '/v1/agency/accounts', { name: 'Client', slots_allocated: 1 })
    await b.call('PATCH', '/v1/agency/billing', { enabled: true })
    const path = `/v1/agency/accounts/${id}/billing`
    const answer = await b.w.api('PUT', path, { ...TERMS, message_costs: wrong })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect((await b.w.api('GET', path)).status).toBe(404)
  },
)
