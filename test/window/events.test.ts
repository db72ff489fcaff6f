import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyboardOf } from '../support/keyboard.ts'
import { catchEverything, caught } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

let w: ConsoleWindow
let page: Page
let first: string

const rows = () => page.getByRole('table', { name: 'Events, newest first' }).getByRole('row')
const made = (name: string) => rows().filter({ hasText: 'instance.created' }).filter({ hasText: name })
const make = async (name: string): Promise<string> => (await w.api('POST', '/v1/instances', { name })).body.id
const slide = () => page.getByRole('dialog')

beforeAll(async () => {
  w = await openConsole()
  page = w.page
})
afterAll(() => w.remove())

describe('the events screen', () => {
  test('says what to do while there is nothing, and shows an event the moment it is recorded', async () => {
    await w.open('/events')
    await page.getByRole('heading', { name: 'No events yet' }).waitFor()
    first = await make('Bakery Luz')
    await made('Bakery Luz').waitFor()
  })

  test('follows its address, also while it is shown', async () => {
    await w.open('/events?type=message.received')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await w.open('/events')
    await made('Bakery Luz').waitFor()
  })

  test('opens an event with its JSON, and tells that no webhook received it', async () => {
    await made('Bakery Luz').getByRole('button').click()
    await slide().getByText('No webhook received this event').waitFor()
    await expect.poll(() => slide().getByRole('region', { name: 'Event as JSON' }).innerText()).toContain(first)
    await page.keyboard.press('Escape')
    await slide().waitFor({ state: 'detached' })
  })

  test('shows the deliveries of an event as they are, and leads to each', async () => {
    await catchEverything(w.api, 'crm')
    await make('Front desk')
    await made('Front desk').getByRole('button').click()
    const delivery = slide().getByRole('link', { name: 'Open delivery to catcher.sandbox/crm, Delivered' })
    await delivery.click()
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
    await slide().getByText('Accepted by your endpoint.').waitFor()
  })

  test('replays from an event to a webhook that missed it', async () => {
    await catchEverything(w.api, 'late')
    await w.open('/events')
    await made('Bakery Luz').getByRole('button').click()
    await slide().getByRole('button', { name: 'Replay from here' }).click()
    await page.getByRole('menuitem', { name: 'catcher.sandbox/late' }).click()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText(/^Sending \d+ events\.$/).waitFor()
    await expect.poll(async () => (await caught(w.api, 'late')).map(({ body }) => body).join()).toContain('Bakery Luz')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Replay' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await slide().waitFor({ state: 'detached' })
  })

  test('filters by type, number and time, and keeps the filter in its address', async () => {
    await page.getByRole('combobox', { name: 'Event type' }).click()
    await page.getByRole('option', { name: 'instance.created' }).click()
    await expect.poll(() => page.url()).toContain('type=instance.created')
    await expect.poll(() => rows().count()).toBe(3)
    await w.open(`/settings`)
    await w.open(`/events?instance=${first}`)
    await made('Bakery Luz').waitFor()
    await expect.poll(() => made('Front desk').count()).toBe(0)
    await page.getByRole('combobox', { name: 'Event type' }).click()
    await page.getByRole('option', { name: 'message.read' }).click()
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await made('Front desk').waitFor()
  })

  test('follows the switch of the sidebar between live and sandbox', async () => {
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('button', { name: 'Sandbox', exact: true }).click()
    await made('Front desk').waitFor()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await made('Front desk').waitFor()
  })

  test('is used with the keyboard: arrows, Enter, Escape', async () => {
    const keys = keyboardOf(page)
    await rows().nth(1).getByRole('button').focus()
    await keys.press('ArrowDown')
    const type = await rows().nth(2).getByRole('button').innerText()
    expect(await keys.focused()).toBe(type.trim())
    await keys.press('Enter')
    await slide().waitFor()
    await keys.press('Escape')
    await slide().waitFor({ state: 'detached' })
    expect(await keys.focused()).toBe(type.trim())
  })

  test('an event is found by its ID in the palette, also when the list does not hold it', async () => {
    const { data } = (await w.api('GET', '/v1/events')).body as { data: { event_id: string }[] }
    const id = data.at(-1)?.event_id ?? ''
    await w.open('/settings')
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search or jump to…').fill(id.toLowerCase())
    await page.getByRole('option', { name: 'Event' }).first().click()
    await slide().getByText(id, { exact: true }).first().waitFor()
    await w.open('/settings')
    await w.open('/events?event=evt_01KJM8R2B5K7M9P1Q3S5T7V9X0')
    await slide().getByText('Event not found').waitFor()
    await page.keyboard.press('Escape')
  })

  test('does not move while somebody reads further down', async () => {
    for (let i = 0; i < 20; i++) await make(`Number ${i}`)
    await made('Number 19').waitFor()
    await page
      .getByRole('rowgroup')
      .last()
      .evaluate((list) => list.scrollTo({ top: 600 }))
    await w.settle()
    await make('The newest')
    await page.getByRole('button', { name: 'Show new events' }).click()
    await made('The newest').waitFor()
  })
})
