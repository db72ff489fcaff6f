import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SNIPPET_LANGUAGES, SNIPPETS } from '../../renderer/rooms/webhooks/snippets.ts'
import { catchEverything, caught, type CaughtRequest } from '../support/sandbox.ts'
import { sized } from '../support/sized.ts'
import { verdictsOf, type SignedDelivery } from '../support/snippets.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** What a person does about a receiver that failed, and what its programmer does with a delivery. */
const CATCHER = 'broken-crm'
let w: ConsoleWindow
let page: Page
let webhook: { id: string; secret: string }

beforeAll(async () => {
  // Retries come so late that whatever arrives was asked for by hand.
  w = await openConsole({ SWITCHBOARD_RETRY_SCHEDULE_S: '3600,3600,3600,3600,3600,3600,3600' })
  page = w.page
  webhook = await catchEverything(w.api, CATCHER)
  await w.open(`/webhooks/${webhook.id}`)
})
afterAll(() => w.remove())

const arrived = () => caught(w.api, CATCHER)
const answer = (status: number) => w.api('PUT', `/v1/sandbox/catcher/${CATCHER}`, { status })
const soon = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 60_000 })
const rowsSaying = (word: string): Locator => page.getByRole('row').filter({ hasText: word })
/** Everything but what belongs to the attempt: its number, which the body carries as well. */
const contentOf = ({ body }: CaughtRequest) => ({ ...(JSON.parse(body) as object), attempt: 0 })

describe('a receiver that fails', () => {
  test('shows as failed, with what was sent, what came back, and how long it took', async () => {
    expect((await answer(500)).status).toBe(200)
    for (const name of ['Bakery Luz', 'Front desk', 'Studio Norte']) await w.api('POST', '/v1/instances', { name })
    await soon(() => rowsSaying('Retrying').count()).toBe(3)
    await page.getByRole('button', { name: 'instance.created' }).first().click()
    const detail = page.getByRole('dialog')
    await detail.getByText('500').first().waitFor()
    const [latest] = (await arrived()).toReversed()
    const words = await detail.innerText()
    expect(words).toContain('X-Service-Event-Id')
    expect(words).toContain((JSON.parse(latest?.body ?? '{}') as { event_id: string }).event_id)
    expect(words).toMatch(/\d+ ms/)
  })

  test('gets the same event again when one delivery is redelivered', async () => {
    await answer(200)
    const before = await arrived()
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }).click()
    await soon(async () => (await arrived()).length).toBe(before.length + 1)
    const [again] = (await arrived()).toReversed()
    const first = before.find((each) => JSON.stringify(contentOf(each)) === JSON.stringify(again && contentOf(again)))
    expect(first).toBeDefined()
    expect(again?.signature).toBe('valid')
    // The bytes are those of the first time, but for the number of the attempt.
    expect(again?.body.replace('"attempt":2', '"attempt":1')).toBe(first?.body)
    await page.getByRole('dialog').getByText('Delivered').first().waitFor()
    await page.keyboard.press('Escape')
  })

  test('gets a selection again, and each delivery says that it arrived', async () => {
    const before = (await arrived()).length
    await soon(() => rowsSaying('Retrying').count()).toBe(2)
    for (const row of await rowsSaying('Retrying').all()) await row.getByRole('checkbox').click()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await soon(async () => (await arrived()).length).toBe(before + 2)
    await soon(() => rowsSaying('Delivered').count()).toBe(3)
    const events = (await arrived()).map(({ body }) => (JSON.parse(body) as { event_id: string }).event_id)
    expect(new Set(events).size).toBe(3)
  })

  test('gets what it missed when a time is replayed', async () => {
    const late = await catchEverything(w.api, 'newcomer')
    await w.open(`/webhooks/${late.id}`)
    expect(await caught(w.api, 'newcomer')).toEqual([])
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Replay' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Last hour' }).click()
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await dialog.getByText(/^Sending \d+ events?\.$/).waitFor()
    await soon(async () => (await caught(w.api, 'newcomer')).length).toBeGreaterThanOrEqual(3)
    await page.keyboard.press('Escape')
  })

  test('gets a test event, and its delivery can be looked at', async () => {
    await w.open(`/webhooks/${webhook.id}`)
    const before = (await arrived()).length
    await page.getByRole('button', { name: 'Send test event' }).click()
    await soon(async () => (await arrived()).length).toBe(before + 1)
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('dialog').getByText('Delivered').first().waitFor()
    await page.keyboard.press('Escape')
  })
})

describe('a snippet copied out of the window', () => {
  let cases: readonly SignedDelivery[]

  beforeAll(async () => {
    const [delivery] = (await arrived()).toReversed()
    if (delivery === undefined) throw new Error('nothing was delivered')
    const headers = Object.fromEntries(
      Object.entries(delivery.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const genuine = { headers, body: delivery.body, secret: webhook.secret }
    const sentAt = Number(headers['x-service-timestamp'])
    cases = [
      genuine,
      { ...genuine, body: genuine.body.replace('evt_', 'evu_') },
      { ...genuine, headers: { ...headers, 'x-service-timestamp': String(sentAt - 301) } },
    ]
    await w.open(`/webhooks/${webhook.id}?tab=verify`)
  })

  // PHP and Go have to be installed first, which takes a minute.
  test.each(
    sized(
      SNIPPET_LANGUAGES.filter((language) => language === 'node' || language === 'python'),
      SNIPPET_LANGUAGES,
    ),
  )('in %s accepts what was really delivered, and neither a changed byte nor an old time', async (language) => {
    await page.getByRole('tab', { name: SNIPPETS[language].name }).click()
    const shown = page.getByRole('region', { name: SNIPPETS[language].name })
    const code = (await shown.locator('code').textContent()) ?? ''
    expect(verdictsOf(language, code, cases)).toEqual([true, false, false])
  })
})
