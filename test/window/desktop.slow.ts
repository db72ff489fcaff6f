import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import type { UpdateState, WindowBridge } from '../../main/contract/window-bridge.ts'
import { preferencesIn } from '../../main/shell/preferences.ts'
import { brokenRules } from '../support/axe.ts'
import { tempFolder } from '../support/database.ts'
import { launchDesktop, tempProfile, type Desktop } from '../support/electron/launch.ts'
import { electronBinary } from '../support/electron/real.ts'

/**
 * The built desktop app, in Electron itself where its binary is, else in the stand-in: real main process, real preload,
 * real page in a real Chromium. What only the stand-in records is asked of it alone.
 */
const hasElectron = electronBinary() !== undefined
const inStandIn = test.skipIf(hasElectron)
const home = tempFolder()
const { profile, remove } = tempProfile()
let desktop: Desktop
let page: Page

beforeAll(async () => {
  desktop = await launchDesktop({ home, profile })
  page = await desktop.firstWindow()
  await page.getByRole('heading', { level: 1 }).waitFor()
})

afterAll(() => {
  rmSync(home, { recursive: true, force: true })
  remove()
})

test('the window opens on its own page without a sign-in, and reports readiness to its launcher', async () => {
  expect(await page.title()).toBe('Switchboard')
  if (!hasElectron) await expect.poll(() => desktop.said).toContain('opened')
  const session = await page.evaluate(async () => (await fetch('/panel/session')).json() as Promise<object>)
  expect(session).toMatchObject({ signed_in: true, home: 'desktop' })
})

describe('the page', () => {
  test('has only the functions of the preload and no Node API', async () => {
    const seen = await page.evaluate(() => {
      const { switchboard } = window as unknown as { switchboard: object }
      return {
        names: Object.keys(switchboard),
        isFrozen: Object.isFrozen(switchboard),
        node: [
          typeof (globalThis as { require?: unknown }).require,
          typeof (globalThis as { process?: unknown }).process,
        ],
      }
    })
    expect(seen).toEqual({
      names: expect.arrayContaining(['platform', 'version', 'onOpenRoute']),
      isFrozen: true,
      node: ['undefined', 'undefined'],
    })
  })

  test('calls the API as the operator, with a body, and receives the errors of the API', async () => {
    const [made, refused] = await page.evaluate(async () => {
      const post = (body: object) =>
        fetch('/panel/v1/instances', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const [first, second] = [await post({ name: 'Front desk' }), await post({ name: 7 })]
      return [
        { status: first.status, body: (await first.json()) as object },
        { status: second.status, body: (await second.json()) as object },
      ]
    })
    expect(made).toMatchObject({ status: 201, body: { name: 'Front desk', engine: 'smv2' } })
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } })
  })

  test('loads nothing from outside, and runs only script files of its own', async () => {
    const [response] = await Promise.all([page.waitForResponse((one) => one.url().endsWith('/')), page.reload()])
    const policy = (await response.allHeaders())['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toContain('unsafe-eval')
    const refused = await page.evaluate(async () => {
      const outside = await fetch('https://example.com/').then(
        () => 'fetched',
        () => 'refused',
      )
      const script = document.createElement('script')
      script.textContent = 'window.ran = true'
      document.head.append(script)
      return [outside, (window as unknown as { ran?: true }).ran ?? 'not run']
    })
    expect(refused).toEqual(['refused', 'not run'])
  })

  test('does not navigate to outside links', async () => {
    const before = page.url()
    await page.evaluate(() => void (location.href = 'https://example.com/'))
    await page.evaluate(async () => (await fetch('/panel/session')).status)
    expect(page.url()).toBe(before)
  })
})

test('the app copies the database in the maintenance process', async () => {
  const made = await page.evaluate(async () => {
    const response = await fetch('/panel/v1/service/backups', { method: 'POST' })
    return { status: response.status, body: (await response.json()) as { file: string } }
  })
  expect(made.status).toBe(201)
  const copy = new Database(made.body.file, { readonly: true })
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(copy.prepare('SELECT name FROM instances').pluck().all()).toEqual(['Front desk'])
  copy.close()
  if (hasElectron) return
  const forked = await desktop.evaluate(({ record }) => record.filter(({ what }) => what === 'utilityProcess.fork'))
  expect(forked.map(({ given }) => given)).toContainEqual([
    expect.stringMatching(/main.maintenance-program\.js$/),
    ['copy', join(home, 'switchboard.db'), `${made.body.file}.part`],
  ])
})

test('a second start forwards its deep link to the running app and exits', async () => {
  const second = await launchDesktop({ home, profile, argv: ['switchboard://settings'] })
  expect(await second.exited).toBe(0)
  if (!hasElectron) expect(second.said).toEqual(['already-running'])
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/settings')
})

