import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { until } from '../support/service-process.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { phonesFrom } from '../capabilities/campaigns/campaign-world.ts'

const OURS = '12025550100'
/** Where pictures go, for somebody who wants to look. */
const PICTURES = process.env.COST_PICTURES
const TEMPLATE = {
  cloud_api: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } },
}
const SWIFT = { minDelay: 0, maxDelay: 0, pauseAfter: null, window: null, skipIfContactedHours: null, typing: false }
let w: ConsoleWindow
let page: Page
let instance: string
let client: string

async function looksWell(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await w.settle()
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png`, fullPage: true })
    expect(await brokenRules(page)).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

beforeAll(async () => {
  w = await openConsole({ SWITCHBOARD_OFFICIAL_GRAPH_BASE_URL: 'sandbox', SWITCHBOARD_NETWORK: 'live' })
  page = w.page
  const made = (await w.api('POST', '/v1/instances', { engine: 'official', name: 'Bakery Luz' })).body
  instance = made.id
  const known = (await w.api('POST', '/v1/sandbox/graph/numbers', { number: OURS })).body
  await fetch(made.onboarding_url, { method: 'POST', body: new URLSearchParams(known) })
  await until('connected', async () => (await w.api('GET', `/v1/instances/${instance}`)).body.status === 'connected')
  client = (await w.api('POST', '/v1/agency/accounts', { name: 'Flower Shop' })).body.id
})
afterAll(() => w.remove())

const campaignOf = async (id: string) => (await w.api('GET', `/v1/campaigns/${id}`)).body

test('a campaign that used up its budget says so, and continues when a person raises the budget', async () => {
  const made = await w.api('POST', '/v1/campaigns', {
    ...{ instance_ids: [instance], name: 'Offer', messages: [TEMPLATE], start: true },
    recipients: phonesFrom(5, 12_025_550_210).map((phone) => ({ phone })),
    config: { ...SWIFT, budget: { amount_micros: 6_800, currency: 'usd' } },
  })
  const id = made.body.campaign_id
  await until('held', async () => (await campaignOf(id)).pause_reason === 'budget')
  await until('charged', async () => (await campaignOf(id)).spending.spent_micros === 6_800)
  await w.open(`/campaigns/${id}`)
  await page.getByText('Waiting: the budget is used up').waitFor()
  const card = page.getByRole('region', { name: 'Budget' })
  await card.getByText('$0.0068 spent').waitFor()
  await card.getByText('Used up').waitFor()
  await looksWell('campaign')
  await card.getByRole('button', { name: 'Change budget' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Budget').fill('nothing')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter an amount such as 50.').waitFor()
  await looksWell('dialog')
  await dialog.getByLabel('Budget').fill('1')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await until('completed', async () => (await campaignOf(id)).status === 'completed')
})

test('the budget of a draft is set in the pace step', async () => {
  const made = await w.api('POST', '/v1/campaigns', {
    ...{ instance_ids: [instance], name: 'Draft', messages: [TEMPLATE], config: SWIFT },
    recipients: phonesFrom(2, 12_025_550_210).map((phone) => ({ phone })),
  })
  const id = made.body.campaign_id
  await w.open(`/campaigns/edit/${id}`)
  await page.getByRole('button', { name: /Pace/ }).first().click()
  const part = page.getByRole('region', { name: 'Budget' })
  await part.getByText('No budget').waitFor()
  await part.getByRole('button', { name: 'Set budget' }).click()
  await page.getByRole('dialog').getByLabel('Budget').fill('0.005')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await part.getByText('$0.005').waitFor()
  await until('saved', async () => (await campaignOf(id)).config.budget?.amount_micros === 5_000)
  await looksWell('pace')
})

test('the operator sets, raises and removes the budget of a client', async () => {
  await w.open('/billing?tab=costs')
  await page.getByRole('button', { name: 'Set budget: Flower Shop' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Budget').fill('50')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('listitem', { name: 'Flower Shop' })
  await row.getByText('$50').waitFor()
  await looksWell('clients')
  const budgetOf = async () => (await w.api('GET', `/v1/message-budgets?account_id=${client}`)).body.data[0].budget
  expect(await budgetOf()).toEqual({ amount_micros: 50_000_000, currency: 'usd', warn_percent: 80 })
  await page.getByRole('button', { name: 'Change budget: Flower Shop' }).click()
  await dialog.getByLabel('Budget').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('No budget').waitFor()
  expect(await budgetOf()).toBeNull()
})
