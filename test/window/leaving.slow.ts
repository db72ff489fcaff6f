import { rmSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import type { WindowBridge } from '../../main/contract/window-bridge.ts'
import { preferencesIn } from '../../main/shell/preferences.ts'
import { tempFolder } from '../support/database.ts'
import { launchStandIn, tempProfile, type Desktop } from '../support/electron/launch.ts'

/** Closing and quitting the built app, in the stand-in: Electron's events are imitated, everything behind them is real. */
const remains: (() => void)[] = []
afterEach(() => remains.splice(0).forEach((act) => act()))

function place(): { home: string; start: (...argv: string[]) => Promise<{ desktop: Desktop; page: Page }> } {
  const home = tempFolder()
  remains.push(() => rmSync(home, { recursive: true, force: true }))
  return {
    home,
    async start(...argv) {
      const { profile, remove } = tempProfile()
      remains.push(remove)
      const desktop = await launchStandIn({ home, profile, argv })
      const page = await desktop.firstWindow()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => desktop.said).toContain('opened')
      return { desktop, page }
    },
  }
}

const recorded = (desktop: Desktop, what: string) =>
  desktop.evaluate(({ record }, wanted) => record.filter((one) => one.what === wanted).map((one) => one.given), what)

const isVisible = (desktop: Desktop) => desktop.evaluate(({ BrowserWindow }) => BrowserWindow.all[0]?.isVisible())

const close = (desktop: Desktop) => desktop.evaluate(({ BrowserWindow }) => BrowserWindow.all[0]?.askToClose())

const quit = (desktop: Desktop) => desktop.evaluate(({ app }) => app.quit())

/** Leaves the page the time to read its last answer: this round of quitting does nothing until the app is told again. */
const holdQuitting = (desktop: Desktop, round: 1 | 2) =>
  desktop.evaluate(({ app }, held) => {
    const { quit: act } = app
    let rounds = 0
    app.quit = () => {
      if (++rounds < held) return act()
      app.quit = act
      process.send?.('held')
    }
  }, round)

/** The person answers the question of closing with this button, after a while. */
const answer = (desktop: Desktop, button: 0 | 1) =>
  desktop.evaluate(({ dialog, record }, response) => {
    dialog.showMessageBox = async (_window, options) => {
      record.push({ what: 'asked', given: [options] })
      await new Promise((done) => setTimeout(done, 150))
      return { response }
    }
  }, button)

test('starting again from the settings answers, ends as always, and opens the app once more', async () => {
  const { desktop, page } = await place().start()
  await desktop.evaluate(({ app }) => {
    app.relaunch = () => void process.send?.('relaunched')
  })
  await holdQuitting(desktop, 1)
  const status = await page.evaluate(async () => {
    const { can_restart: can } = (await (await fetch('/panel/v1/service/settings')).json()) as { can_restart: boolean }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    return can ? (await fetch('/panel/v1/service/restart', init)).status : 'it cannot'
  })
  expect(status).toBe(202)
  await expect.poll(() => desktop.said).toEqual(['opened', 'held'])
  await quit(desktop)
  expect(await desktop.exited).toBe(0)
  expect(desktop.said).toEqual(['opened', 'held', 'relaunched'])
  expect(desktop.errors()).toBe('')
})

describe('closing the window', () => {
  test('asks once, though it is closed again while it asks, and does what was answered ever after', async () => {
    const { home, start } = place()
    const { desktop, page } = await start()
    await answer(desktop, 0)
    await close(desktop)
    await close(desktop)
    await expect.poll(() => isVisible(desktop)).toBe(false)
    expect(await recorded(desktop, 'asked')).toHaveLength(1)
    // The service goes on without a window.
    expect(await page.evaluate(async () => (await fetch('/panel/v1/me')).status)).toBe(200)
    await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.all[0]?.show())
    await close(desktop)
    await expect.poll(() => isVisible(desktop)).toBe(false)
    expect(await recorded(desktop, 'asked')).toHaveLength(1)
    expect(preferencesIn(home).read().closing).toBe('hide')
    expect(await desktop.close()).toBe(0)

    const again = await start()
    await close(again.desktop)
    await expect.poll(() => isVisible(again.desktop)).toBe(false)
    expect(await recorded(again.desktop, 'dialog.showMessageBox')).toEqual([])
    // The settings have it asked once more; now the answer is to quit.
    await again.page.evaluate(async () => {
      const { switchboard } = window as unknown as { switchboard: WindowBridge }
      await switchboard.changePreferences({ closing: 'ask' })
    })
    await answer(again.desktop, 1)
    await close(again.desktop)
    expect(await again.desktop.exited).toBe(0)
    expect(again.desktop.errors()).toBe('')
    expect(preferencesIn(home).read().closing).toBe('quit')
  })

  test.each(['close first', 'quit first'])('and quitting at the same moment end with 0: %s', async (order) => {
    const { home, start } = place()
    const { desktop } = await start()
    await answer(desktop, 0)
    await desktop.evaluate(({ app, BrowserWindow }, first) => {
      const acts = [() => BrowserWindow.all[0]?.askToClose(), () => app.quit()]
      if (first === 'quit first') acts.reverse()
      for (const act of acts) act()
    }, order)
    expect(await desktop.exited).toBe(0)
    expect(desktop.errors()).toBe('')
    // What was answered after the app had decided to leave is no choice.
    expect(preferencesIn(home).read().closing).toBe('ask')
  })
})

