import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyboardOf, type Keyboard } from '../support/keyboard.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** No mouse, no shortcut of the test: keys alone, from the first screen of a fresh home. */
const PERSON = '12025550190'
const OPENERS = [
  ['New number', 'dialog'],
  ['Sort', 'menu'],
  ['All statuses', 'listbox'],
  [/^Actions for Front desk$/, 'menu'],
] as const
let w: ConsoleWindow
let page: Page
let keys: Keyboard

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  keys = keyboardOf(page)
  await w.api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Ana Souza' })
})
afterAll(() => w.remove())

/** Waits until the thing of exactly this name has the focus. */
const focus = (name: string | RegExp) =>
  expect.poll(keys.focused).toMatch(typeof name === 'string' ? new RegExp(`^${name}$`) : name)

describe('by keyboard alone', () => {
  test('a workspace is named, a phone paired and a message sent; each step has the focus', async () => {
    await focus('Workspace')
    await keys.type('Bakery Luz')
    await keys.press('Enter')
    await page.getByText('Bakery Luz', { exact: true }).waitFor()
    await focus(/^Sandbox.*Pair a sandbox phone$/)
    await keys.press('Enter')
    await focus('QR code')
    await page.getByRole('img', { name: /QR/ }).waitFor()
    await keys.tabTo('Scan with a sandbox phone')
    await keys.press('Enter')
    await focus('Send')
    await keys.press('Enter')
    await focus('Finish')
    await page.getByText('Every message goes through these steps', { exact: false }).waitFor()
    await keys.press('Enter')
    await page.getByRole('heading', { name: 'Numbers', level: 1 }).waitFor()
  })

  test('a second number is made, paired and heard, and the focus comes back to where it began', async () => {
    await keys.tabTo('New number')
    await keys.press('Enter')
    await focus('Name')
    await keys.type('Front desk')
    await keys.press('Enter')
    await page.getByRole('heading', { name: 'Pair Front desk' }).waitFor()
    await page.getByRole('img', { name: /QR/ }).waitFor()
    await keys.tabTo('Scan with a sandbox phone')
    await keys.press('Enter')
    await focus('Send yourself a message')
    await keys.press('Enter')
    await focus('Send')
    await keys.press('Enter')
    await focus('Done')
    await keys.press('Enter')
    await focus('New number')
  })

  test('whatever is closed with Escape gives the focus back', async () => {
    for (const [opener, opened] of OPENERS) {
      await keys.tabTo(opener)
      await keys.press('Enter')
      await page.getByRole(opened).waitFor()
      await keys.press('Escape')
      await page.getByRole(opened).waitFor({ state: 'hidden' })
      await focus(opener)
    }
  })

  test('a dialog that a menu opened gives the focus to the button of the menu', async () => {
    const button = /^Actions for Front desk$/
    for (const item of ['Sign out…', 'Delete']) {
      await keys.tabTo(button)
      await keys.press('Enter')
      await page.getByRole('menu').waitFor()
      for (let downs = 0; downs < 10 && (await keys.focused()) !== item; downs++) await keys.press('ArrowDown')
      await focus(item)
      await keys.press('Enter')
      await page.getByRole('dialog').waitFor()
      await keys.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await focus(button)
    }
  })

  test('a conversation is begun, and what is written arrives', async () => {
    await keys.press('g')
    await keys.press('m')
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
    await keys.tabTo('New message')
    await keys.press('Enter')
    await focus('Phone number')
    await keys.type(`+${PERSON}`)
    await keys.press('Enter')
    // Not at the button that opened the dialog, which a space would press again.
    await focus('Write a message')
    await keys.type(' Good morning, Ana.')
    await keys.press('Enter')
    await expect
      .poll(async () => JSON.stringify((await w.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body))
      .toContain('Good morning, Ana.')
    await focus('Write a message')
  })

  test('a webhook is made on a catcher, and a delivery looked into', async () => {
    await keys.press('Escape')
    await keys.tabTo('Webhooks')
    await keys.press('Enter')
    await keys.tabTo('New webhook')
    await keys.press('Enter')
    await focus('Endpoint URL')
    await keys.tabTo('No server? Use a catcher')
    await keys.press('Enter')
    await keys.tabTo('Create webhook')
    await keys.press('Enter')
    await focus('Copy secret')
    await keys.tabTo('I’ve stored it')
    await keys.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await keys.tabTo('Send test event')
    await keys.press('Enter')
    await page.getByRole('row').nth(1).waitFor()
    await focus('Send test event')
    await keys.tabTo(/^(instance|message)\.\w+$/)
    const opener = await keys.focused()
    await keys.press('Enter')
    await page.getByRole('dialog').waitFor()
    await keys.press('Escape')
    await focus(opener)
  })

  test('the palette and the shortcuts lead anywhere', async () => {
    await keys.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await keys.press('Escape')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' })
    await keys.press('g')
    await keys.press('k')
    await expect.poll(() => page.url()).toContain('#/keys')
    // Where the list is as long as it can be, and is not once something was found.
    await page.mouse.move(640, 500)
    await keys.press('Control+k')
    await page.getByRole('dialog', { name: 'Search or jump to…' }).waitFor()
    await focus('Search or jump to…')
    await keys.type('Front desk')
    await page.getByRole('option').first().filter({ hasText: 'Front desk' }).waitFor()
    await page.locator('[role=option][data-highlighted]', { hasText: 'Front desk' }).waitFor()
    await keys.press('Enter')
    await expect.poll(() => page.url()).toContain('#/instances/')
  })

  test('and on the whole way the focus could be seen', () => {
    expect(keys.unseen).toEqual([])
  })
})
