import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'
import { assistantOf } from '../approvals/assistant.ts'
import { campaign, campaignOf, phonesFrom } from '../campaigns/campaign-world.ts'

const TEMPLATE = {
  cloud_api: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } },
}
const SWIFT = { minDelay: 0, maxDelay: 0, pauseAfter: null, window: null, skipIfContactedHours: null, typing: false }
const BUDGET = { amount_micros: 6_800, currency: 'usd', warn_percent: 80 }

let w: World
let line: OfficialNumber
beforeAll(async () => {
  w = await world({ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } })
  line = await officialNumber(w, '12025550471')
})
afterAll(() => w.close())

const heldBy = (id: string) =>
  until('held', async () => {
    const found = await campaign(w, id)
    return found.pause_reason === 'budget' ? found : undefined
  })
const completed = (id: string) =>
  until('completed', async () => {
    const found = await campaign(w, id)
    return found.status === 'completed' ? found : undefined
  })

describe('the budget of a campaign', () => {
  test('holds it at the simulated Meta, and the spent amount equals the messages’ cost', async () => {
    const config = { ...SWIFT, budget: BUDGET }
    const phones = phonesFrom(5, 12_025_550_210)
    const id = await campaignOf(w, { instances: [line], phones, messages: [TEMPLATE], config })
    expect(await heldBy(id)).toMatchObject({
      ...{ status: 'paused', budget_hold: 'campaign', next_send_at: null, counts: { sent: 2, pending: 3, failed: 0 } },
      config: { budget: BUDGET },
    })
    await until('charged', async () => (await campaign(w, id)).spending.spent_micros === 6_800)
    const costs = await w.api('GET', `/v1/usage/costs?group=campaign&campaign_id=${id}`)
    expect(costs.body.totals.costs).toEqual([{ currency: 'usd', amount_micros: 6_800 }])
    const raised = await w.api('PATCH', `/v1/campaigns/${id}`, {
      config: { budget: { ...BUDGET, amount_micros: 17_000 } },
    })
    expect([raised.status, raised.body.status]).toEqual([200, 'running'])
    expect((await completed(id)).counts).toMatchObject({ sent: 5, failed: 0 })
    expect((await w.api('PATCH', `/v1/campaigns/${id}`, { config: { budget: null } })).status).toBe(409)
  })

  test('of a draft can be changed, and its default warning is at 80 percent', async () => {
    const wish = { instances: [line], phones: phonesFrom(1), messages: [TEMPLATE], start: false }
    const id = await campaignOf(w, { ...wish, config: { budget: { amount_micros: 5, currency: 'usd' } } })
    expect((await campaign(w, id)).config.budget).toEqual({ amount_micros: 5, currency: 'usd', warn_percent: 80 })
    await w.api('PATCH', `/v1/campaigns/${id}`, { config: { budget: null } })
    expect(await campaign(w, id)).toMatchObject({ config: { budget: null }, spending: null, budget_hold: null })
    const set = await w.api('PATCH', `/v1/campaigns/${id}`, { config: { budget: BUDGET } })
    expect(set.body).toMatchObject({ status: 'draft', config: { budget: BUDGET }, spending: { state: 'below' } })
  })

  test.each([
    [{ budget: { currency: 'usd' } }],
    [{ budget: { amount_micros: 0, currency: 'usd' } }],
    [{ budget: { amount_micros: 1.5, currency: 'usd' } }],
    [{ budget: { amount_micros: 5, currency: 'dollars' } }],
    [{ budget: { amount_micros: 5, currency: 'usd', warn_percent: 101 } }],
  ])('refuses %j, and changes nothing', async (body) => {
    const id = await campaignOf(w, { instances: [line], phones: phonesFrom(1), messages: [TEMPLATE], start: false })
    expect((await w.api('PATCH', `/v1/campaigns/${id}`, { config: body })).status).toBe(400)
    expect((await campaign(w, id)).config.budget).toBeNull()
  })

  test('needs approval if an assistant sets it', async () => {
    const id = await campaignOf(w, { instances: [line], phones: phonesFrom(1), messages: [TEMPLATE], start: false })
    const { key } = await w.key({ scopes: ['dispatch:manage', 'dispatch:read'] })
    const assistant = await assistantOf(w, 'none', 'modern', key)
    await assistant.callAndWait('update_campaign', { campaign_id: id, config: { budget: BUDGET } })
    expect((await campaign(w, id)).config.budget).toBeNull()
  })
})

describe('the budget of a sub-account', () => {
  const path = (id: string) => `/v1/agency/accounts/${id}/message-budget`
  const clientOf = async (name: string): Promise<string> =>
    (await w.api('POST', '/v1/agency/accounts', { name })).body.id

  test('is set, listed and removed by its agency, and shown to the sub-account', async () => {
    const id = await clientOf('Bakery Luz')
    const spending = { spent_micros: 0, held_micros: 0, unknown_messages: 0, state: 'below' }
    const record = { account_id: id, name: 'Bakery Luz', month: new Date().toISOString().slice(0, 7) }
    const set = await w.api('PUT', path(id), BUDGET)
    expect([set.status, set.body]).toEqual([200, { ...record, budget: BUDGET, spending }])
    const { data } = (await w.api('GET', '/v1/message-budgets')).body
    expect(data[0]).toMatchObject({ account_id: w.account.id, budget: null, spending: null })
    expect(data).toContainEqual({ ...record, budget: BUDGET, spending })
    const { key } = (await w.api('POST', `/v1/agency/accounts/${id}/keys`, { name: 'Own', scopes: ['billing:read'] }))
      .body
    expect((await w.api('GET', '/v1/message-budgets', undefined, { key })).body.data).toEqual([
      { ...record, budget: BUDGET, spending },
    ])
    expect((await w.api('PUT', path(id), BUDGET, { key })).status).toBe(403)
    expect((await w.api('DELETE', path(id))).status).toBe(204)
    expect((await w.api('GET', `/v1/message-budgets?account_id=${id}`)).body.data).toEqual([
      { ...record, budget: null, spending: null },
    ])
  })

  test('ends with the sub-account', async () => {
    const id = await clientOf('Closed')
    await w.api('PUT', path(id), BUDGET)
    expect((await w.api('DELETE', `/v1/agency/accounts/${id}?confirm=true`)).status).toBe(204)
    expect(await w.rows('SELECT account_id FROM message_budgets WHERE account_id = :id', { id })).toEqual([])
  })

  test('can only be read and changed for sub-accounts of the caller', async () => {
    for (const id of [w.account.id, '019b8d40-3c1e-7a52-8f63-1d2c3b4a5968'])
      expect((await w.api('PUT', path(id), BUDGET)).status).toBe(404)
    expect((await w.api('PUT', path(await clientOf('Other')), { ...BUDGET, amount_micros: -1 })).status).toBe(400)
  })
})