describe('quitting', () => {
  test('takes window and tray away at once; whoever asks for the window then finds none', async () => {
    const { desktop } = await place().start()
    const seen = await desktop.evaluate(({ app, autoUpdater, BrowserWindow, record }) => {
      const [window] = BrowserWindow.all
      const held = window?.askToClose()
      // An update closes the windows first, and nothing may hold them then.
      autoUpdater.emit('before-quit-for-update')
      const released = window?.askToClose()
      app.quit()
      app.emit('activate')
      app.emit('second-instance', {}, ['switchboard', 'switchboard://settings'])
      return { held, released, isVisible: window?.isVisible(), tray: record.some((one) => one.what === 'tray.destroy') }
    })
    expect(seen).toEqual({ held: false, released: true, isVisible: false, tray: true })
    expect(await desktop.exited).toBe(0)
    expect(desktop.errors()).toBe('')
  })

  test('is not held up when the system goes down', async () => {
    const { desktop } = await place().start()
    const isHeld = await desktop.evaluate(({ app, powerMonitor }) => {
      powerMonitor.emit('shutdown', {})
      const event = { isHeld: false, preventDefault: () => void (event.isHeld = true) }
      app.emit('before-quit', event)
      return event.isHeld
    })
    expect(isHeld).toBe(false)
    expect(await desktop.close()).toBe(0)
  })

  test('in the middle of sending loses nothing and sends nothing twice', async () => {
    const { start } = place()
    // So slow that the network has not answered when the app quits.
    const first = await start('--sandbox-timeline-ms', '1500,10,10,10')
    const instance = await first.page.evaluate(pair)
    const sending = first.page.evaluate(send, instance)
    await expect
      .poll(() => first.page.evaluate(sentAndSeen, instance).catch(() => undefined))
      .toMatchObject({ accepted: 1, arrived: 0 })
    await holdQuitting(first.desktop, 2)
    await quit(first.desktop)
    // The second round comes when the service has ended: what was under way has ended before.
    await expect.poll(() => first.desktop.said, { timeout: 60_000 }).toContain('held')
    expect(await sending).toBe(201)
    await quit(first.desktop)
    expect(await first.desktop.exited).toBe(0)
    expect(first.desktop.errors()).toBe('')

    const second = await start('--sandbox-timeline-ms', '0,10,10,10')
    await expect.poll(() => second.page.evaluate(sentAndSeen, instance)).toEqual({ accepted: 1, arrived: 1 })
    // The same key once more, as a careful program repeats it.
    const repeated = await second.page.evaluate(send, instance)
    expect(repeated).toBe(201)
    await new Promise((done) => setTimeout(done, 300))
    expect(await second.page.evaluate(sentAndSeen, instance)).toEqual({ accepted: 1, arrived: 1 })
    // The system asks in its own way.
    await second.desktop.evaluate(() => void process.kill(process.pid, 'SIGTERM'))
    expect(await second.desktop.exited).toBe(0)
    expect(second.desktop.errors()).toBe('')
  })
})

/** In the page: an instance, connected to a sandbox phone, and another phone to write to. @returns its id */
async function pair(): Promise<string> {
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`/panel/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return (await answer.json()) as Record<string, string>
  }
  const { id = '' } = await ask('POST', '/instances', { name: 'Front desk' })
  for (const number of ['12025550100', '12025550101']) await ask('POST', '/sandbox/phones', { number, name: number })
  let view = await ask('GET', `/instances/${id}/qr`)
  while (view['state'] !== 'ready') view = await ask('GET', `/instances/${id}/qr`)
  await ask('POST', '/sandbox/phones/12025550100/scan', { pairing_code: view['pairing_code'] })
  while (!(await ask('GET', `/instances/${id}/connection`))['connected'])
    await new Promise((done) => setTimeout(done, 20))
  return id
}

async function send(id: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'order-1' }
  const body = JSON.stringify({ to: '12025550101', text: 'Your order is ready.' })
  return (await fetch(`/panel/v1/instances/${id}/messages`, { method: 'POST', headers, body })).status
}

/** How many messages the service has taken on, and how many of them have reached the phone. */
async function sentAndSeen(id: string): Promise<{ accepted: number; arrived: number }> {
  const list = async (path: string) =>
    ((await (await fetch(`/panel/v1${path}`)).json()) as { data: { direction?: string }[] }).data
  return {
    accepted: (await list(`/instances/${id}/conversations/12025550101/messages`)).length,
    arrived: (await list('/sandbox/phones/12025550101/messages')).length,
  }
}
