import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCosts, type Costs, type CostSpan } from '../../../main/capabilities/costs/index.ts'
import { addToCount, putRate, type CountPlace } from '../../../main/capabilities/costs/store.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'

let data: TestDatabase
let costs: Costs
beforeEach(async () => {
  data = await testDatabase()
  costs = createCosts({ db: data.db, clock: fakeClock() })
})
afterEach(() => data.close())

const PLACE: CountPlace = {
  ...{ accountId: 'acc', day: '2026-11-02', instanceId: 'ins', campaignId: '', numberId: 'num', businessId: 'biz' },
  ...{ country: 'US', category: 'utility', kind: 'charged' },
}
const count = (messages: number, place: Partial<CountPlace> = {}) =>
  data.db.commit((tx) => tx.run(addToCount, { ...PLACE, ...place, messages }))
const setRate = (country: string, category: string, validFrom: string, micros: number | null, currency = 'usd') =>
  data.db.commit((tx) => tx.run(putRate, { country, category, validFrom, currency, micros, source: 'Our rate card' }))

const SPAN: CostSpan = { accountIds: ['acc'], from: '2026-10-01', to: '2026-12-31', instanceIds: null }
const totals = async (span: Partial<CostSpan> = {}) => (await costs.report({ ...SPAN, ...span }, 'instance')).totals

test('costs are summed by currency in whole millionths', async () => {
  await count(3)
  await count(7, { country: 'IN' })
  expect(await totals()).toEqual({
    ...{ messages: 10, free: 0, allowance: 0, billable: 10, unpriced: 0, estimated: true },
    costs: [
      { currency: 'inr', amount_micros: 805_000 },
      { currency: 'usd', amount_micros: 10_200 },
    ],
  })
})

describe('messages without a known price', () => {
  test.each([
    ['a country without a rate', { country: 'FR' }],
    ['a person whose country is unknown', { country: '' }],
    ['a category without a rate', { category: 'marketing' }],
    ['a day before the first rate', { day: '2026-09-30' }],
    ['a price that is neither charged nor free', { kind: 'unknown' as const }],
  ])('are counted as unpriced, not as free: %s', async (_what, place) => {
    await count(5, place)
    expect(await totals({ from: '2026-09-01' })).toMatchObject({ messages: 5, billable: 5, unpriced: 5, costs: [] })
  })
})

test('messages that Meta does not charge are free', async () => {
  await count(4, { kind: 'free', category: 'referral_conversion' })
  expect(await totals()).toMatchObject({ messages: 4, free: 4, allowance: 0, billable: 0, unpriced: 0, costs: [] })
})

describe('the rate card', () => {
  test('a rate set by the operator replaces an example rate, also for the past, and is not an estimate', async () => {
    await count(2)
    await setRate('US', 'utility', '2026-10-01', 5_000)
    expect(await totals()).toMatchObject({ costs: [{ currency: 'usd', amount_micros: 10_000 }], estimated: false })
  })

  test('each day has the rate that is valid on it', async () => {
    await setRate('US', 'utility', '2026-12-01', 9_000)
    await count(1, { day: '2026-11-30' })
    await count(1, { day: '2026-12-01' })
    expect(await totals()).toMatchObject({ costs: [{ currency: 'usd', amount_micros: 12_400 }], estimated: true })
  })

  test('a rate for every country applies to countries without their own', async () => {
    await setRate('*', 'utility', '2026-10-01', 1_000)
    await count(1, { country: 'FR' })
    await count(1)
    expect(await totals()).toMatchObject({ costs: [{ currency: 'usd', amount_micros: 4_400 }] })
  })

  test('a rate of unknown price replaces an example rate', async () => {
    await count(2)
    await setRate('US', 'utility', '2026-10-01', null)
    expect(await totals()).toMatchObject({ unpriced: 2, costs: [] })
  })
})

describe('the monthly allowance of service messages', () => {
  const service = (messages: number, place: Partial<CountPlace> = {}) =>
    count(messages, { category: 'service', ...place })

  test('makes the first 1,000 messages of a number free each month', async () => {
    await service(600)
    await service(600, { day: '2026-11-03' })
    await service(10, { day: '2026-12-01' })
    await service(20, { numberId: 'other', instanceId: 'other' })
    expect(await totals()).toMatchObject({
      ...{ messages: 1_230, free: 1_030, allowance: 1_030, billable: 200 },
      costs: [{ currency: 'usd', amount_micros: 680_000 }],
    })
    const { data: days } = await costs.report(SPAN, 'day')
    expect(days.map(({ key, billable }) => [key, billable])).toEqual([
      ['2026-11-02', 0],
      ['2026-11-03', 200],
      ['2026-12-01', 0],
    ])
  })

  test('is used by replies before campaigns of the same day, also in a report about one campaign', async () => {
    await service(900)
    await service(300, { campaignId: 'cmp_1' })
    const { data: campaigns } = await costs.report({ ...SPAN, campaignId: 'cmp_1' }, 'campaign')
    expect(campaigns).toMatchObject([{ key: 'cmp_1', messages: 300, allowance: 100, billable: 200 }])
  })

  test('is shared by the accounts that had the number', async () => {
    await service(900)
    await service(300, { accountId: 'next', instanceId: 'moved', day: '2026-11-20' })
    expect(await totals({ accountIds: ['next'] })).toMatchObject({ allowance: 100, billable: 200 })
    const both = await costs.report({ ...SPAN, accountIds: ['acc', 'next'] }, 'account')
    expect(both.data.map(({ key, billable }) => [key, billable])).toEqual([
      ['acc', 0],
      ['next', 200],
    ])
  })

  test('is not used by messages corrected to another category', async () => {
    await service(1_001)
    await service(-1)
    expect(await totals()).toMatchObject({ messages: 1_000, billable: 0 })
  })

  test('does not apply before October 2026', async () => {
    await service(5, { day: '2026-09-30' })
    expect(await totals({ from: '2026-09-01' })).toMatchObject({ allowance: 0, billable: 5 })
  })
})

test('a restricted key sees only its own instances', async () => {
  await count(1)
  await count(2, { instanceId: 'hidden' })
  const { data: rows, totals: sum } = await costs.report({ ...SPAN, instanceIds: new Set(['ins']) }, 'instance')
  expect([rows.map(({ key }) => key), sum.messages]).toEqual([['ins'], 1])
})

test('a report sums more counts than one database page contains', async () => {
  await data.db.commit(async (tx) => {
    for (let at = 0; at < 4_500; at++)
      await tx.run(addToCount, { ...PLACE, campaignId: `cmp_${at}`, country: at % 2 === 0 ? 'US' : 'IN', messages: 1 })
  })
  expect((await costs.report(SPAN, 'campaign')).data).toHaveLength(4_500)
  expect((await totals()).costs).toEqual([
    { currency: 'inr', amount_micros: 258_750_000 },
    { currency: 'usd', amount_micros: 7_650_000 },
  ])
})
