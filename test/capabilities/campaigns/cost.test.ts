import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addToCount } from '../../../main/capabilities/costs/store.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { world, type World } from '../../support/world.ts'

const template = (name: string, language: string) => ({
  cloud_api: { type: 'template', template: { name, language: { code: language } } },
})
const UTILITY = template('hello_world', 'en_US')
const SERVICE = { text: 'Hello' }

let w: World
let line: OfficialNumber
let numberId: string
beforeAll(async () => {
  w = await world({ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } })
  line = await officialNumber(w, '12025550461')
  const [row] = await w.rows<{ id: string }>('SELECT phone_number_id AS id FROM official_numbers')
  numberId = row?.id ?? ''
})
afterAll(() => w.close())

const people = (count: number, first = 12_025_550_170) =>
  Array.from({ length: count }, (_, at) => ({ phone: String(first + at) }))

const costOf = async (body: object) => {
  const {
    status,
    body: preview,
    text,
  } = await w.api('POST', '/v1/campaigns/preview', { instance_ids: [line.id], ...body })
  expect(status, text).toBe(200)
  return preview.cost
}
const known = (amount: number) => [{ currency: 'usd', amount_micros: amount }]

describe('the campaign preview’s cost', () => {
  test('a template has the price of its category and of the countries of its people', async () => {
    const recipients = [...people(3), { phone: '919812345678' }]
    expect(await costOf({ messages: [UTILITY], recipients })).toEqual({
      ...{ messages: 4, free: 0, allowance: 0, billable: 4, unpriced: 0, estimated: true },
      costs: [{ currency: 'inr', amount_micros: 115_000 }, ...known(10_200)],
    })
  })

  test.each([
    ['Guernsey', '447781123456'],
    ['Jersey', '447797712345'],
    ['Isle of Man', '447624123456'],
  ])('a person of the country code 44 in %s has the price of the United Kingdom', async (_place, phone) => {
    expect(await costOf({ messages: [UTILITY], recipients: [{ phone }] })).toMatchObject({
      ...{ messages: 1, unpriced: 0 },
      costs: [{ currency: 'gbp', amount_micros: 15_900 }],
    })
  })

  test('is separate for each variation', async () => {
    const config = { variation: 'sequential' }
    const cost = await costOf({ messages: [UTILITY, template('spring_offer', 'en')], recipients: people(4), config })
    expect(cost).toMatchObject({ messages: 4, billable: 4, unpriced: 2, costs: known(6_800) })
  })

  test.each([
    ['a template that Meta does not have', template('no_such', 'en'), people(2)],
    ['a country without a price', UTILITY, [{ phone: '33612345678' }, { phone: '33612345679' }]],
  ])('is unknown and not 0 for %s', async (_what, message, recipients) => {
    expect(await costOf({ messages: [message], recipients })).toMatchObject({ messages: 2, unpriced: 2, costs: [] })
  })

  test('counts the rest of the month’s free service messages', async () => {
    expect(await costOf({ messages: [SERVICE], recipients: people(5) })).toMatchObject({
      free: 5,
      allowance: 5,
      costs: [],
    })
    const day = new Date().toISOString().slice(0, 10)
    await used(day, 997)
    expect(await costOf({ messages: [SERVICE], recipients: people(5) })).toMatchObject({
      ...{ free: 3, allowance: 3, billable: 2, costs: known(6_800) },
    })
  })

  test.each([
    [10_199, ['over_budget']],
    [10_200, []],
  ])('says whether it exceeds a budget of %i millionths', async (amount, expected) => {
    const { body } = await w.api('POST', '/v1/campaigns/preview', {
      ...{ instance_ids: [line.id], messages: [UTILITY], recipients: people(3) },
      config: { budget: { amount_micros: amount, currency: 'usd' } },
    })
    const codes = body.risks.map(({ code }: { code: string }) => code)
    expect(codes.filter((code: string) => code === 'over_budget')).toEqual(expected)
  })

  test('is 0 for numbers without charges', async () => {
    const phone = await w.pair('12025550462', { network: 'sandbox' })
    expect(await costOf({ instance_ids: [phone.id], messages: [SERVICE], recipients: people(2) })).toBeNull()
  })
})

/** Messages of the number that were counted already. */
async function used(day: string, messages: number): Promise<void> {
  const place = { accountId: w.account.id, day, instanceId: line.id, campaignId: '', numberId, businessId: 'b' }
  await w.service.db.commit((tx) =>
    tx.run(addToCount, { ...place, country: 'US', category: 'service', kind: 'charged', messages }),
  )
}
