import AxeBuilder from '@axe-core/playwright'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { testHome, type Api, type RunningService } from '../support/service-process.ts'

/** The console as a person has it: the built service, its one-time address, a real Chromium. */
const home = testHome()
let service: RunningService
let api: Api
let browser: Browser
let context: BrowserContext
let page: Page
const outside: string[] = []
const complaints: string[] = []

const OURS = '12025550100'
const PERSON = '12025550101'
const TIMEOUT = 60_000

beforeAll(async () => {
  service = await home.start({ SWITCHBOARD_SANDBOX_TIMELINE_MS: '0,0,50,50' })
  api = service.api((await home.key('window')).key)
  browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
  context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    reducedMotion: 'reduce',
  })
  page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('request', (request) => {
    if (!request.url().startsWith(`${service.url}/`) && !/^(data|blob):/.test(request.url()))
      outside.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
}, TIMEOUT)

afterAll(async () => {
  await browser.close()
  await home.remove()
})

const open = async (route: string) => {
  await page.evaluate((to) => void (location.hash = `#${to}`), route)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

describe('a person who has never seen it', { timeout: TIMEOUT }, () => {
  test('signs in by the address the service gives, once', async () => {
    const { console_url: address } = JSON.parse((await home.command('console', '--json')).out) as {
      console_url: string
    }
    await page.goto(address)
    await page.getByRole('heading', { name: 'Name your workspace' }).waitFor()
    expect(page.url()).not.toContain('code')

    const second = await (await browser.newContext({ locale: 'en-US' })).newPage()
    await second.goto(address)
    await second.getByRole('heading', { name: 'Sign in to the console' }).waitFor()
    await second.context().close()
  })

  test('names the workspace and pairs a phone by what a camera sees', async () => {
    await page.getByLabel('Workspace').fill('Bakery Luz')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'Pair a sandbox phone' }).click()
    const picture = page.getByRole('img', { name: /QR/i })
    await picture.waitFor()
    await expect.poll(() => seenOnScreen(page), { timeout: 10_000 }).not.toBeUndefined()
    await api('POST', '/v1/sandbox/phones', { number: OURS, name: 'Front desk' })
    const scanned = await api('POST', `/v1/sandbox/phones/${OURS}/scan`, { qr: await seenOnScreen(page) })
    expect(scanned.status).toBe(200)
    await page.getByText('Connected', { exact: false }).first().waitFor()
  })

  test('sends a first message and watches it go', async () => {
    await api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Ana' })
    await page.getByRole('textbox', { name: 'To' }).fill(`+${PERSON}`)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Read', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Finish' }).click()
  })
})

/** What an independent decoder reads from a screenshot of the window. */
async function seenOnScreen(window: Page): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(await window.screenshot())
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data
}

describe('day by day', { timeout: TIMEOUT }, () => {
  test('what the other side writes is there within a moment, and is answered', async () => {
    const { data } = (await api('GET', '/v1/instances')).body
    await open(`/messages/${data[0].id}/${PERSON}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: OURS, text: 'Do you have rye bread today?' })
    await page.getByText('Do you have rye bread today?').last().waitFor({ timeout: 5_000 })

    await page.getByPlaceholder('Write a message').fill('Yes, until six.')
    await page.keyboard.press('Enter')
    await page.getByText('Yes, until six.').last().waitFor()
    await expect
      .poll(async () => JSON.stringify((await api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body))
      .toContain('Yes, until six.')
  })

  test('a webhook is made on a catcher, and its deliveries appear while they happen', async () => {
    await open('/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByRole('button', { name: 'No server? Use a catcher' }).click()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const secret = page.getByText(/^whsec_[\w-]{20,}$/).first()
    await secret.waitFor()
    await page.keyboard.press('Escape')
    const { data } = (await api('GET', '/v1/webhooks')).body
    expect(data).toHaveLength(1)

    await open(`/webhooks/${data[0].id}`)
    await api('POST', '/v1/instances', { name: 'For its event' })
    await page.getByText('instance.created').first().waitFor({ timeout: 5_000 })
    await page.getByText('Delivered').first().waitFor({ timeout: 5_000 })
    await expect(page.content()).resolves.not.toContain('whsec_A')
  })

  test('a key is made for an assistant that asks first, and its call waits for a yes', async () => {
    await open('/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Assistant')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('switch').click()
    await dialog.getByText('Sending, too').click()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const shown = page.getByText(/^swb_\w{30,}$/).first()
    await shown.waitFor()
    const key = (await shown.textContent()) ?? ''
    await page.getByRole('button', { name: 'I have copied it' }).click()

    const { data } = (await api('GET', '/v1/instances?limit=200')).body
    const sender = data.find((each: { connected: boolean }) => each.connected)
    const client = new Client({ name: 'window-test', version: '1' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
      }),
    )
    const text = 'Sent by an assistant, with a yes.'
    const asked = await client.callTool({
      name: 'send_message',
      arguments: { instance_id: sender.id, to: PERSON, text, idempotency_key: 'yes-1' },
    })
    expect(JSON.stringify(asked)).toContain('approval')
    await open('/assistants/approvals')
    await page.getByRole('button', { name: 'Approve' }).click()
    await expect
      .poll(async () => JSON.stringify((await api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body), {
        timeout: 10_000,
      })
      .toContain(text)
    await client.close()
  })

  test('a number made elsewhere appears by itself', async () => {
    await open('/instances')
    await api('POST', '/v1/instances', { name: 'Made by a program' })
    await page.getByText('Made by a program').first().waitFor({ timeout: 5_000 })
  })

  test('the keyboard leads anywhere', async () => {
    await open('/instances')
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await expect.poll(() => page.url()).toContain('#/keys')
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search…').last().fill('Made by')
    await expect.poll(() => page.getByRole('option').count()).toBe(1)
    await page.keyboard.press('ArrowDown')
    await page.locator('[role=option][data-highlighted]').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('#/instances/')
  })
})

describe('every screen', { timeout: TIMEOUT }, () => {
  const SCREENS = ['instances', 'messages', 'webhooks', 'keys', 'assistants', 'sandbox', 'settings', 'welcome']
  const cases = SCREENS.flatMap((screen) => (['light', 'dark'] as const).map((scheme) => [screen, scheme] as const))

  test.each(cases)('%s, %s: no accessibility rule is broken', async (screen, scheme) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await open(`/${screen}`)
    await page.waitForTimeout(400)
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'])
      .analyze()
    expect(violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))])).toEqual(
      [],
    )
  })

  test('nothing left the machine, and the page complained of nothing', () => {
    expect(outside).toEqual([])
    expect(complaints).toEqual([])
    // The second use of the address is noted, and nothing else was.
    expect(service.errors().trim().split('\n')).toEqual([expect.stringContaining('console.sign_in_refused')])
  })

  test('nothing secret is kept in the browser', async () => {
    const { cookies, origins } = await context.storageState()
    expect(cookies.map(({ httpOnly, sameSite, path }) => ({ httpOnly, sameSite, path }))).toEqual([
      { httpOnly: true, sameSite: 'Strict', path: '/panel/' },
    ])
    expect(JSON.stringify(origins)).not.toMatch(/swb_|whsec_|code=/)
  })
})
