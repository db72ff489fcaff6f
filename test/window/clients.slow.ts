import { chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { codeOnScreen } from '../support/qr.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Clients of an agency: made, entered, given a number and a link, and their people invited. */
let w: ConsoleWindow
let page: Page
let bakery: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  bakery = await pairedInstance(w.api, '12025550100', 'Bakery Luz')
})
afterAll(() => w.remove())

const clients = async () => (await w.api('GET', '/v1/agency/accounts')).body.data as { id: string; name: string }[]
/** The page is loaded anew in the own account, and shows its clients. */
async function leave() {
  await page.getByRole('button', { name: 'Exit' }).click()
  await page.getByRole('link', { name: 'North bakery' }).waitFor()
}

const client = async () => (await clients())[0]?.id ?? ''

describe('a client account', () => {
  test('is created with a name and a limit of numbers', async () => {
    await w.open('/clients')
    await page.getByRole('button', { name: 'New client' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('North bakery')
    await page.getByRole('spinbutton', { name: 'Numbers allowed' }).fill('3')
    await page.getByRole('button', { name: 'Create client' }).click()
    await page.getByText('This client has no numbers yet.').waitFor()
    expect(await clients()).toMatchObject([{ name: 'North bakery', slots_allocated: 3 }])
  })

  test('receives a number of the agency, which the agency then no longer sees', async () => {
    await page.getByRole('button', { name: 'Transfer a number here' }).click()
    await page.getByRole('combobox', { name: 'Number' }).click()
    await page.getByRole('option', { name: 'Bakery Luz' }).click()
    await page.getByRole('button', { name: 'Transfer', exact: true }).click()
    await page.getByRole('button', { name: 'Bakery Luz', exact: true }).waitFor()
    expect((await w.api('GET', `/v1/instances/${bakery}`)).status).toBe(404)
  })

  test('is opened and left by the agency, with a banner and with the account in the address', async () => {
    await page.getByRole('button', { name: 'Open account' }).click()
    await page.getByText('You are in the account of North bakery').waitFor()
    await w.open('/instances')
    await page.getByRole('link', { name: 'Bakery Luz' }).waitFor()
    expect(page.url()).toContain(`account=${await client()}`)
    await expect.poll(() => page.getByRole('link', { name: 'Clients', exact: true }).count()).toBe(0)
    await leave()
    expect(page.url()).not.toContain('account=')
  })

  test('no longer shows a feature that the agency removed', async () => {
    await w.api('PATCH', `/v1/agency/accounts/${await client()}`, { features: ['ai', 'mcp'] })
    await w.open(`/clients/${await client()}`)
    await page.getByRole('button', { name: 'Open account' }).click()
    await page.getByText('You are in the account of North bakery').waitFor()
    await page.getByRole('link', { name: 'Contacts', exact: true }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Campaigns', exact: true }).count()).toBe(0)
    await leave()
  })
})

describe('the people of a client', () => {
  test('sign in with a member link and see only this account', async () => {
    await w.open(`/clients/${await client()}`)
    await page.getByRole('button', { name: 'Open account' }).click()
    await page.getByText('You are in the account of North bakery').waitFor()
    await w.open('/team')
    await page.getByRole('button', { name: 'Invite member' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Ana Souza')
    await page.getByRole('textbox', { name: 'Email' }).fill('ana@bakery.example')
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = (await page.getByText(/#code=/).textContent()) ?? ''
    await page.getByRole('button', { name: 'Done' }).click()
    const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
    try {
      const theirs = await browser.newPage()
      await theirs.goto(link.trim())
      await theirs.getByText('North bakery').first().waitFor()
      await expect.poll(() => theirs.getByRole('link', { name: 'Clients', exact: true }).count()).toBe(0)
      await expect.poll(() => theirs.getByRole('link', { name: 'Team', exact: true }).count()).toBe(0)
      await theirs.goto(link.replace(/#.*/, '#/activity'))
      await theirs.getByRole('table', { name: 'Activity log' }).waitFor()
    } finally {
      await browser.close()
    }
    await leave()
  })
})

describe('an access link', () => {
  test('is created for a number, and its code opens the page that pairs the number', async () => {
    const { id } = (await w.api('POST', '/v1/instances', { name: 'Front desk' })).body
    await w.open(`/instances/${id}?tab=settings`)
    await page.getByRole('button', { name: 'New link' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const url = (
      (await page
        .getByText(/\/link\//)
        .first()
        .textContent()) ?? ''
    ).trim()
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
    await expect.poll(() => codeOnScreen(page)).toBe(url)
    const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
    try {
      const theirs = await browser.newPage({ viewport: { width: 390, height: 844 } })
      await theirs.goto(url)
      await expect.poll(() => codeOnScreen(theirs), { timeout: 60_000 }).toBeTruthy()
      const qr = (await codeOnScreen(theirs)) ?? ''
      await w.api('POST', '/v1/sandbox/phones', { number: '12025550177', name: 'Their phone' })
      expect((await w.api('POST', '/v1/sandbox/phones/12025550177/scan', { qr })).status).toBe(200)
      await expect.poll(async () => (await w.api('GET', `/v1/instances/${id}`)).body.connected).toBe(true)
    } finally {
      await browser.close()
    }
    await page.keyboard.press('Escape')
  })
})
