import fc from 'fast-check'
import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UNITS_OF, type Metered } from '../../main/contract/client-billing.ts'
import { createClientBilling } from '../../main/capabilities/billing/stripe/client-billing.ts'
import { usagePricesOf } from '../../main/capabilities/billing/usage-prices.ts'
import { stripeBench } from './stripe-bench.ts'

const COUNTERS = Object.keys(UNITS_OF) as Metered[]
const DAY_MS = 86_400_000

let b: Awaited<ReturnType<typeof stripeBench>>
let stripe: Stripe
beforeAll(async () => {
  b = await stripeBench()
  stripe = b.clientFor('sk_test_usage')
})
afterAll(() => b.close())

/** 1/10,000 of the smallest unit of a currency. */
const text = (tenThousandths: number) =>
  `${String(Math.floor(tenThousandths / 10_000))}.${String(tenThousandths % 10_000).padStart(4, '0')}`

const price = fc.constantFrom(...COUNTERS).chain((counter) =>
  fc.record({
    counter: fc.constant(counter),
    per: fc.constantFrom(...UNITS_OF[counter]),
    tenThousandths: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 10_000_000 })),
    days: fc.array(fc.integer({ min: 0, max: 2_000_000 }), { minLength: 1, maxLength: 6 }),
  }),
)
const invoices = fc.record({
  amount: fc.integer({ min: 0, max: 500_000 }),
  currency: fc.constantFrom('usd', 'jpy', 'kwd'),
  prices: fc.uniqueArray(price, { minLength: 1, maxLength: 5, selector: ({ counter }) => counter }),
})

test('an invoice is the sum of its lines; each line is use times price, rounded once', async () => {
  const billing = createClientBilling(() => Promise.resolve(stripe))
  let clients = 0
  await fc.assert(
    fc.asyncProperty(invoices, async ({ amount, currency, prices }) => {
      const clientId = `client-${String(clients++)}`
      const metered = usagePricesOf({
        usage_prices: prices.map(({ counter, per, tenThousandths }) => ({
          ...{ counter, per, amount_cents_decimal: text(tenThousandths) },
        })),
      })
      const applied = await billing.apply(
        {
          ...{ clientId, revision: 1, name: 'Client', email: 'billing@client.example', language: 'en', taxId: null },
          ...{ amount, currency, interval: 'month', metered },
        },
        { customerId: null, subscriptionId: null },
      )
      if (applied.kind !== 'ok') throw new Error(JSON.stringify(applied))
      const { customerId } = applied.value
      for (const { counter, days } of prices) {
        for (const [i, value] of days.entries()) {
          const day = new Date(b.clock.now() + i * DAY_MS).toISOString().slice(0, 10)
          const use = { customerId, clientId, counter, day, value, atMs: b.clock.now() + i * DAY_MS + 1_000 }
          // The second report of a day counts nothing.
          expect((await billing.report(use)).kind).toBe('ok')
          expect((await billing.report(use)).kind).toBe('ok')
        }
      }
      await b.simulator.advance('sk_test_usage', customerId, 32)
      const found = (await stripe.invoices.list({ customer: customerId, limit: 10 })).data
      const invoice = found.find(({ billing_reason }) => billing_reason === 'subscription_cycle')
      const lines = invoice?.lines.data ?? []
      const expected = prices.map(({ per, tenThousandths, days }) => {
        const total = BigInt(days.reduce((sum, value) => sum + value, 0))
        const lots = (total + BigInt(per) - 1n) / BigInt(per)
        return Number((lots * BigInt(tenThousandths) + 5_000n) / 10_000n)
      })
      expect(lines.map((line) => line.amount)).toEqual([amount, ...expected])
      expect(invoice?.total).toBe(lines.reduce((sum, line) => sum + line.amount, 0))
    }),
    { numRuns: 25 },
  )
})

test('an amount has one form with at most twelve decimals, and a lot is at least one unit', async () => {
  const product = await stripe.products.create({ name: 'Use' })
  const create = (more: object) => stripe.prices.create({ currency: 'usd', product: product.id, ...more })
  for (const more of [
    { unit_amount: 1, unit_amount_decimal: '0.5' },
    { unit_amount_decimal: '0.0000000000001' },
    { unit_amount_decimal: '1e3' },
    { unit_amount: 1, transform_quantity: { divide_by: 0, round: 'up' } },
    { unit_amount: 1, transform_quantity: { divide_by: 60, round: 'half' } },
    {},
  ]) {
    await expect(create(more), JSON.stringify(more)).rejects.toThrow(/Invalid|one of these/)
  }
  const made = await create({ unit_amount_decimal: '0.010', transform_quantity: { divide_by: 60, round: 'down' } })
  expect([made.unit_amount, String(made.unit_amount_decimal), made.transform_quantity]).toEqual([
    null,
    '0.01',
    { divide_by: 60, round: 'down' },
  ])
})
