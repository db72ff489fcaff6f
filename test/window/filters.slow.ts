import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { until } from '../support/service-process.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** What the overview counts leads to a list of exactly that, by an address that shows it again. */
const TIMEOUT = 60_000
let w: ConsoleWindow
let page: Page

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  for (const [n, name] of ['Bakery Luz', 'Casa Verde', 'Dental Care', 'Estudio Sol'].entries())
    await pairedInstance(w.api, `1202555010${n}`, name)
  const { data } = (await w.api('GET', '/v1/instances?limit=200')).body
  for (const { id, name } of data as { id: string; name: string }[]) {
    if (name !== 'Casa Verde' && name !== 'Dental Care') continue
    await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'ban' })
    await until('the ban', async () => (await w.api('GET', `/v1/instances/${id}`)).body.status === 'auth_failed')
  }
  for (let made = 0; made < 3; made++) await w.api('POST', '/v1/instances', { name: `New ${made}` })
  await page.getByRole('button', { name: 'Skip for now' }).click()
}, TIMEOUT)
afterAll(() => w.remove())

const names = () => page.getByRole('table').getByRole('rowheader').or(page.locator('[role=row] a')).allInnerTexts()
const rowCount = () =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('checkbox') })
    .count()
/** Rows below the header of the list. */
const shown = async () => (await rowCount()) - 1

describe('the tiles of the overview', { timeout: TIMEOUT }, () => {
  test.each([
    ['Connected', 'status=connected'],
    ['Not connected yet', 'status=waiting'],
    ['Disconnected', 'status=troubled'],
  ])('%s opens as many numbers as it counts, also after a reload and by going back', async (name, query) => {
    await w.open('/overview')
    const tile = page.getByRole('link', { name: new RegExp(`^\\d+ ${name}$`) })
    await expect.poll(() => tile.innerText()).toMatch(/^[1-9]/)
    const count = Number.parseInt(await tile.innerText(), 10)
    await tile.click()
    await expect.poll(shown).toBe(count)
    expect(new URL(page.url()).hash).toBe(`#/instances?${query}`)
    await page.reload()
    await w.settle()
    await expect.poll(shown).toBe(count)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(shown).toBe(7)
    expect(new URL(page.url()).hash).toBe('#/instances')
  })
})

test(
  'a line about several numbers leads to a list of exactly these',
  async () => {
    await w.open('/overview')
    await page
      .getByRole('listitem')
      .filter({ hasText: '2 numbers are banned' })
      .getByRole('link', { name: 'See why' })
      .click()
    await expect.poll(shown).toBe(2)
    expect((await names()).join(' ')).toMatch(/Casa Verde/)
    expect(new URL(page.url()).hash).toBe('#/instances?attention=instances.banned')
    await page.reload()
    await w.settle()
    await expect.poll(shown).toBe(2)
    await page.getByRole('button', { name: '2 numbers are banned' }).click()
    await expect.poll(shown).toBe(7)
  },
  TIMEOUT,
)

test(
  'a health issue of several numbers says what to do, and leads to a list of exactly these',
  async () => {
    const { data } = (await w.api('GET', '/v1/instances?limit=200')).body
    for (const { id, name } of data as { id: string; name: string }[])
      if (name === 'Bakery Luz' || name === 'Estudio Sol')
        await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'engine_down' })
    await w.open('/overview')
    const line = page.getByRole('listitem').filter({ hasText: '2 numbers: The connection is not responding' })
    await line.getByText('Nothing can be sent').waitFor()
    await line.getByRole('link', { name: 'Open' }).click()
    await expect.poll(shown).toBe(2)
    expect((await names()).join(' ')).toMatch(/Bakery Luz/)
    await page.getByRole('button', { name: '2 numbers: The connection is not responding' }).click()
    await expect.poll(shown).toBe(7)
  },
  TIMEOUT,
)

test(
  'a search is part of the address, so that going back shows what was found',
  async () => {
    await w.open('/instances')
    await page.getByRole('searchbox', { name: 'Search numbers' }).fill('new')
    await expect.poll(shown).toBe(3)
    await expect.poll(() => new URL(page.url()).hash).toBe('#/instances?q=new')
    await page.getByRole('row').filter({ hasText: 'New 1' }).getByRole('link').first().click()
    await page.getByRole('heading', { name: 'New 1' }).waitFor()
    await page.goBack()
    await expect.poll(shown).toBe(3)
    await page.getByRole('button', { name: 'Clear filters' }).click()
  },
  TIMEOUT,
)

test(
  'the tick of a row ends with the visit to its list',
  async () => {
    await w.open('/instances')
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByRole('toolbar', { name: '7 selected' }).waitFor()
    await w.open('/overview')
    await w.open('/instances')
    await expect.poll(shown).toBe(7)
    await expect.poll(() => page.getByRole('toolbar', { name: /selected/ }).count()).toBe(0)
  },
  TIMEOUT,
)

test(
  'the log of deliveries keeps its filter in the address',
  async () => {
    await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/filters', events: ['*'] })
    await w.api('POST', '/v1/sandbox/phones', { number: '12025550199', name: 'Ana' })
    await w.api('POST', '/v1/sandbox/phones/12025550199/messages', { to: '12025550100', text: 'Hi' })
    await w.open('/webhooks/deliveries?status=delivered')
    const rows = page.getByRole('row')
    await expect.poll(() => rows.count()).toBeGreaterThan(1)
    await w.open('/webhooks/deliveries?status=failed')
    await expect.poll(() => rows.count()).toBe(0)
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Delivered' }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(1)
    expect(new URL(page.url()).hash).toBe('#/webhooks/deliveries?status=delivered')
  },
  TIMEOUT,
)
