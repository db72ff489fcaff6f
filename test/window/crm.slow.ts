import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Connecting with GoHighLevel in the browser, and writing in its inbox. */
const LINE = '12025550100'
const PERSON = '12025550177'

const SOON = { timeout: 60_000 }

let w: ConsoleWindow
let page: Page
let instance: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  instance = await pairedInstance(w.api, LINE, 'Bakery Luz')
  await w.open(`/instances/${instance}?tab=crm`)
})
afterAll(() => w.remove())

const ghl = async () => (await w.api('GET', `/v1/instances/${instance}/ghl`)).body
const violations = (of: Page) => brokenRules(of)

test('a person connects a number to the CRM on the consent page, and the card shows the connection', async () => {
  const card = page
    .getByRole('region', { name: 'GoHighLevel' })
    .or(page.locator('section', { hasText: 'GoHighLevel' }).first())
  const [consent] = await Promise.all([
    w.context.waitForEvent('page'),
    card.getByRole('button', { name: 'Connect', exact: true }).click(),
  ])
  await consent.getByRole('heading', { name: 'Allow Switchboard to access a location?' }).waitFor()
  expect(await violations(consent)).toEqual([])
  await consent.getByRole('button', { name: 'Allow' }).click()
  await consent.getByText('Messages appear there from now on').waitFor()
  expect(await violations(consent)).toEqual([])
  await consent.close()
  await card.getByText('Main office').waitFor()
  expect(await ghl()).toMatchObject({ connected: true, location_name: 'Main office' })
  expect(await violations(page)).toEqual([])
})

test('a message typed in the CRM inbox reaches the phone, and its status is reported back', async () => {
  await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: LINE, text: 'Do you have rye bread?' })
  const [inbox] = await Promise.all([
    w.context.waitForEvent('page'),
    page.getByRole('link', { name: 'Open the simulated inbox' }).click(),
  ])
  const conversation = inbox.locator('a[href*="conversation="]')
  const count = async () => {
    await inbox.reload()
    return conversation.count()
  }
  await expect.poll(count, SOON).toBe(1)
  await conversation.click()
  const thread = inbox.frameLocator('iframe')
  await thread.getByText('Do you have rye bread?').waitFor()
  await inbox.getByLabel('Message').fill('Yes, until six.')
  await inbox.getByRole('button', { name: 'Send' }).click()
  await expect
    .poll(async () => {
      const { body } = await w.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)
      return body.data.map(({ text }: { text: string }) => text)
    }, SOON)
    .toEqual(['Yes, until six.'])
  await expect.poll(() => thread.getByText(/· read/).count(), SOON).toBe(1)
  expect(await violations(inbox)).toEqual([])
  await inbox.close()
})

test('a person changes what is synced, pauses the sync, copies earlier messages, and disconnects', async () => {
  await page.getByRole('switch', { name: 'Calls and recordings' }).first().click()
  await expect.poll(async () => (await ghl()).sync.calls, SOON).toBe(false)
  await page.getByRole('button', { name: 'Pause' }).first().click()
  await page.getByText('Paused: nothing is synced').first().waitFor()
  expect((await ghl()).paused).toBe(true)
  await page.getByRole('button', { name: 'Resume' }).first().click()
  await expect.poll(async () => (await ghl()).paused, SOON).toBe(false)
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page
    .getByText(/Messages copied/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('button', { name: 'Use a token' }).waitFor()
  expect((await ghl()).connected).toBe(false)
})

test('another CRM is connected by its URL, and the secret is shown once', async () => {
  await page.getByLabel('URL of the CRM').fill('https://catcher.sandbox/crm')
  await page.getByRole('button', { name: 'Connect', exact: true }).last().click()
  const secret = await page
    .getByText(/^whsec_[A-Za-z0-9+/]{44}$/)
    .first()
    .innerText()
  expect(await violations(page)).toEqual([])
  await page.reload()
  await page.getByText(`whsec_…${secret.slice(-4)}`).waitFor()
  await expect.poll(() => page.getByText(secret).count()).toBe(0)
})
