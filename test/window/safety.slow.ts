import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** What a number may still send, as its page, the overview and the settings show it. */
const TIMEOUT = 60_000
let w: ConsoleWindow
let page: Page
let number: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  number = await pairedInstance(w.api, '12025550100', 'Bakery Luz')
  await page.getByRole('button', { name: 'Skip for now' }).click()
}, TIMEOUT)
afterAll(() => w.remove())

const card = () => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Safety', exact: true }) })
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const reason = (code: string, until: string | null) => ({ code, message: `The sentence of ${code}.`, until })

/** What a live number would say. */
const VIEW = {
  paired_days: 3,
  today: { sent: 38, limit: 50, first_contacts: 38, first_contacts_limit: 38 },
  hour: { sent: 9, limit: 80 },
  restriction: null,
  reasons: [
    reason('first_contacts_limit', inHours(5.1)),
    reason('warm_up', inHours(7.1 * 24)),
    reason('a_later_reason', null),
  ],
}

describe('the card of a number', { timeout: TIMEOUT }, () => {
  test('counts while messages leave, and says that the sandbox has no limits', async () => {
    await w.open(`/instances/${number}`)
    await card().getByText('Sandbox numbers have no limits.').waitFor()
    await w.api('POST', `/v1/instances/${number}/messages`, { to: '12025550101', text: 'Hi' })
    await expect.poll(() => card().getByRole('definition').allInnerTexts()).toEqual(['1', '1', '1'])
    await expect.poll(() => card().getByRole('progressbar').count()).toBe(0)
  })

  test.each(['light', 'dark'] as const)('has meters and reasons that everybody can read (%s)', async (colorScheme) => {
    await page.route('**/safety', (route) => route.fulfill({ json: VIEW }))
    await page.emulateMedia({ colorScheme })
    await w.open('/overview')
    await w.open(`/instances/${number}`)
    await card().getByText('Today’s limit of new people is reached.').waitFor()
    await page.unroute('**/safety')
    const words = (await card().innerText()).replaceAll(/\s+/g, ' ')
    for (const said of ['38 of 50', '9 of 80', '38 of 38', 'Ends in 5 hours', 'Ends in 7 days', 'Paired 3 days ago.'])
      expect(words).toContain(said)
    expect(words).toContain('Needs attention (a_later_reason)')
    const meters = await card().getByRole('progressbar').all()
    expect(await Promise.all(meters.map((meter) => meter.getAttribute('aria-valuenow')))).toEqual([
      '76',
      '11.25',
      '100',
    ])
    expect(await brokenRules(page)).toEqual([])
  })

  test('waits for a number where none was connected', async () => {
    const { id } = (await w.api('POST', '/v1/instances', { name: 'Studio Norte' })).body
    await w.open(`/instances/${id}`)
    await card().getByText('The limits appear here once this number is connected.').waitFor()
  })
})

describe('a restricted number', { timeout: TIMEOUT }, () => {
  test('is a line of the overview that leads to the reason, and stands there once', async () => {
    await w.api('POST', `/v1/instances/${number}/messages`, { to: '12025550463', text: 'Hi' })
    await w.open('/overview')
    const lines = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
    await lines.getByText('Bakery Luz can’t start new chats').waitFor()
    await expect.poll(() => lines.count()).toBe(1)
    await lines.getByRole('link', { name: 'See why' }).click()
    await card().getByText('WhatsApp doesn’t let this number start new chats.').waitFor()
  })
})

describe('the settings', { timeout: TIMEOUT }, () => {
  test('change what numbers may send, and refuse what is no value', async () => {
    await w.open('/settings')
    const setting = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    const change = async (name: string, value: string) => {
      await setting(name).getByRole('button', { name: 'Change' }).click()
      await page.getByRole('dialog').getByRole('textbox').fill(value)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    }
    await change('Messages per day in each third', '60, 250, 600')
    await setting('Messages per day in each third').getByText('60 · 250 · 600').waitFor()
    await change('Time zone', 'Mars/Olympus')
    await page.getByRole('dialog').getByText('choose a time zone').waitFor()
    await page.getByRole('dialog').getByRole('textbox').fill('America/Sao_Paulo')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await setting('Time zone').getByText('America/Sao_Paulo').waitFor()
  })
})
