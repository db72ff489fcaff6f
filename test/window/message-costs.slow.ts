import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { until } from '../support/service-process.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

const OURS = '12025550100'
const PEOPLE = ['12025550101', '12025550102', '447400123456'] as const
/** Where pictures go, for somebody who wants to look. */
const PICTURES = process.env.COST_PICTURES
let w: ConsoleWindow
let page: Page
let instance: string

/** In the light and the dark window, each reachable by everybody. */
async function looksWell(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await w.settle()
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png`, fullPage: true })
    expect(await brokenRules(page)).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

const costsOf = async () => (await w.api('GET', '/v1/usage/costs')).body.totals

beforeAll(async () => {
  w = await openConsole({ SWITCHBOARD_OFFICIAL_GRAPH_BASE_URL: 'sandbox', SWITCHBOARD_NETWORK: 'live' })
  page = w.page
  const made = (await w.api('POST', '/v1/instances', { engine: 'official', name: 'Bakery Luz' })).body
  instance = made.id
  const known = (await w.api('POST', '/v1/sandbox/graph/numbers', { number: OURS })).body
  await fetch(made.onboarding_url, { method: 'POST', body: new URLSearchParams(known) })
  await until('connected', async () => (await w.api('GET', `/v1/instances/${instance}`)).body.status === 'connected')
  const template = { name: 'hello_world', language: { code: 'en_US' } }
  for (const to of PEOPLE) {
    const sent = await w.api('POST', `/v1/instances/${instance}/messages`, {
      to,
      cloud_api: { type: 'template', template },
    })
    expect(sent.status, JSON.stringify(sent.body)).toBe(201)
  }
  await until('counted', async () => (await costsOf()).messages === PEOPLE.length)
})
afterAll(() => w.remove())

test('what messages cost is told by number, and what is an estimate says so', async () => {
  await w.open('/billing')
  await page.getByRole('tab', { name: 'Message costs' }).click()
  await page.getByRole('row', { name: /Bakery Luz/ }).waitFor()
  await page.getByText('An estimate with example prices.').waitFor()
  await looksWell('costs')
  await page.getByRole('combobox', { name: 'Group by' }).click()
  await page.getByRole('option', { name: 'Category' }).click()
  await page.getByRole('row', { name: /Utility/ }).waitFor()
})

test('a price that the operator enters counts at once, and may be removed again', async () => {
  await w.open('/settings')
  await page.getByRole('button', { name: 'Change the price: United States, Utility' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Price per message').fill('0.0041')
  await dialog.getByLabel('Source').fill('Rate card of October 2026')
  await looksWell('price')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await costsOf()).costs).toContainEqual({ currency: 'usd', amount_micros: 2 * 4_100 })
  await looksWell('prices')
  await page.getByRole('button', { name: 'Remove the price: United States, Utility' }).click()
  await expect.poll(async () => (await costsOf()).costs).toContainEqual({ currency: 'usd', amount_micros: 2 * 3_400 })
})

test('the page of the number says how many people its portfolio may reach, and has reached', async () => {
  await w.open(`/instances/${instance}`)
  await page.getByText('3 of 250').waitFor()
  await looksWell('limit')
})
