import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** More of everything than the first page of a list holds. What was made first comes last in every list. */
const TIMEOUT = 600_000
const NUMBERS = 300
const CHATS = 60
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const [OURS, FIRST_PHONE] = ['12025550100', '12025551000']
let w: ConsoleWindow
let page: Page
let oldest: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  oldest = await pairedInstance(w.api, OURS, 'Bakery Luz')
  for (let chat = 0; chat < CHATS; chat++) {
    const number = String(Number(FIRST_PHONE) + chat)
    await w.api('POST', '/v1/sandbox/phones', { number, name: chat === 0 ? 'Ana Souza' : `Person ${chat}` })
    await w.api('POST', `/v1/sandbox/phones/${number}/messages`, { to: OURS, text: `Hello from ${chat}` })
  }
  await w.api('POST', '/v1/opt-outs', { phone: FIRST_PHONE, scope: oldest })
  for (let made = 0; made < NUMBERS; made++) await w.api('POST', '/v1/instances', { name: `Number ${made}` })
  await page.getByRole('button', { name: 'Skip for now' }).click()
}, TIMEOUT)
afterAll(() => w.remove())

/** Opens the page anew, so that lists begin with their first page. */
async function reopen(route: string): Promise<void> {
  await w.open(route)
  await page.reload()
  await page.locator('h1').waitFor()
  await w.settle()
}

/** Ids that a person reads, in texts and fields. */
const idsOnScreen = () =>
  page.evaluate(
    (pattern) =>
      [
        document.querySelector('main')?.innerText ?? '',
        ...[...document.querySelectorAll<HTMLInputElement>('main input')].map(({ value }) => value),
      ].flatMap((text) => text.match(new RegExp(pattern, 'g')) ?? []),
    UUID.source,
  )

describe('the oldest of 300 numbers', { timeout: TIMEOUT }, () => {
  test.each([
    ['the inbox', (id: string) => `/messages/${id}`, 'Choose a number'],
    ['the filter of the events', (id: string) => `/events?instance=${id}`, 'Number'],
    ['the filter of the calls', (id: string) => `/calls?number=${id}`, 'All numbers'],
    ['the filter of the recordings', (id: string) => `/recordings?instance=${id}`, 'All numbers'],
    ['the form of planned calls', (id: string) => `/calls/schedule?instance=${id}`, 'Choose a number'],
    ['the dial pad', (id: string) => `/softphone?instance=${id}`, 'Choose a number'],
  ])('is named in %s', async (_, route, label) => {
    await reopen(route(oldest))
    const field = page.getByRole('main').getByRole('combobox', { name: label, exact: true })
    await expect.poll(() => field.inputValue()).toBe('Bakery Luz')
    expect(await idsOnScreen()).toEqual([])
  })

  test('is named by its new name when that changes while it is chosen', async () => {
    await reopen(`/messages/${oldest}`)
    await w.api('PATCH', `/v1/instances/${oldest}`, { name: 'Bakery Sol' })
    const field = page.getByRole('combobox', { name: 'Choose a number' })
    await expect.poll(() => field.inputValue()).toBe('Bakery Sol')
    await w.api('PATCH', `/v1/instances/${oldest}`, { name: 'Bakery Luz' })
    await expect.poll(() => field.inputValue()).toBe('Bakery Luz')
  })

  test('is named where lists mention it, also when it is deleted', async () => {
    const { body: gone } = await w.api('POST', '/v1/instances', { name: 'Short lived' })
    await w.api('POST', '/v1/opt-outs', { phone: '12025551001', scope: gone.id })
    await w.api('DELETE', `/v1/instances/${gone.id}?confirm=true`)
    await reopen('/opt-outs')
    await page.getByRole('row').filter({ hasText: 'Bakery Luz' }).waitFor()
    expect(await idsOnScreen()).toEqual([])
    await reopen(`/events?instance=${gone.id}`)
    const field = page.getByRole('combobox', { name: 'Number', exact: true })
    await expect.poll(() => field.inputValue()).toBe('Deleted number')
  })
})

test('a chat below the first page of the inbox has the name of its person, and is read once it is open', async () => {
  await reopen('/overview')
  await w.open(`/messages/${oldest}/${FIRST_PHONE}`)
  await page.getByRole('heading', { name: 'Ana Souza' }).waitFor()
  await page
    .getByRole('link', { name: 'Inbox' })
    .getByLabel(`${CHATS - 1} unread conversations`)
    .waitFor()
})
