import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { tempFolder } from '../support/database.ts'
import { launchDesktop, tempProfile, type Desktop } from '../support/electron/launch.ts'

/** The built desktop app in the stand-in for Electron: real main process, real preload, real page in a real Chromium. */
const home = tempFolder()
const { profile, remove } = tempProfile()
let desktop: Desktop
let page: Page

beforeAll(async () => {
  desktop = await launchDesktop({ home, profile })
  page = await desktop.firstWindow()
  await page.getByRole('heading', { level: 1 }).waitFor()
}, 60_000)

afterAll(() => {
  rmSync(home, { recursive: true, force: true })
  remove()
})

const recorded = (what: string) =>
  desktop.evaluate(({ record }, wanted) => record.filter((one) => one.what === wanted).map((one) => one.given), what)

test('the window opens on its own page, without a sign-in, and says so to its launcher', async () => {
  expect(await page.title()).toBe('Switchboard')
  await expect.poll(() => desktop.said).toContain('opened')
  const session = await page.evaluate(async () => (await fetch('/panel/session')).json() as Promise<object>)
  expect(session).toMatchObject({ signed_in: true, home: 'desktop' })
})

test('the window is as closed as a window can be', async () => {
  const [[options]] = (await recorded('BrowserWindow')) as [[{ webPreferences: object }]]
  expect(options.webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    webviewTag: false,
  })
  expect(await recorded('app.enableSandbox')).toHaveLength(1)
})

describe('the page', () => {
  test('knows the preload’s few things and nothing of Node', async () => {
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
      names: ['platform', 'version', 'onOpenRoute'],
      isFrozen: true,
      node: ['undefined', 'undefined'],
    })
  })

  test('reaches the door as the person, with a body, and gets the door’s own errors', async () => {
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

  test('may load nothing from outside, and run no script that is not a file of its own', async () => {
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

  test('cannot be led away, and opens nothing but https addresses, in the person’s own browser', async () => {
    const before = page.url()
    await page.evaluate(() => void (location.href = 'https://example.com/'))
    await page.evaluate(() => void window.open('https://example.com/docs'))
    await page.evaluate(() => void window.open('http://example.com/'))
    await expect.poll(() => recorded('window.open')).toHaveLength(2)
    expect(await recorded('shell.openExternal')).toEqual([['https://example.com/docs']])
    expect(new Set((await recorded('window.open')).map(([, action]) => action))).toEqual(new Set(['deny']))
    expect(page.url()).toBe(before)
  })
})

test('a second start hands over and leaves; a deep link opens its place', async () => {
  const second = await launchDesktop({ home, profile, argv: ['switchboard://settings'] })
  expect(await second.exited).toBe(0)
  expect(second.said).toEqual(['already-running'])
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/settings')
})

test('closing the window hides it and asks once; quitting drains and ends with 0', async () => {
  const hidden = await desktop.evaluate(async ({ BrowserWindow }) => {
    const [window] = BrowserWindow.all
    const results = []
    for (let i = 0; i < 2; i++) {
      window?.show()
      window?.askToClose()
      await new Promise((done) => setTimeout(done, 50))
      results.push(window?.isVisible())
    }
    return results
  })
  expect(hidden).toEqual([false, false])
  expect(await recorded('dialog.showMessageBox')).toHaveLength(1)
  expect(await desktop.close()).toBe(0)
  expect(desktop.errors()).toBe('')
})