inStandIn.each([
  ['second-instance', 'switchboard://messages/0197f0c2/12025550101', '#/messages/0197f0c2/12025550101'],
  ['open-url', 'switchboard://webhooks/deliveries', '#/webhooks/deliveries'],
  ['second-instance', 'switchboard://instances/x/delete/now', '#/overview'],
  ['open-url', 'switchboard://settings/api?then=quit', '#/settings/api'],
  ['open-url', 'https://example.com/', '#/overview'],
])('%s with %s opens the window at %s, and sends no changes', async (name, link, hash) => {
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(request.url())
  })
  const isShown = await desktop.evaluate(
    ({ app, BrowserWindow }, given) => {
      const [window] = BrowserWindow.all
      window?.hide()
      if (given.name === 'open-url') app.emit('open-url', { preventDefault() {} }, given.link)
      else app.emit('second-instance', {}, ['switchboard', '--flag', given.link])
      return window?.isVisible()
    },
    { name, link },
  )
  expect(isShown).toBe(true)
  await expect.poll(() => page.evaluate(() => location.hash)).toBe(hash)
  expect(changes).toEqual([])
})

inStandIn('the menu speaks the system’s language, and leads to the settings', async () => {
  const labels = await desktop.evaluate(({ record }) => {
    const [menu] = record.filter((one) => one.what === 'Menu.setApplicationMenu').at(-1)?.given as [
      { label: string; submenu: { label?: string; click?: () => void }[] }[],
    ]
    menu[0]?.submenu.find(({ label }) => label === 'Settings…')?.click?.()
    return menu.map(({ label }) => label)
  })
  expect(labels).toEqual(['Switchboard', 'Edit', 'View', 'Window'])
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/settings')
})

test('the settings show the options of this computer, and save changes', async () => {
  await page.evaluate(() => void (location.hash = '#/settings'))
  const messages = page.getByRole('switch', { name: 'New messages' })
  await expect.poll(() => messages.isChecked()).toBe(false)
  await messages.click()
  await expect.poll(() => preferencesIn(home).read().notes).toEqual({ lost: true, deliveries: true, messages: true })
  await page.getByRole('combobox', { name: 'When the window is closed' }).click()
  await page.getByRole('option', { name: 'Keep running in the tray' }).click()
  await expect.poll(() => preferencesIn(home).read().closing).toBe('hide')
  // Started from its folder it can neither be opened at login nor be updated, and says so.
  await expect.poll(() => page.getByRole('switch', { name: 'Open at login' }).isDisabled()).toBe(true)
  await page.getByText('This copy has no update channel', { exact: false }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Check for updates' }).count()).toBe(0)
})

test.each(['light', 'dark'])('the settings of this computer meet the accessibility rules: %s', async (mode) => {
  await page.evaluate((wanted) => localStorage.setItem('vueuse-color-scheme', wanted), mode)
  await page.reload()
  await page.getByRole('heading', { name: 'This computer' }).waitFor()
  expect(await brokenRules(page)).toEqual([])
})

test('an available update is shown, and waits for the person to install it', async () => {
  const tell = (state: UpdateState) =>
    desktop.evaluate(({ BrowserWindow }, given) => BrowserWindow.all[0]?.webContents.send('update', given), state)
  await tell({ kind: 'offered', version: '1.4.0' })
  await page.getByRole('button', { name: 'Download', exact: true }).waitFor()
  await page.getByRole('img', { name: 'Update available' }).waitFor()
  await tell({ kind: 'fetching', version: '1.4.0', percent: 40 })
  await page.getByRole('progressbar').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Download', exact: true }).count()).toBe(0)
  await tell({ kind: 'ready', version: '1.4.0' })
  await page.getByRole('button', { name: 'Restart and update' }).waitFor()
  await tell({ kind: 'refused' })
  await page.getByText('no valid signature', { exact: false }).waitFor()
})

/** The page tells the app of what it draws next; what it told before has arrived with the answer to a question. */
const toldTheApp = () =>
  page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))
    await (window as unknown as { switchboard: WindowBridge }).switchboard.readUpdate()
  })

inStandIn('quitting asks while something is only typed, and the person who stays finds it still there', async () => {
  await page.evaluate(() => void (location.hash = '#/settings'))
  const workspace = page.getByLabel('Workspace', { exact: true }).first()
  const before = await workspace.inputValue()
  await workspace.fill('Half a name')
  await toldTheApp()
  await desktop.evaluate(({ app }) => app.quit())
  const asked = () =>
    desktop.evaluate(({ record }) =>
      record
        .filter((one) => one.what === 'dialog.showMessageBox')
        .map((one) => (one.given[0] as { message: string }).message),
    )
  await expect.poll(asked).toContain('Quit and lose unsaved changes?')
  await expect.poll(() => workspace.inputValue()).toBe('Half a name')
  await workspace.fill(before)
  await toldTheApp()
})

test('quitting exits with code 0 and without errors', async () => {
  expect(await desktop.close()).toBe(0)
  expect(desktop.errors()).toBe('')
})
