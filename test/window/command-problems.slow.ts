import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Why something was not done is beside the button that was pressed, and stays there. */
let w: ConsoleWindow
let page: Page
let webhook: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  await w.api('POST', '/v1/instances', { name: 'Bakery Luz' })
  await pairedInstance(w.api, '12025550100', 'Casa Verde')
  const wish = { url: 'https://catcher.sandbox/window', events: ['*'], description: 'Orders' }
  webhook = (await w.api('POST', '/v1/webhooks', wish)).body.id
})
afterAll(() => w.remove())
afterEach(() => page.unrouteAll())

const note = () => page.locator('[data-command-problem]')
const refuse = (route: Route) =>
  route.fulfill({
    status: 409,
    contentType: 'application/json',
    body: JSON.stringify({ error: { code: 'invalid_state', message: 'No.', request_id: 'req_1', retryable: false } }),
  })

/** How far apart two things are, in pixels. */
async function gap(one: Locator, other: Locator): Promise<number> {
  const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()])
  if (a === null || b === null) throw new Error('Not shown.')
  const across = Math.max(0, a.x - (b.x + b.width), b.x - (a.x + a.width))
  return Math.hypot(across, Math.max(0, a.y - (b.y + b.height), b.y - (a.y + a.height)))
}

test('an error of a page button is shown beside the button, with the name of the page, until the next try', async () => {
  await w.open(`/webhooks/${webhook}`)
  await page.route('**/panel/v1/webhooks/*/test', refuse)
  const button = page.getByRole('button', { name: 'Send test event' })
  await button.click()
  await note().getByText('Not possible right now').waitFor()
  const name = (await page.locator('h1').textContent()) ?? ''
  expect(await note().innerText()).toContain(name.trim())
  expect(await gap(note(), button)).toBeLessThan(40)
  expect(
    await page
      .getByRole('region', { name: /^Notifications/ })
      .getByRole('listitem')
      .count(),
  ).toBe(0)
  await page.unrouteAll()
  await button.click()
  await expect.poll(() => note().count()).toBe(0)
})

test('an error of a row menu is shown beside the row, with the name of its number, until it is dismissed', async () => {
  await w.open('/instances')
  await page.route('**/panel/v1/instances/*/restart', refuse)
  const menu = page.getByRole('button', { name: 'Actions for Casa Verde' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Reconnect' }).click()
  await note().waitFor()
  expect(await note().innerText()).toContain('Casa Verde')
  expect(await gap(note(), menu)).toBeLessThan(40)
  // Opening the menu again tries nothing.
  await menu.click()
  await page.getByRole('menu').waitFor()
  expect(await note().count()).toBe(1)
  await page.keyboard.press('Escape')
  await note().getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(() => note().count()).toBe(0)
})

test('the error of a slow request is shown beside the button that sent it, not beside the button pressed last', async () => {
  await w.open(`/webhooks/${webhook}`)
  let held: Route | undefined
  await page.route('**/panel/v1/webhooks/*/test', (route) => void (held = route))
  const button = page.getByRole('button', { name: 'Send test event' })
  await button.click()
  await expect.poll(() => held !== undefined).toBe(true)
  await page.getByRole('tab', { name: 'Verify' }).click()
  if (held !== undefined) await refuse(held)
  await note().waitFor()
  expect(await gap(note(), button)).toBeLessThan(40)
  // It is not shown on another screen.
  await w.open('/keys')
  await expect.poll(() => note().count()).toBe(0)
})
