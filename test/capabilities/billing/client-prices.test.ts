import { expect, test } from 'vitest'
import { billingWorld, type BillingWorld } from './billing-world.ts'

const TERMS = { amount_cents: 4_900, currency: 'usd', interval: 'month', email: 'billing@client.example' } as const
const FINE = [
  { counter: 'ai_tokens', per: 1_000, amount_cents_decimal: '0.01' },
  { counter: 'call_seconds', per: 60, amount_cents_decimal: '0.025' },
] as const

async function billedClient(): Promise<BillingWorld & { path: string; id: string; isActive(): Promise<any> }> {
  const b = await billingWorld()
  const { id } = await b.call('POST', '/v1/agency/accounts', { name: 'Client', slots_allocated: 1 })
  await b.call('PATCH', '/v1/agency/billing', { enabled: true })
  const path = `/v1/agency/accounts/${id}/billing`
  const isActive = () =>
    b.until('Stripe has the terms', async () => {
      const found = await b.call('GET', path)
      return found.status === 'active' && found
    })
  return { ...b, path, id, isActive }
}

const metered = async ({ w }: BillingWorld) => {
  const rows = await w.rows<{ body: string }>(
    `SELECT body FROM sandbox_stripe_objects WHERE kind = 'subscription' ORDER BY seq`,
  )
  const { items } = JSON.parse(rows.at(-1)?.body ?? '{}') as { items: { data: { price: any }[] } }
  return items.data
    .map(({ price }) => price)
    .filter(({ recurring }) => recurring.usage_type === 'metered')
    .map((price) => [price.unit_amount, price.unit_amount_decimal, price.transform_quantity])
}

test('a price for 1,000 tokens or a minute may be as low as 0.0001, and Stripe gets it unchanged', async () => {
  const b = await billedClient()
  await b.call('PUT', b.path, { ...TERMS, usage_prices: FINE })
  expect(await b.isActive()).toMatchObject({ error: null, metered: [], usage_prices: FINE })
  expect(await metered(b)).toEqual([
    [null, '0.01', { divide_by: 1_000, round: 'up' }],
    [null, '0.025', { divide_by: 60, round: 'up' }],
  ])
})

test('a price in whole cents charges the same in its old and its new form', async () => {
  const b = await billedClient()
  const whole = [
    { counter: 'sent', unit_amount_cents: 2 },
    { counter: 'call_seconds', unit_amount_cents: 1 },
  ]
  const asUsage = [
    { counter: 'sent', per: 1, amount_cents_decimal: '2' },
    { counter: 'call_seconds', per: 1, amount_cents_decimal: '1' },
  ]
  await b.call('PUT', b.path, { ...TERMS, metered: whole })
  expect(await b.isActive()).toMatchObject({ metered: whole, usage_prices: asUsage })
  const before = await metered(b)
  expect(before).toEqual([
    [2, '2', null],
    [1, '1', null],
  ])
  // What was read can be written again, by a client that knows the new field and by one that does not.
  for (const body of [{ metered: whole, usage_prices: asUsage }, { usage_prices: asUsage }, { metered: whole }]) {
    await b.call('PUT', b.path, { ...TERMS, ...body })
    expect(await b.isActive()).toMatchObject({ metered: whole, usage_prices: asUsage })
    expect(await metered(b)).toEqual(before)
  }
  // Both fields together name every price once.
  await b.call('PUT', b.path, { ...TERMS, metered: whole, usage_prices: [...asUsage, FINE[0]] })
  expect(await b.isActive()).toMatchObject({ metered: whole, usage_prices: [...asUsage, FINE[0]] })
})

test('two prices for one counter, or a unit that the counter does not have, are refused and change nothing', async () => {
  const b = await billedClient()
  await b.call('PUT', b.path, { ...TERMS, usage_prices: FINE })
  const before = await b.isActive()
  const one = FINE[0]
  for (const [body, sentence] of [
    [{ metered: [{ counter: 'ai_tokens', unit_amount_cents: 2 }], usage_prices: [one] }, 'ai_tokens has two prices'],
    [{ usage_prices: [one, one] }, 'ai_tokens has two prices'],
    [
      {
        metered: [
          { counter: 'sent', unit_amount_cents: 2 },
          { counter: 'sent', unit_amount_cents: 3 },
        ],
      },
      'sent has two prices',
    ],
    [{ usage_prices: [{ ...one, counter: 'sent' }] }, 'sent is charged for each 1'],
    [{ usage_prices: [{ ...one, per: 60 }] }, 'ai_tokens is charged for each 1 or 1000'],
    [{ usage_prices: [{ ...one, per: 7 }] }, 'per'],
    [{ usage_prices: [{ ...one, amount_cents_decimal: '0.00001' }] }, 'amount_cents_decimal'],
    [{ usage_prices: [{ ...one, amount_cents_decimal: '0.0000' }] }, 'amount_cents_decimal'],
    [{ usage_prices: [{ ...one, amount_cents_decimal: '1000000.0001' }] }, 'amount_cents_decimal'],
    [{ usage_prices: [{ ...one, amount_cents_decimal: 0.01 }] }, 'amount_cents_decimal'],
  ] as const) {
    const answer = await b.w.api('PUT', b.path, { ...TERMS, ...body })
    expect([answer.status, answer.body.error.code], JSON.stringify(body)).toEqual([400, 'validation_error'])
    expect(answer.text).toContain(sentence)
  }
  expect(await b.call('GET', b.path)).toEqual(before)
})
