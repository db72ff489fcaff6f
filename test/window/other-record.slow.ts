import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** From the page of one record straight to that of another, as Back and bookmarks lead. */
const BOTH = ['first', 'second'] as const
let w: ConsoleWindow
const clients: string[] = []
const widgets: { readonly number: string; readonly id: string }[] = []

beforeAll(async () => {
  w = await openConsole()
  const post = async (path: string, body: object = {}) => (await w.api('POST', `/v1${path}`, body)).body
  await w.api('PATCH', '/v1/agency/billing', { enabled: true })
  for (const [n, name] of BOTH.entries()) {
    const { id } = await post('/agency/accounts', { name: `The ${name} client` })
    const terms = { amount_cents: 1_000 * (n + 1), currency: 'usd', interval: 'month', email: `${name}@bakery.example` }
    expect((await w.api('PUT', `/v1/agency/accounts/${id}/billing`, terms)).status).toBeLessThan(300)
    clients.push(id)
    const number = await pairedInstance(w.api, `1202555010${n}`, `The ${name} number`)
    const widget = { name: `The ${name} widget`, allowed_origins: ['https://shop.example'] }
    widgets.push({ number, id: (await post(`/instances/${number}/voice/widgets`, widget)).id })
  }
})
afterAll(() => w.remove())

const field = (name: RegExp) => w.page.getByRole('textbox', { name }).first()
const termsOf = async (client = '') => (await w.api('GET', `/v1/agency/accounts/${client}/billing`)).status

describe('the page of the second', () => {
  test('client has its own price, and stops its own billing', async () => {
    const { page } = w
    await w.open(`/clients/${clients[0]}?tab=billing`)
    await expect.poll(() => field(/^Price/).inputValue()).toBe('10.00')
    await w.open(`/clients/${clients[1]}?tab=billing`)
    await page.getByRole('heading', { name: 'The second client' }).waitFor()
    await expect.poll(() => field(/^Price/).inputValue()).toBe('20.00')
    await page.getByRole('button', { name: /^Stop billing/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop billing' }).click()
    await expect.poll(() => termsOf(clients[1])).toBe(404)
    expect(await termsOf(clients[0])).toBe(200)
  })

  test('number has its own widgets', async () => {
    for (const [n, { number }] of widgets.entries()) {
      await w.open(`/voice/${number}/widgets`)
      await w.page.getByRole('link', { name: `The ${BOTH[n]} widget` }).waitFor()
      await expect.poll(() => w.page.getByRole('link', { name: /^The .* widget$/ }).count()).toBe(1)
    }
  })

  test('widget is the one that is shown, and the one that is deleted', async () => {
    const { page } = w
    for (const [n, { number, id }] of widgets.entries()) {
      await w.open(`/voice/${number}/widgets/${id}`)
      await expect.poll(() => field(/^Name/).inputValue()).toBe(`The ${BOTH[n]} widget`)
    }
    await page.getByRole('button', { name: 'Delete widget' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete widget' }).click()
    const left = async ({ number }: { readonly number: string }) =>
      (await w.api('GET', `/v1/instances/${number}/voice/widgets`)).body.data.length as number
    await expect.poll(() => Promise.all(widgets.map(left))).toEqual([1, 0])
  })
})
