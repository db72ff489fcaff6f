import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

const [OURS, ANA, BEN] = ['12025550100', '12025550101', '12025550102']
let w: ConsoleWindow
let page: Page
let instance: string

const says = (from: string, text: string) => w.api('POST', `/v1/sandbox/phones/${from}/messages`, { to: OURS, text })
const inbox = (on = page) => on.getByRole('link', { name: 'Inbox' })
const badge = (count: number, on = page) =>
  inbox(on).getByLabel(`${count} unread conversation${count === 1 ? '' : 's'}`)
const row = (name: string) => page.getByRole('navigation').getByRole('link', { name })
const act = async (name: string, item: string) => {
  await page
    .getByRole('listitem')
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: item }).click()
}

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana Souza' })
  await w.api('POST', '/v1/sandbox/phones', { number: BEN, name: 'Ben' })
  instance = await pairedInstance(w.api, OURS, 'Bakery Luz')
})
afterAll(() => w.remove())

describe('unread conversations', () => {
  test('are counted beside the inbox as messages arrive, on every screen', async () => {
    await w.open('/settings')
    await says(ANA, 'Do you have rye bread?')
    await badge(1).waitFor()
    await says(ANA, 'And rolls?')
    await says(BEN, 'Good morning')
    await badge(2).waitFor()
  })

  test('are read once they are opened', async () => {
    await w.open(`/messages/${instance}`)
    await row('Ana Souza').getByLabel('2 unread messages').waitFor()
    await row('Ana Souza').click()
    await badge(1).waitFor()
    expect(
      await row('Ana Souza')
        .getByLabel(/unread/)
        .count(),
    ).toBe(0)
    await says(ANA, 'Are you there?')
    await page.getByRole('log').getByText('Are you there?').waitFor()
    await w.settle()
    await badge(1).waitFor()
  })

  test('show which messages were forwarded, and which many times', async () => {
    const passesOn = (text: string, marks: object) =>
      w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: OURS, text, forwarded: true, ...marks })
    await passesOn('Free bread', {})
    await passesOn('Tell everybody', { frequently_forwarded: true })
    const bubble = (text: string) => page.getByRole('log').getByRole('article').filter({ hasText: text })
    await bubble('Tell everybody').getByText('Forwarded many times', { exact: true }).waitFor()
    await bubble('Free bread').getByText('Forwarded', { exact: true }).waitFor()
    await expect.poll(() => bubble('Are you there?').getByText('Forwarded').count()).toBe(0)
  })

  test('can be marked, which closes the open one, and other windows show it', async () => {
    const other = await w.context.newPage()
    await other.goto(new URL('/console/#/settings', w.url).href)
    await badge(1, other).waitFor()
    await act('Ana Souza', 'Mark as unread')
    await row('Ana Souza').getByLabel('Marked as unread').waitFor()
    expect(page.url()).toMatch(new RegExp(`/messages/${instance}$`))
    await badge(2, other).waitFor()
    await act('Ana Souza', 'Mark as read')
    await badge(1, other).waitFor()
    await other.close()
  })

  test('can be shown alone; the one that is opened stays until another is', async () => {
    await says(ANA, 'Hello?')
    await row('Ana Souza').getByLabel('1 unread message').waitFor()
    await page.getByRole('button', { name: 'Unread', exact: true }).click()
    await row('Ana Souza').click()
    await badge(1).waitFor()
    await w.settle()
    await expect.poll(() => row('Ana Souza').count()).toBe(1)
    await row('Ben').click()
    await inbox()
      .getByLabel(/unread/)
      .waitFor({ state: 'detached' })
    await row('Ana Souza').waitFor({ state: 'detached' })
    await w.open('/settings')
    await w.open(`/messages/${instance}`)
    await page.getByText('No unread conversations').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await row('Ana Souza').waitFor()
  })

  test('are counted only for the network that the window shows', async () => {
    await w.open('/settings')
    await says(BEN, 'One more thing')
    await badge(1).waitFor()
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await inbox()
      .getByLabel(/unread/)
      .waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await badge(1).waitFor()
  })

  test('stay unread after a restart', async () => {
    await w.restart()
    await page.reload()
    await badge(1).waitFor()
  })
})
