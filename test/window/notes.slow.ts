import { rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import type { WindowBridge } from '../../main/contract/window-bridge.ts'
import { tempFolder } from '../support/database.ts'
import { launchStandIn, tempProfile, type Desktop } from '../support/electron/launch.ts'
import { pairedInstance } from '../support/sandbox.ts'
import type { Api } from '../support/service-process.ts'

/**
 * What the system shows while nobody looks at the window: tray, badge and notifications of the built app in the
 * stand-in, which only writes down what it was asked for. What they tell of really happens, on the sandbox network.
 */
const home = tempFolder()
const { profile, remove } = tempProfile()
let desktop: Desktop
let page: Page
let instance: string

const OURS = '12025550100'
const ANA = '12025550101'

/** Speaks as the person at the window does. */
const api: Api = (method, path, body) =>
  page.evaluate(
    async ([verb, place, content]) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`/panel${place}`, {
        ...{ method: verb, headers },
        ...(content !== null && { body: content }),
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
    },
    [method, path, body === undefined ? null : JSON.stringify(body)] as const,
  )

const recorded = (what: string) =>
  desktop.evaluate(({ record }, wanted) => record.filter((one) => one.what === wanted).map((one) => one.given), what)

const notes = async () => (await recorded('Notification')).map(([note]) => note as { title: string; body: string })

const choose = (change: object) =>
  page.evaluate(
    (wanted) => (window as unknown as { switchboard: WindowBridge }).switchboard.changePreferences(wanted),
    change,
  )

const route = () => page.evaluate(() => location.hash)

async function click(): Promise<void> {
  await desktop.evaluate(({ BrowserWindow, Notification }) => {
    Notification.all.at(-1)?.emit('click')
    // Looking at it again would keep further notes back.
    BrowserWindow.all[0]?.blur()
  })
}

beforeAll(async () => {
  desktop = await launchStandIn({ home, profile, argv: ['--retry-schedule-s', '0,0,0,0,0,0,0'] })
  page = await desktop.firstWindow()
  await page.getByRole('heading', { level: 1 }).waitFor()
  instance = await pairedInstance(api, OURS, 'Front desk')
  await api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana' })
})

// Whoever looks at the window is not told; and it takes the focus when it is shown, which may be late.
beforeEach(() => desktop.evaluate(({ BrowserWindow }) => BrowserWindow.all[0]?.blur()))

afterAll(async () => {
  expect(await desktop.close()).toBe(0)
  expect(desktop.errors()).toBe('')
  rmSync(home, { recursive: true, force: true })
  remove()
})

describe('a new message', () => {
  const write = (text: string) => api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: OURS, text })

  test('is not told of unless somebody asked for it', async () => {
    await write('Is anybody there?')
    await new Promise((done) => setTimeout(done, 2_500))
    expect(await notes()).toEqual([])
  })

  test('is told of by its sender, never by its words, and a click opens the conversation', async () => {
    await choose({ notes: { messages: true } })
    await write('My PIN is 4711')
    await expect.poll(notes, { timeout: 60_000 }).toEqual([{ title: 'New message', body: 'Ana wrote to Front desk.' }])
    await click()
    await expect.poll(route).toBe(`#/messages/${instance}/${ANA}`)
    await choose({ notes: { messages: false } })
  })
})

test('a webhook that gives up is told of with its host alone, and a click opens it', async () => {
  await api('PUT', '/v1/sandbox/catcher/broken', { status: 500 })
  const { body } = await api('POST', '/v1/webhooks', {
    url: 'https://catcher.sandbox/broken?token=s3cret',
    events: ['message.read'],
  })
  await api('POST', `/v1/webhooks/${body.id}/test`)
  await expect
    .poll(async () => (await notes()).at(-1), { timeout: 60_000 })
    .toMatchObject({ title: 'Webhook delivery failed', body: expect.stringContaining('catcher.sandbox') })
  expect(JSON.stringify(await notes())).not.toMatch(/broken|s3cret|4711/)
  await click()
  await expect.poll(route).toBe(`#/webhooks/${body.id}`)
})

test('a lost number is told of, stands in the tray and on the badge, and a click opens it', async () => {
  expect((await recorded('tray.setToolTip')).at(-1)).toEqual(['Switchboard · The number is connected'])
  await api('POST', `/v1/sandbox/instances/${instance}/faults`, { kind: 'logout' })
  await expect.poll(async () => (await notes()).at(-1)?.title, { timeout: 60_000 }).toBe('A number disconnected')
  await click()
  await expect.poll(route).toBe(`#/instances/${instance}`)
  await expect
    .poll(async () => (await recorded('tray.setToolTip')).at(-1))
    .toEqual(['Switchboard · 0 of 1 numbers connected · 1 number needs attention'])
  expect((await recorded('app.setBadgeCount')).at(-1)).toEqual([1])
})

test('the tray says how the numbers are, leads to those that are lost, opens the window and quits', async () => {
  const seen = await desktop.evaluate(({ record }) => {
    const menu = record.filter((one) => one.what === 'tray.setContextMenu').at(-1)?.given[0] as {
      label?: string
      click?: () => void
    }[]
    menu[1]?.click?.()
    return menu.map(({ label }) => label ?? '—')
  })
  expect(seen).toEqual([
    '0 of 1 numbers connected',
    '1 number needs attention',
    '—',
    'Open Switchboard',
    'Quit Switchboard',
  ])
  await expect.poll(route).toBe('#/instances')
})

test('what is switched off is not told of', async () => {
  await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.all[0]?.blur())
  await choose({ notes: { lost: false } })
  const before = (await notes()).length
  const other = await pairedInstance(api, '12025550199', 'Back office')
  await api('POST', `/v1/sandbox/instances/${other}/faults`, { kind: 'logout' })
  await expect.poll(async () => (await recorded('app.setBadgeCount')).at(-1), { timeout: 60_000 }).toEqual([2])
  await new Promise((done) => setTimeout(done, 2_500))
  expect(await notes()).toHaveLength(before)
})

test('after a sleep whatever is on screen is asked for anew', async () => {
  await page.evaluate(() => void (location.hash = '#/instances'))
  await page.getByText('Back office').first().waitFor()
  const asked = page.waitForRequest((request) => request.url().includes('/panel/v1/instances?'), { timeout: 5_000 })
  await desktop.evaluate(({ powerMonitor }) => powerMonitor.emit('resume'))
  await asked
})
