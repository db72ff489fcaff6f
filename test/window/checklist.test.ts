import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { CONSOLE_CSP } from '../../main/faces/panel/csp.ts'
import { tempFolder } from '../support/database.ts'
import { launchStandIn, tempProfile, type Desktop } from '../support/electron/launch.ts'

/**
 * The twenty items of Electron's security guide, asked of the built app in the stand-in. What only Electron itself can
 * show (that its sandbox holds, that it obeys its fuses) is not shown here.
 */
const ROOT = resolve(import.meta.dirname, '../..')
const home = tempFolder()
const { profile, remove } = tempProfile()
let desktop: Desktop
let page: Page
let preferences: Readonly<Record<string, unknown>>

beforeAll(async () => {
  desktop = await launchStandIn({ home, profile })
  page = await desktop.firstWindow()
  await page.getByRole('heading', { level: 1 }).waitFor()
  const [[options]] = (await recorded('BrowserWindow')) as [[{ webPreferences: Readonly<Record<string, unknown>> }]]
  preferences = options.webPreferences
})

afterAll(async () => {
  await desktop.close()
  rmSync(home, { recursive: true, force: true })
  remove()
})

const recorded = (what: string) =>
  desktop.evaluate(({ record }, wanted) => record.filter((one) => one.what === wanted).map((one) => one.given), what)

/** Whether the app prevents what the window is about to do. */
const prevents = (name: string, url: string) =>
  desktop.evaluate(
    ({ BrowserWindow }, about) => {
      const event = { url: about.url, isPrevented: false, preventDefault: () => void (event.isPrevented = true) }
      BrowserWindow.all[0]?.webContents.emit(about.name, event)
      return event.isPrevented
    },
    { name, url },
  )

const sources = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))
    .join('\n')

