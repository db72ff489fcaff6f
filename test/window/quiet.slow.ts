import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { pause } from '../support/service-process.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** How often the window asks: once for each thing that changed, and not for what is out of sight. */
const TIMEOUT = 600_000
const CODES = 20
const [OURS, ANA] = ['12025550100', '12025550101']
let w: ConsoleWindow
let page: Page

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  await pairedInstance(w.api, OURS, 'Bakery Luz')
  await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana Souza' })
  for (let made = 0; made < CODES; made++) await w.api('POST', '/v1/instances', { name: `Number ${made}` })
  await page.getByRole('button', { name: 'Skip for now' }).click()
}, TIMEOUT)
afterAll(() => w.remove())

/** Requests to the service while something happens, by their path. */
async function askedWhile(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = w.asked.length
  await act()
  const counts: Record<string, number> = {}
  for (const address of w.asked.slice(before)) {
    const path = new URL(address).pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')
    if (path.startsWith('/panel/v1/'))
      counts[path.slice('/panel'.length)] = (counts[path.slice('/panel'.length)] ?? 0) + 1
  }
  return counts
}
async function traffic(): Promise<void> {
  for (let sent = 0; sent < 12; sent++) {
    await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: OURS, text: `Message ${sent}` })
    await pause(250)
  }
}

test(
  'messages of sandbox phones make no screen ask that does not show them',
  async () => {
    // The inbox and the phones were looked at: what they hold stays in the window.
    for (const route of ['/sandbox', '/messages']) await w.open(route)
    for (const route of ['/instances', '/keys', '/contacts', '/settings']) {
      await w.open(route)
      await pause(1_500)
      const { '/v1/unread-conversations': unread = 0, ...others } = await askedWhile(traffic)
      expect([route, others]).toEqual([route, {}])
      // The badge of the inbox, once a second at most.
      expect(unread).toBeLessThanOrEqual(6)
    }
    await w.open('/messages')
    await page.getByRole('navigation').getByRole('link', { name: 'Ana Souza' }).getByText('Message 11').waitFor()
  },
  TIMEOUT,
)

test(
  'the wall reads each code once when it appears, however many notices tell of it',
  async () => {
    const opened = await askedWhile(async () => {
      await w.open('/instances/wall')
      await expect.poll(() => page.getByRole('img', { name: /QR code/ }).count(), { timeout: 60_000 }).toBe(CODES)
      await pause(2_000)
    })
    // The first look finds none, then one is requested, then it is there.
    expect(opened['/v1/instances/:id/qr']).toBeLessThanOrEqual(3 * CODES)
    const quiet = await askedWhile(traffic)
    expect(quiet['/v1/instances/:id/qr'] ?? 0).toBe(0)
  },
  TIMEOUT,
)
