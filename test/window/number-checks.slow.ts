import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { until } from '../support/service-process.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { brokenRules } from '../support/axe.ts'

/** Numbers are pasted or read from a file, checked, paused, and taken home as a file. */

const OURS = '12025550200'
const PICTURES = process.env.SWITCHBOARD_PICTURES
let w: ConsoleWindow
let page: Page
let instance: string

const card = () => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Check numbers' }) })
const field = () => card().getByLabel('Phone numbers')
/** Pastes so many numbers; what is in the field is replaced. */
const paste = (count: number) =>
  field().evaluate(
    (element, text) => {
      ;(element as HTMLTextAreaElement).select()
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', text)
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    Array.from({ length: count }, (_, nth) => String(13_105_550_000 + nth)).join('\n'),
  )
const press = (name: string | RegExp) => card().getByRole('button', { name }).first().click()
const newest = async () => (await w.api('GET', `/v1/instances/${instance}/number-checks`)).body.data[0]
const figures = () => card().locator('article').first().locator('dd').allTextContents()
const openSettings = () => w.open(`/instances/${instance}?tab=settings`)

async function picture(name: string): Promise<void> {
  if (PICTURES === undefined) return
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await card().scrollIntoViewIfNeeded()
    await card().screenshot({ path: `${PICTURES}/${name}-${width}.png` })
  }
}

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  instance = await pairedInstance(w.api, OURS)
})
afterAll(() => w.remove())

test('pasted numbers are checked, and the result is shown and downloaded', async () => {
  await openSettings()
  await expect.poll(() => card().getByRole('button', { name: 'Check numbers' }).isDisabled()).toBe(true)
  await field().fill('+1 202 555 0101\n12025550404\nAna\n1 (202) 555-0101')
  await card().getByText('1 entry is not a phone number and is left out.').waitFor()
  await picture('typed')
  await press('Check 2 numbers')
  await card().getByText('Completed').waitFor()
  expect(await figures()).toEqual(['1', '1', '0'])
  await expect.poll(() => field().inputValue()).toBe('')
  expect(await brokenRules(page)).toEqual([])
  const [file] = await Promise.all([page.waitForEvent('download'), press('Download CSV')])
  const lines = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/)
  expect(file.suggestedFilename()).toMatch(/^numbers-\d{4}-\d{2}-\d{2}\.csv$/)
  expect(lines[1]).toMatch(/^12025550101,on_whatsapp,12025550101,/)
  expect(lines[2]).toMatch(/^12025550404,not_on_whatsapp,,/)
  expect(lines).toHaveLength(3)
})

test('a file fills the field with its column of numbers; one without is refused', async () => {
  const choose = (name: string, text: string) =>
    card()
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await choose('empty.csv', 'Name\nAna\n')
  await card().getByText('empty.csv has no column with phone numbers.').waitFor()
  await choose('people.pdf', 'x')
  await card().getByRole('alert').getByText('CSV').waitFor()
  await choose('people.csv', 'Name;Celular\nAna;+55 11 91234-5678\nLuz;"=""5511912345679"""\n')
  await card().getByRole('button', { name: 'Check 2 numbers' }).waitFor()
  await expect.poll(() => card().getByRole('alert').count()).toBe(0)
  await expect.poll(() => field().inputValue()).toBe('+55 11 91234-5678\n="5511912345679"')
})

test('what is typed stays while another screen is shown', async () => {
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await card().getByRole('button', { name: 'Check 2 numbers' }).waitFor()
  await paste(10_001)
  await card().getByText('A check takes at most 10,000 numbers.').waitFor()
  expect(
    await card()
      .getByRole('button', { name: /^Check 10,001/ })
      .isDisabled(),
  ).toBe(true)
})

test('a check is paused, says why it waits, goes on and is canceled', async () => {
  await paste(10_000)
  const [begun] = await Promise.all([
    page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith('/number-checks')),
    press('Check 10,000 numbers'),
  ])
  expect(begun.status()).toBe(202)
  // At once, because the sandbox answers fast.
  await w.api('POST', `/v1/instances/${instance}/disconnect`)
  await card().getByText('The number is not connected. The check resumes when it is.').waitFor()
  await picture('waiting')
  await press('Pause')
  await card().getByText('Paused').waitFor()
  await expect.poll(() => card().getByRole('textbox').count()).toBe(0)
  await picture('paused')
  await press('Resume')
  await card().getByText('The number is not connected. The check resumes when it is.').waitFor()
  await press('Cancel')
  await card().getByText('Canceled').waitFor()
  await card().getByText('Connect the number first.').waitFor()
  const { state, total, asked } = await newest()
  expect([state, total]).toEqual(['canceled', 10_000])
  expect(asked).toBeLessThan(10_000)
  await until('the figures', async () => (await figures())[2]?.replace(',', '') === String(total - asked) || undefined)
})