test('1 · only secure content is loaded: every request of the page uses the app’s own scheme', async () => {
  const own = new URL(page.url()).origin
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${own}/`)) foreign.push(request.url())
  })
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(own).toMatch(/^http:\/\/switchboard\.app\.localhost:/)
  expect(foreign).toEqual([])
})

test('2 · Node is disabled in the page, its workers and its frames', () => {
  expect(preferences).toMatchObject({
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
  })
})

test('3 · context isolation is enabled', () => expect(preferences['contextIsolation']).toBe(true))

test('4 · the sandbox is enabled for every process', async () => {
  expect(preferences['sandbox']).toBe(true)
  expect(await recorded('app.enableSandbox')).toHaveLength(1)
})

describe('5 · permission requests are handled', () => {
  const asked = (own: boolean, media?: 'audio' | 'video') =>
    desktop.evaluate(
      ({ permissions }, { isOwn, kind }) => {
        const url = isOwn ? 'app://switchboard/' : 'https://example.com/'
        const names = ['media', 'geolocation', 'notifications', 'clipboard-read', 'midi', 'usb', 'hid', 'serial']
        const wanted = [...names, 'fullscreen', 'openExternal', 'local-network-access', 'display-capture', 'unknown']
        return [...wanted, 'speaker-selection'].filter((name) => {
          let isGiven: unknown
          const types = kind === undefined ? {} : { mediaTypes: [kind] }
          permissions.request({ getURL: () => url }, name, (given: boolean) => (isGiven = given), types)
          const isThere = permissions.check(null, name, url.slice(0, -1), { mediaType: kind })
          if (isGiven !== isThere) throw new Error(`${name}: asked ${String(isGiven)}, looked up ${String(isThere)}`)
          return isGiven
        })
      },
      { isOwn: own, kind: media },
    )

  test('5 · only our page may use notifications and the microphone; the camera and other devices are always denied', async () => {
    expect(await asked(true)).toEqual(['notifications', 'speaker-selection'])
    expect(await asked(true, 'audio')).toEqual(['media', 'notifications', 'speaker-selection'])
    expect(await asked(true, 'video')).toEqual(['notifications', 'speaker-selection'])
    expect(await asked(false, 'audio')).toEqual([])
    const both = await desktop.evaluate(({ permissions }) => {
      let isGiven: unknown
      const types = { mediaTypes: ['audio', 'video'] }
      permissions.request({ getURL: () => 'app://switchboard/' }, 'media', (given: boolean) => (isGiven = given), types)
      return isGiven
    })
    expect(both).toBe(false)
    expect(await desktop.evaluate(({ permissions }) => permissions.device({ deviceType: 'usb' }))).toBe(false)
  })
})

test('6, 8, 9, 10, 11 · web security is not disabled, and no experimental feature is enabled', () => {
  expect(preferences).toMatchObject({ webSecurity: true, webviewTag: false })
  const weakening = ['allowRunningInsecureContent', 'experimentalFeatures', 'enableBlinkFeatures', 'preloadInWorker']
  expect(Object.keys(preferences).filter((name) => weakening.includes(name))).toEqual([])
  expect(sources('main')).not.toMatch(/appendSwitch|disable-web-security|ignore-certificate-errors/)
})

test('7 · every response of the scheme has exactly the expected Content-Security-Policy', async () => {
  const policies = await page.evaluate(async () => {
    const script = document.querySelector<HTMLScriptElement>('script[src]')?.src ?? ''
    const answers = await Promise.all(['/', script, '/nothing', '/panel/events'].map((url) => fetch(url)))
    return answers.map((answer) => answer.headers.get('content-security-policy'))
  })
  // Data needs nothing at all; the door says so itself.
  const ofData = "default-src 'none'; frame-ancestors 'none'"
  expect(policies).toEqual([CONSOLE_CSP, CONSOLE_CSP, CONSOLE_CSP, ofData])
  expect(CONSOLE_CSP).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; " +
      "connect-src 'self'; media-src 'self' blob:; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; " +
      "frame-ancestors 'none'",
  )
})

test('12 · webviews cannot be attached', async () => {
  expect(await prevents('will-attach-webview', '')).toBe(true)
})

describe('13 · navigation to other pages is blocked', () => {
  test.each(['will-navigate', 'will-frame-navigate', 'will-redirect'])('%s', async (name) => {
    for (const url of ['https://example.com/', 'app://evil/', 'file:///etc/passwd', 'data:text/html,x', 'about:blank'])
      expect(await prevents(name, url), url).toBe(true)
    expect(await prevents(name, 'app://switchboard/')).toBe(false)
  })
})

test('14 · opening new windows is denied for every page', async () => {
  const before = (await recorded('window.open')).length
  await page.evaluate(() => {
    window.open('https://example.com/')
    window.open('/')
  })
  await expect.poll(() => recorded('window.open')).toHaveLength(before + 2)
  expect((await recorded('window.open')).map(([, action]) => action)).toEqual(['deny', 'deny'])
})

test('15 · only https addresses and the service’s own pages are opened in the system browser', async () => {
  const before = (await recorded('shell.openExternal')).length
  const { address } = await page.evaluate(
    async () => (await fetch('/panel/v1/service')).json() as Promise<{ address: string }>,
  )
  const wanted = [
    'http://example.com/',
    'http://127.0.0.1:1/',
    `${address}.example.com/`,
    `${address}/widget/wid_1/test`,
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ssh://host',
    'data:,x',
    'mailto:a@b.example',
    'nonsense',
    'https://example.com/a b',
  ]
  const said = await desktop.evaluate(
    ({ BrowserWindow }, urls) => urls.map((url) => BrowserWindow.all[0]?.askToOpen(url)),
    wanted,
  )
  expect(new Set(said)).toEqual(new Set(['deny']))
  // Written out by the parser, so that no other program can be meant.
  expect((await recorded('shell.openExternal')).slice(before)).toEqual([
    [`${address}/widget/wid_1/test`],
    ['https://example.com/a%20b'],
  ])
})

test('16 · Electron is pinned to a version, and the page is built for its Chromium', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  expect(devDependencies['electron']).toMatch(/^45\.\d+\.\d+$/)
  const config = readFileSync(join(ROOT, 'electron.vite.config.ts'), 'utf8')
  expect([...config.matchAll(/target: '(\w+)'/g)].map(([, target]) => target)).toEqual([
    'node24',
    'node24',
    'chrome152',
  ])
})

test('17 · IPC requests from any frame except the main window are refused', async () => {
  const answers = await desktop.evaluate(async ({ invoke }) => {
    const own = { url: 'app://switchboard/#/settings', parent: null }
    const frames = [own, null, { ...own, parent: own }, { url: 'https://example.com/', parent: null }]
    const channels = ['readPreferences', 'readUpdate', 'lookForUpdate', 'fetchUpdate', 'restartToUpdate']
    return Promise.all(
      frames.map(async (frame) => {
        const all = await Promise.all(channels.map((channel) => invoke(frame, channel, [])))
        return all.filter((answer) => 'refused' in answer).length
      }),
    )
  })
  expect(answers).toEqual([0, 5, 5, 5])
  // The same door, from the page itself: what it does not take.
  const wrong = page.evaluate(() =>
    (
      window as unknown as { switchboard: { changePreferences(change: object): Promise<object> } }
    ).switchboard.changePreferences({
      closing: 'burn',
    }),
  )
  await expect(wrong).rejects.toThrow(/closing/)
})

test('17 · only one file listens to IPC', () => {
  const files = readdirSync(join(ROOT, 'main'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const listening = files.filter((name) =>
    /\bipc\w*\.(handle|on|once|handleOnce)\(|\bipc\.(on|handle)\b/.test(readFileSync(join(ROOT, 'main', name), 'utf8')),
  )
  expect(listening).toEqual(['shell/window-requests.ts'])
})

test('18 · the page is not loaded from a file:// address', () => {
  expect(sources('main/shell')).not.toMatch(/loadFile\(|file:\/\/|interceptFileProtocol|registerFileProtocol/)
})

test('19 · the fuses of the packaged app are verified', () => {
  expect(readFileSync(join(ROOT, 'test/package/package.slow.ts'), 'utf8')).toContain(
    "test('all nine fuses are as we want them'",
  )
})

test('20 · the preload exposes only named functions and plain values, and no Electron API', async () => {
  const seen = await page.evaluate(async () => {
    const { switchboard } = window as unknown as {
      switchboard: Record<string, unknown> & { onOpenRoute: (act: (...given: unknown[]) => void) => () => void }
    }
    const given: unknown[][] = []
    const end = switchboard.onOpenRoute((...all) => void given.push(all))
    addEventListener('told', () => end(), { once: true })
    ;(window as unknown as { given: unknown[][] }).given = given
    return Object.entries(switchboard).map(([name, value]) => `${name}: ${typeof value}`)
  })
  expect(seen).toEqual([
    'platform: string',
    'version: string',
    'onOpenRoute: function',
    'onUpdate: function',
    'readPreferences: function',
    'changePreferences: function',
    'readUpdate: function',
    'lookForUpdate: function',
    'fetchUpdate: function',
    'restartToUpdate: function',
    'setUnsaved: function',
    'readPasskeyReadiness: function',
    'signPasskey: function',
  ])
  const open = () => desktop.evaluate(({ app }) => void app.emit('second-instance', {}, ['x', 'switchboard://keys']))
  await open()
  const given = () => page.evaluate(() => (window as unknown as { given: unknown[][] }).given)
  await expect.poll(given).toEqual([['/keys']])
  // Its end is an end.
  await page.evaluate(() => void dispatchEvent(new Event('told')))
  await open()
  await new Promise((done) => setTimeout(done, 100))
  expect(await given()).toEqual([['/keys']])
})
