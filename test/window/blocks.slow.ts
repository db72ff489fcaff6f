import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** A person is blocked in the menu of a chat, and unblocked in the settings of the number. */

const [OURS, ANA] = ['12025550200', '12025550101']
let w: ConsoleWindow
let page: Page
let instance: string

const listed = async () =>
  (await w.api('GET', `/v1/instances/${instance}/blocked`)).body.data.map(({ phone }: { phone: string }) => phone)
const say = (text: string) => w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: OURS, text })
const card = () => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Blocked people' }) })

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana Souza' })
  instance = (await w.api('POST', '/v1/instances', { engine: 'official', name: 'Bakery Luz' })).body.id
  await w.api('POST', `/v1/sandbox/instances/${instance}/onboard`, { number: OURS })
  await say('Do you deliver?')
})
afterAll(() => w.remove())

test('the menu of a chat blocks and unblocks the person', async () => {
  await w.open(`/messages/${instance}/${ANA}`)
  const menu = page.getByRole('region', { name: 'Ana Souza' }).getByRole('button', { name: 'Actions for Ana Souza' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Block', exact: true }).click()
  await page.getByText('Ana Souza is blocked').first().waitFor()
  expect(await listed()).toEqual([ANA])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone').first().waitFor()
  expect(await listed()).toEqual([])
})

test('the settings of a number list blocked people, block by phone number, and unblock', async () => {
  await w.open(`/instances/${instance}?tab=settings`)
  await card().getByText('Nobody is blocked.').waitFor()
  await card().getByLabel('Phone number').fill('+1 202 555 0101')
  await card().getByRole('button', { name: 'Block', exact: true }).click()
  await card().getByRole('button', { name: 'Unblock Ana Souza' }).waitFor()
  await card().getByText('+1 202 555 0101').waitFor()
  expect(await listed()).toEqual([ANA])
  await card().getByRole('button', { name: 'Unblock Ana Souza' }).click()
  await card().getByText('Nobody is blocked.').waitFor()
  expect(await listed()).toEqual([])
})

test('when Meta refuses a block, the error is shown and the person stays unblocked', async () => {
  await card().getByLabel('Phone number').fill('12025550199')
  await card().getByRole('button', { name: 'Block', exact: true }).click()
  await page.getByText('has not written in the last 24 hours').first().waitFor()
  expect(await listed()).toEqual([])
})
