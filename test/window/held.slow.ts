import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { clientOf, launch, personIn, seedFor, type Client, type Person } from './people.ts'
import type { Holdings } from './places.ts'

/** The window of a client whose account is suspended: what the service would refuse is not offered. */
const WHY = 'Not available while this account is suspended.'
let w: ConsoleWindow
let browser: Browser
let client: Client
let holdings: Holdings
let person: Person

beforeAll(async () => {
  w = await openConsole()
  browser = await launch()
  client = await clientOf(w, 'South bakery', ['campaigns', 'ai', 'voice', 'ghl'])
  holdings = await seedFor(client.api, '3')
  const ai = `/v1/instances/${holdings.instance}/ai`
  await client.api('POST', `${ai}/agents`, { name: 'Reception', provider: 'builtin' })
  await client.api('PATCH', `${ai}/settings`, { enabled: true })
  person = await personIn(w, browser, client.id, 'mia@bakery.example')
})
afterAll(async () => {
  await browser.close()
  await w.remove()
})

const suspend = (isOver = false) => w.api('POST', `/v1/agency/accounts/${client.id}/${isOver ? 'activate' : 'suspend'}`)
const button = (name: string) => person.page.getByRole('button', { name, exact: true })

test('the composer keeps what is typed, says why it does not send it, and sends it afterwards', async () => {
  const { page } = person
  await person.open(`/messages/${holdings.instance}/${holdings.chat}`)
  const field = page.getByPlaceholder('Write a message')
  await field.fill('We do, until noon.')
  await suspend()
  await page.locator('form').getByText(WHY).waitFor()
  await page.getByText('The agent doesn’t answer for now.').waitFor()
  expect(await page.getByText('The agent answers in this chat.').count()).toBe(0)
  expect(await button('Send').isDisabled()).toBe(true)
  await field.press('Enter')
  expect(await field.inputValue()).toBe('We do, until noon.')
  await suspend(true)
  await page.locator('form').getByText(WHY).waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('We do, until noon.')
  await field.press('Enter')
  await expect.poll(() => field.inputValue()).toBe('')
  await page.getByRole('article').getByText('We do, until noon.').waitFor()
  expect(person.takeTroubles()).toEqual([])
}, 120_000)

test('campaigns and calls cannot be started, and the reason is next to their buttons', async () => {
  const { page } = person
  const budget = { amount_micros: 5_000_000, currency: 'usd' }
  await client.api('PATCH', `/v1/campaigns/${holdings.draft}`, { config: { budget } })
  await suspend()
  await person.open('/campaigns/edit')
  await page.getByText(WHY).waitFor()
  expect(await button('Next').isDisabled()).toBe(true)
  // A draft that exists can be changed, also one with a budget, which cannot.
  await person.open(`/campaigns/edit/${holdings.draft}?step=pace`)
  expect(await button('Next').isDisabled()).toBe(false)
  await page.getByLabel('Hourly limit').click()
  const config = async () => (await client.api('GET', `/v1/campaigns/${holdings.draft}`)).body.config
  await expect.poll(async () => (await config()).hourlyLimit, { timeout: 20_000 }).toBe(80)
  expect((await config()).budget).toMatchObject(budget)
  await person.open(`/campaigns/edit/${holdings.draft}`)
  await page.getByRole('button', { name: /Review$/ }).click()
  await page.getByText(WHY).first().waitFor()
  expect(await button('Start…').isDisabled()).toBe(true)
  await person.open(`/softphone?instance=${holdings.instance}&to=12025550199`)
  await page.locator('form').getByText(WHY).waitFor()
  expect(await page.locator('form button[type=submit]').isDisabled()).toBe(true)
  await person.open(`/calls/schedule?instance=${holdings.instance}&to=12025550199`)
  await page.locator('form').getByText(WHY).waitFor()
  expect(await page.locator('form button[type=submit]').isDisabled()).toBe(true)
  await suspend(true)
  await expect.poll(() => page.getByText(WHY).count()).toBe(0)
  expect(person.takeTroubles()).toEqual([])
}, 120_000)
