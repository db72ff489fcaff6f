import { readFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio'
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { browserPath } from '../support/browser.ts'
import { testHome, type Api, type RunningService } from '../support/service-process.ts'

/** What the person who runs it does now and then: settings, backups, sessions; and taking back what was a mistake. */
const home = testHome()
let service: RunningService
let api: Api
let browser: Browser
let context: BrowserContext
let page: Page
let first = ''

const OURS = '12025550100'
const PERSON = '12025550101'
const TIMEOUT = 60_000

beforeAll(async () => {
  service = await home.start({
    SWITCHBOARD_SANDBOX_TIMELINE_MS: '0,0,10,10',
    SWITCHBOARD_RATE_LIMIT_PER_MINUTE: undefined,
  })
  api = service.api((await home.key('window')).key)
  browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
  ;({ context, page } = await signedIn())
}, TIMEOUT)

afterAll(async () => {
  await browser.close()
  await home.remove()
})

async function signedIn(): Promise<{ context: BrowserContext; page: Page }> {
  const own = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    reducedMotion: 'reduce',
  })
  const opened = await own.newPage()
  opened.setDefaultTimeout(15_000)
  const { console_url: address } = JSON.parse((await home.command('console', '--json')).out) as { console_url: string }
  await opened.goto(address)
  await opened.getByRole('heading', { level: 1 }).waitFor()
  return { context: own, page: opened }
}

const open = async (route: string, where = page) => {
  await where.evaluate((to) => void (location.hash = `#${to}`), route)
  await where.getByRole('heading', { level: 1 }).waitFor()
}
const toast = (text: string | RegExp) =>
  page
    .getByRole('region', { name: /notifications/i })
    .getByText(text)
    .first()
const undo = () => page.getByRole('button', { name: 'Undo' }).first()
/** Of a change that was just made: that of the one before may still be on its way out. */
const undoOf = (title: string) =>
  page.getByRole('listitem').filter({ hasText: title }).getByRole('button', { name: 'Undo' }).first()
const nameOf = async () => (await api('GET', `/v1/instances/${first}`)).body.name

describe('the first run', { timeout: TIMEOUT }, () => {
  test('is complete in every browser once it was skipped in one browser', async () => {
    await page.getByRole('heading', { name: 'Name your workspace' }).waitFor()
    const other = await signedIn()
    await other.page.getByRole('heading', { name: 'Name your workspace' }).waitFor()
    await page.getByRole('button', { name: 'Skip for now' }).click()
    await page.getByText('No numbers yet').waitFor()
    await open('/instances', other.page)
    await other.page.reload()
    await other.page.getByText('No numbers yet').waitFor()
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('welcome')
    await other.context.close()
  })

  test('does not navigate back when the user opens another screen while the skip request is pending', async () => {
    await open('/welcome')
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/panel/v1/account', async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('button', { name: 'Skip for now' }).click()
    await open('/webhooks')
    const answered = page.waitForResponse('**/panel/v1/account')
    answer()
    await (await answered).finished()
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
    expect(new URL(page.url()).hash).toBe('#/webhooks')
    await page.unroute('**/panel/v1/account')
  })
})

