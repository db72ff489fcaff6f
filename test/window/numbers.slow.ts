import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOnScreen } from '../support/qr.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { until } from '../support/service-process.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Many numbers, as a new user meets them: states, selection, the wall, and an outage. */
const TIMEOUT = 60_000
let w: ConsoleWindow
let page: Page
let banned: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  await pairedInstance(w.api, '12025550100', 'Bakery Luz')
  banned = await pairedInstance(w.api, '12025550101', 'Casa Verde')
  await w.api('POST', `/v1/sandbox/instances/${banned}/faults`, { kind: 'ban' })
  await until('the ban', async () => (await w.api('GET', `/v1/instances/${banned}`)).body.status === 'auth_failed')
  await w.api('POST', '/v1/instances', { name: 'Studio Norte' })
  await page.getByRole('button', { name: 'Skip for now' }).click()
}, TIMEOUT)
afterAll(() => w.remove())

const row = (name: string) => page.getByRole('row').filter({ hasText: name })

describe('a banned number', { timeout: TIMEOUT }, () => {
  test('says so, and its main button leads to what to do instead of to a new code', async () => {
    await w.open('/instances')
    await row('Casa Verde').getByText('Banned').waitFor()
    await row('Casa Verde').getByRole('button', { name: 'Details: Casa Verde' }).click()
    await page.getByText('WhatsApp banned this number').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Pair', exact: true }).count()).toBe(0)
  })

  test('survives reconnecting everything that is selected, which lists it as skipped', async () => {
    await w.open('/instances')
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByRole('toolbar').getByRole('button', { name: 'Reconnect' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Reconnect 1 number').waitFor()
    await dialog.getByText('1 is banned').waitFor()
    await dialog.getByText('Casa Verde').waitFor()
    await dialog.getByText('1 is not paired yet').waitFor()
    await dialog.getByRole('button', { name: 'Reconnect' }).click()
    await dialog.getByText('1 of 1').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const { status, phone_number: number } = (await w.api('GET', `/v1/instances/${banned}`)).body
    expect([status, number]).toEqual(['auth_failed', '12025550101'])
  })

  test('is no longer selected once a filter hides it', async () => {
    await page.getByRole('searchbox', { name: 'Search numbers' }).fill('studio')
    await page.getByRole('toolbar', { name: '1 selected' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('toolbar', { name: '1 selected' }).waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
  })
})

describe('the number picker of Messages', { timeout: TIMEOUT }, () => {
  test('replaces the current name by what is typed, and keeps it when nothing is chosen', async () => {
    const { data } = (await w.api('GET', '/v1/instances?limit=200')).body
    const { id } = data.find((one: { name: string }) => one.name === 'Bakery Luz')
    await w.open(`/messages/${id}`)
    const picker = page.getByRole('combobox', { name: 'Choose a number' })
    await picker.click()
    const options = page.getByRole('option')
    await expect.poll(() => options.count()).toBeGreaterThan(1)
    await expect
      .poll(() => picker.evaluate((field: HTMLInputElement) => field.selectionEnd ?? 0))
      .toBe('Bakery Luz'.length)
    await page.keyboard.type('casa')
    await expect.poll(() => picker.inputValue()).toBe('casa')
    await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringContaining('Casa Verde')])
    await page.keyboard.press('Escape')
    await expect.poll(() => picker.inputValue()).toBe('Bakery Luz')
  })
})

describe('pairing', { timeout: TIMEOUT }, () => {
  test('offers to pair another number once one is connected', async () => {
    await w.open('/instances')
    await page.getByRole('button', { name: 'New number' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Padaria Sol')
    await dialog.getByRole('button', { name: 'Create and pair' }).click()
    await dialog.getByRole('button', { name: 'Scan with a sandbox phone' }).click()
    await dialog.getByRole('button', { name: 'Pair another' }).click()
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })

  test('of a live number names the risk of a ban, and asks nothing of the network for that', async () => {
    // The window must not reach WhatsApp from a test.
    await page.route('**/panel/v1/instances/*/qr*', (route) => route.abort())
    const { id } = (await w.api('POST', '/v1/instances', { name: 'Live shop', network: 'live' })).body
    await w.open('/instances')
    await row('Live shop').getByRole('button', { name: 'Pair' }).click()
    await page.getByRole('dialog').getByText('WhatsApp can ban numbers linked this way', { exact: false }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
    await page.unrouteAll()
  })
})

describe('an API key at 768 px', { timeout: TIMEOUT }, () => {
  test('can be revoked without scrolling sideways', async () => {
    await page.setViewportSize({ width: 768, height: 900 })
    await w.open('/keys')
    const revoke = page.getByRole('button', { name: /Revoke/ }).first()
    await revoke.waitFor()
    const box = await revoke.boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 768)).toBeLessThan(768)
    await page.setViewportSize({ width: 1280, height: 800 })
  })
})

describe('the pairing wall', { timeout: TIMEOUT }, () => {
  test('has 20 live codes that a camera can read, and room for them at 1440 px', async () => {
    for (let n = 1; n <= 20; n++) await w.api('POST', '/v1/instances', { name: `Shop ${n}` })
    await page.setViewportSize({ width: 1440, height: 900 })
    await w.open('/instances/wall')
    const codes = page.getByRole('img', { name: /^QR code/ })
    await expect.poll(() => codes.count(), { timeout: 60_000 }).toBe(20)
    const boxes = await Promise.all((await codes.all()).map((code) => code.boundingBox()))
    expect(Math.min(...boxes.map((box) => box?.width ?? 0))).toBeGreaterThanOrEqual(220)
    expect(new Set(boxes.map((box) => box?.x)).size).toBeGreaterThanOrEqual(5)
    await codes.last().scrollIntoViewIfNeeded()
    await page.getByRole('searchbox', { name: 'Search the wall' }).fill('Shop 19')
    await expect.poll(() => codes.count()).toBe(1)
    await expect.poll(() => codeOnScreen(page), { timeout: 60_000 }).toMatch(/^SWITCHBOARD-SANDBOX:/)
    await page.getByRole('searchbox', { name: 'Search the wall' }).fill('')
  })

  test('moves what is paired to a list, and shows new numbers as they are made', async () => {
    await page.getByRole('heading', { name: 'Studio Norte' }).waitFor()
    const { data } = (await w.api('GET', '/v1/instances?limit=200')).body
    const { id } = data.find((one: { name: string }) => one.name === 'Studio Norte')
    const { pairing_code: code } = (await w.api('GET', `/v1/instances/${id}/qr`)).body
    await w.api('POST', '/v1/sandbox/phones', { number: '12025550102' })
    await w.api('POST', '/v1/sandbox/phones/12025550102/scan', { pairing_code: code })
    const finished = page.getByRole('complementary', { name: '1 paired' })
    await finished.getByText('Studio Norte').waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'Studio Norte' }).count()).toBe(0)
    await w.api('POST', '/v1/instances', { name: 'Late Shop' })
    await page.getByRole('searchbox', { name: 'Search the wall' }).fill('Late')
    await page.getByRole('heading', { name: 'Late Shop' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search the wall' }).fill('')
  })

  test('fills the window, without the sidebar, until Escape', async () => {
    const sidebar = page.getByRole('button', { name: 'Help' })
    await page.getByRole('button', { name: 'Full screen' }).click()
    await expect.poll(() => sidebar.evaluate(isCovered)).toBe(true)
    await page.getByRole('button', { name: 'Exit full screen' }).click()
    await expect.poll(() => sidebar.evaluate(isCovered)).toBe(false)
  })
})

describe('an outage', { timeout: TIMEOUT }, () => {
  test('is announced above everything, greys the states, hides the codes, and ends without a reload', async () => {
    await page.evaluate(() => ((window as { isSame?: boolean }).isSame = true))
    await expect.poll(() => page.getByRole('img', { name: /^QR code/ }).count(), { timeout: 60_000 }).toBeGreaterThan(0)
    await w.stop()
    await page.getByRole('alert').filter({ hasText: 'Can’t reach Switchboard.' }).waitFor()
    await expect.poll(() => page.getByRole('img', { name: /^QR code/ }).count()).toBe(0)
    await page.evaluate(() => void (location.hash = '#/instances'))
    await row('Bakery Luz').getByText('as of just now').waitFor()
    await w.restart()
    await page
      .getByRole('alert')
      .filter({ hasText: 'Can’t reach Switchboard.' })
      .waitFor({ state: 'hidden', timeout: 60_000 })
    await row('Bakery Luz').getByText('as of').waitFor({ state: 'hidden' })
    expect(await page.evaluate(() => (window as { isSame?: boolean }).isSame)).toBe(true)
  })
})

describe('the welcome', { timeout: TIMEOUT }, () => {
  test('leaves no number behind when somebody goes back', async () => {
    const total = async (): Promise<number> => (await w.api('GET', '/v1/instances')).body.count
    const before = await total()
    await w.open('/welcome')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'Pair a sandbox phone' }).click()
    await page.getByRole('img', { name: /^QR code/ }).waitFor()
    expect(await total()).toBe(before + 1)
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.poll(total).toBe(before)
  })
})

test('sign-in asks for no password where none is set', async () => {
  await w.context.clearCookies()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  await page.getByText('npm run console', { exact: true }).waitFor()
  await expect.poll(() => page.locator('input[type=password]').count()).toBe(0)
})

/** Runs in the page. */
function isCovered(thing: Element): boolean {
  const { left, top, width, height } = thing.getBoundingClientRect()
  return !thing.contains(document.elementFromPoint(left + width / 2, top + height / 2))
}
