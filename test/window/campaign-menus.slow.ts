import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** A campaign with a list that each person gets in their own words. */

/** Where pictures go, for somebody who wants to look. */
const PICTURES = process.env['MENU_PICTURES']
const OURS = '12025550200'
const PEOPLE = ['12025551001', '12025551002']
let w: ConsoleWindow
let page: Page

/** At the widths of a phone, a tablet and a computer. */
async function picture(name: string): Promise<void> {
  if (PICTURES === undefined) return
  for (const width of [390, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await w.settle()
    await page.screenshot({ path: `${PICTURES}/${name}-${width}.png`, fullPage: true })
  }
}

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  const { id } = (await w.api('POST', '/v1/instances', { engine: 'official', name: 'Bakery Luz' })).body
  await w.api('POST', `/v1/sandbox/instances/${id}/onboard`, { number: OURS })
  for (const number of PEOPLE) {
    await w.api('POST', '/v1/sandbox/phones', { number })
    await w.api('POST', `/v1/sandbox/phones/${number}/messages`, { to: OURS, text: 'What is new?' })
  }
})
afterAll(() => w.remove())

test('a list message is written in the builder, is kept after leaving the page, and is sent to each person once', async () => {
  await w.open('/campaigns/edit')
  await page.getByLabel('Campaign name').fill('Visits')
  await page.getByRole('checkbox', { name: /^Bakery Luz/ }).click()
  const next = () => page.getByRole('button', { name: 'Next', exact: true }).click()
  await next()
  await page.getByRole('radio', { name: 'Buttons, list or form' }).click()
  await page.getByText('Not saved: finish variation 1').waitFor()
  await page.getByLabel('Message text').fill('Hi {{name}}, what do you need?')
  await page.getByLabel('Button text').fill('Choose')
  await page.getByLabel('Row title').fill('A visit in {{city}}')
  await page.getByText('Draft saved').waitFor()
  const preview = page.getByRole('region', { name: 'Phone preview' })
  await preview.getByText('A visit in').waitFor()
  expect(await brokenRules(page)).toEqual([])
  await picture('builder')
  await page.reload()
  expect(await page.getByLabel('Row title').inputValue()).toBe('A visit in {{city}}')

  await next()
  await page.getByLabel('One person per line').fill(`phone;name;city\n+${PEOPLE[0]};Ben;Lyon\n+${PEOPLE[1]};Cleo;Nice`)
  await page.getByRole('button', { name: 'Add 2 people' }).click()
  await preview.getByText('A visit in Lyon').waitFor()
  await next()
  for (const field of ['Shortest delay', 'Longest delay']) await page.getByLabel(field).fill('0')
  await next()
  await page.getByRole('heading', { name: 'Ready to send?' }).waitFor()
  const samples = page.getByRole('region', { name: 'What people will get' })
  await samples.getByText('Hi Ben, what do you need?').waitFor()
  await picture('review')
  await page.getByRole('button', { name: 'Start…' }).click()
  await page.getByRole('button', { name: 'Start sending' }).click()
  await page.getByText('Completed').first().waitFor({ timeout: 60_000 })
  for (const [at, city] of ['Lyon', 'Nice'].entries()) {
    const { data } = (await w.api('GET', `/v1/sandbox/phones/${PEOPLE[at]}/messages`)).body
    const menus = data.flatMap(({ content }: { content: any }) => (content?.type === 'interactive' ? [content] : []))
    expect(menus.map(({ sections }: { sections: any[] }) => sections[0].rows[0].title)).toEqual([`A visit in ${city}`])
  }
  expect(w.complaints).toEqual([])
})