describe('the undo button', { timeout: TIMEOUT }, () => {
  test('reverts a new name', async () => {
    first = (await api('POST', '/v1/instances', { name: 'Front desk' })).body.id
    await open(`/instances/${first}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Frnt desk')
    await page.getByRole('button', { name: 'Save' }).click()
    await toast('Frnt desk updated').waitFor()
    expect(await nameOf()).toBe('Frnt desk')
    await undo().click()
    await toast('Undone').waitFor()
    expect(await nameOf()).toBe('Front desk')
  })

  test('reverts the pausing of a webhook', async () => {
    const { id } = (await api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/undo', events: ['*'] })).body
    await open(`/webhooks/${id}`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await toast('Paused. Events are held until you resume.').waitFor()
    expect((await api('GET', `/v1/webhooks/${id}`)).body.active).toBe(false)
    await undo().click()
    await expect.poll(async () => (await api('GET', `/v1/webhooks/${id}`)).body.active).toBe(true)
  })

  test('reverts changed filters', async () => {
    await open('/instances')
    await page.getByRole('searchbox', { name: 'Search numbers' }).fill('desk')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await undoOf('Filters cleared').click()
    await expect.poll(() => page.getByRole('searchbox', { name: 'Search numbers' }).inputValue()).toBe('desk')
    await page.getByRole('button', { name: 'Clear filters' }).click()
  })

  test('reverts the disconnection of many numbers', async () => {
    for (const number of [OURS, '12025550102']) {
      const { id } = (await api('POST', '/v1/instances', { name: `Line ${number.slice(-1)}` })).body
      const { pairing_code: code } = (await api('GET', `/v1/instances/${id}/qr`)).body
      await api('POST', `/v1/sandbox/phones/${number}/scan`, { pairing_code: code })
    }
    const connected = async () =>
      (await api('GET', '/v1/instances')).body.data.filter((one: { connected: boolean }) => one.connected).length
    await expect.poll(connected).toBe(2)
    await open('/instances')
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Connected' }).count()).toBe(2)
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByRole('toolbar').getByRole('button', { name: 'Disconnect' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Disconnect 2 numbers').waitFor()
    await dialog.getByText('1 is not paired yet').waitFor()
    await dialog.getByRole('button', { name: 'Disconnect' }).click()
    await expect.poll(connected).toBe(0)
    await dialog.getByText('2 of 2').waitFor()
    await page.keyboard.press('Escape')
    await undo().click()
    await expect.poll(connected, { timeout: 60_000 }).toBe(2)
    await page.getByRole('button', { name: 'Clear selection' }).click()
  })
})

describe('an open conversation', { timeout: TIMEOUT }, () => {
  const lineOf = async (number: string): Promise<string> => {
    const { data } = (await api('GET', '/v1/instances')).body
    return data.find((one: { phone_number: string | null }) => one.phone_number === number).id
  }
  const say = async (text: string) =>
    (await api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: OURS, text })).body

  test('shows the quote above our own message', async () => {
    const line = await lineOf(OURS)
    await say('Open on Sunday?')
    await open(`/messages/${line}/${PERSON}`)
    const theirs = page.getByRole('log').getByRole('article').filter({ hasText: 'Open on Sunday?' })
    await theirs.waitFor()
    const [{ data }] = (await api('GET', '/v1/events?type=message.received&limit=1')).body.data
    const answer = { to: PERSON, text: 'From ten', quoted_message_id: data.message_id }
    expect((await api('POST', `/v1/instances/${line}/engine/smv2/send/text`, answer)).status).toBe(201)
    const ours = page.getByRole('log').getByRole('article').filter({ hasText: 'From ten' })
    await ours.waitFor()
    await ours.getByRole('button', { name: 'Open on Sunday?' }).waitFor()
  })

  test('shows an edit of a message that is far from the newest', async () => {
    await api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Ana' })
    const line = await lineOf(OURS)
    const said = await say('The very first, with a tpyo')
    for (let n = 0; n < 80; n++) await say(`Number ${n}`)
    await open(`/messages/${line}/${PERSON}`)
    await page.getByText('Number 79').last().waitFor()
    const log = page.getByRole('log')
    await log.hover()
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, -4_000)
        return page.getByText('The very first, with a tpyo').count()
      })
      .toBe(1)
    const path = `/v1/sandbox/phones/${PERSON}/messages/${said.id}/edit`
    const edited = await api('POST', path, { text: 'The very first, right' })
    expect(edited.status, JSON.stringify(edited.body)).toBeLessThan(300)
    await page.getByText('The very first, right').waitFor()
  })
})

describe('the settings', { timeout: TIMEOUT }, () => {
  const row = (text: string): Locator => page.getByRole('listitem').filter({ hasText: text })

  test('say where each value was set, and change the values that take effect immediately', async () => {
    await open('/settings')
    await row('Port').getByText('by --port', { exact: false }).waitFor()
    await row('Requests per minute per key').getByText('Default').waitFor()
    await page.getByRole('button', { name: 'Change Requests per minute per key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('many')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Enter a number', { exact: false }).waitFor()
    await dialog.getByRole('textbox').fill('1200')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row('Requests per minute per key').getByText('1,200').waitFor()
    expect((await api('GET', '/v1/me')).headers.get('x-ratelimit-limit')).toBe('1200')
    await undo().click()
    await row('Requests per minute per key').getByText('600').waitFor()
    expect((await api('GET', '/v1/me')).headers.get('x-ratelimit-limit')).toBe('600')
  })

  test('download diagnostics without secrets for support', async () => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download diagnostics' }).click()
    const text = readFileSync(await (await download).path(), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ window: { language: 'en' }, service: { storage: { integrity: 'ok' } } })
    const cookies = await context.cookies()
    for (const hidden of [...cookies.map(({ value }) => value), PERSON, OURS, 'Front desk', home.dir, 'swb_', 'whsec_'])
      expect(text.includes(hidden), hidden).toBe(false)
  })

  test('sign another browser out', async () => {
    const other = await signedIn()
    await open('/settings')
    await page.reload()
    await page.getByText('Another browser').first().waitFor()
    // The last used stands first.
    await row('Another browser').first().getByRole('button', { name: 'Sign out' }).click()
    await other.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    await page.getByText('This browser').waitFor()
    await other.context.close()
  })

  test('sign out other browsers when the password changes, and say so', async () => {
    const other = await signedIn()
    await open('/settings')
    await page.getByLabel('New password').fill('correct horse battery')
    await page.getByLabel('Confirm password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Set password' }).click()
    await toast('Your other browsers were signed out.').waitFor()
    await other.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    await other.context.close()
  })
})

describe('an MCP client', { timeout: TIMEOUT }, () => {
  test('connects with the configuration copied from the window', async () => {
    await open('/assistants/connect')
    await page
      .getByRole('button', { name: /^(Make|New|Create)/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('button', { name: 'I’ve copied it' }).click()
    const text = await page.locator('pre').innerText()
    const { switchboard } = (JSON.parse(text) as { mcpServers: { switchboard: StdioServerParameters } }).mcpServers
    const client = new Client({ name: 'pasted', version: '1' })
    await client.connect(new StdioClientTransport(switchboard))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('send_message')
    await client.close()
  })
})

describe('a restore', { timeout: TIMEOUT }, () => {
  test('restores a backup after a typed confirmation and a restart from the window', async () => {
    await open('/settings')
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Backup created and verified.').waitFor()
    await api('PATCH', `/v1/instances/${first}`, { name: 'Named since' })
    await page
      .getByRole('button', { name: /^Restore the backup from/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    const act = dialog.getByRole('button', { name: 'Restore', exact: true })
    await expect.poll(() => act.isEnabled()).toBe(false)
    await dialog.getByRole('textbox').fill('restore')
    await act.click()
    await page.getByText('will be restored at the next start', { exact: false }).waitFor()
    expect(await nameOf()).toBe('Named since')

    await page.getByRole('button', { name: 'Cancel restore' }).click()
    await toast('Restore canceled').waitFor()
    await page
      .getByRole('button', { name: /^Restore the backup from/ })
      .first()
      .click()
    await dialog.getByRole('textbox').fill('restore')
    await act.click()
    await page.getByRole('button', { name: 'Restart now' }).click()
    await page.getByText('Backup restored').waitFor({ timeout: 60_000 })
    await page.getByText('Before a restore').waitFor()
    await expect.poll(nameOf).toBe('Front desk')
    await page.getByText('Connected', { exact: true }).first().waitFor()
  })
})

describe('a toast', { timeout: TIMEOUT }, () => {
  test('floats over the page without resizing it, and does not block sending or other actions', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    const { data } = (await api('GET', '/v1/instances')).body
    const line = data.find((one: { phone_number: string | null }) => one.phone_number === OURS).id
    await open('/instances')
    const size = () => page.locator('main').evaluate((main) => [main.clientWidth, main.clientHeight])
    const before = await size()
    await page.getByRole('searchbox', { name: 'Search numbers' }).fill('line')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await undo().waitFor()
    expect(await size()).toEqual(before)
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByRole('toolbar').getByRole('button', { name: 'Disconnect' }).click({ trial: true })
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await open(`/messages/${line}/${PERSON}`)
    await page.getByPlaceholder('Write a message').fill('Still open?')
    await page.getByRole('button', { name: 'Send', exact: true }).click({ trial: true })
    await page.getByPlaceholder('Write a message').fill('')
  })
})

describe('a narrow window', { timeout: TIMEOUT }, () => {
  const SIZES = [
    [1280, 800],
    [768, 900],
    [400, 760],
  ] as const

  test.each(SIZES)('a screen fits without sideways scrolling in a window of %i × %i', async (width, height) => {
    await page.setViewportSize({ width, height })
    for (const route of [
      'instances',
      `instances/${first}`,
      'webhooks',
      'keys',
      'assistants/connect',
      'sandbox',
      'settings',
    ]) {
      await open(`/${route}`)
      await page.waitForTimeout(150)
      const heading = await page.getByRole('heading', { level: 1 }).boundingBox()
      expect(heading?.width, route).toBeGreaterThan(40)
      const beyond = await page.evaluate(() =>
        [...document.querySelectorAll('main *')]
          .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
          .filter((one) => one.closest('[class*=overflow-x-auto],[class*=overflow-auto],.sr-only') === null)
          .map((one) => one.outerHTML.slice(0, 120)),
      )
      expect(beyond.slice(0, 2), route).toEqual([])
      if (route !== 'instances') continue
      const table = page.getByRole('table', { name: 'Numbers' })
      expect(await table.evaluate((pane) => pane.scrollWidth - pane.clientWidth)).toBe(0)
      await table.getByRole('button', { name: 'Actions for Front desk' }).click({ trial: true })
    }
  })
})

test.each(['light', 'dark'] as const)(
  'settings and their dialogs meet the accessibility rules, %s',
  async (colorScheme) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await open('/settings')
    for (const name of [/^Restore the backup from/, 'Change Number limit']) {
      await page.getByRole('button', { name }).first().click()
      await page.getByRole('dialog').waitFor()
      await page.waitForTimeout(300)
      expect(await brokenRules(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
  },
  TIMEOUT,
)
