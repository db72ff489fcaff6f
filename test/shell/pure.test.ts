import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CONSOLE_CSP } from '../../main/faces/panel/csp.ts'
import { isOurs } from '../../main/shell/app-origin.ts'
import { createAppProtocol } from '../../main/shell/app-protocol.ts'
import { linkIn, routeOf } from '../../main/shell/deep-link.ts'
import { preferencesIn } from '../../main/shell/preferences.ts'
import { windowStateIn, onScreen } from '../../main/shell/window-state.ts'
import { wordsFor } from '../../main/shell/words.ts'

test.each([
  ['app://switchboard/', true],
  ['app://switchboard/panel/v1/me?x=1', true],
  ['app://Switchboard/', false],
  ['app://switchboard.evil.example/', false],
  ['app://switchboard:80/', false],
  ['app://evil/', false],
  ['https://switchboard/', false],
  ['data:text/html,x', false],
  ['javascript:alert(1)', false],
  ['file:///etc/passwd', false],
  ['nonsense', false],
])('%s is an address of the app: %s', (address, ours) => {
  expect(isOurs(address)).toBe(ours)
})

const ID = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'

test.each([
  ['switchboard://instances', '/instances'],
  [`switchboard://instances/${ID}`, `/instances/${ID}`],
  [`switchboard://instances/${ID}?tab=settings`, `/instances/${ID}`],
  [`switchboard://recordings/${ID}/${ID}?t=12.5`, `/recordings/${ID}/${ID}?t=12.5`],
  ['switchboard://instances/wall', '/instances/wall'],
  ['switchboard://webhooks/whk_01KJM8Q7GZ2V4N6T8R0P3D5F7H', '/webhooks/whk_01KJM8Q7GZ2V4N6T8R0P3D5F7H'],
  ['switchboard://webhooks/deliveries', '/webhooks/deliveries'],
  [`switchboard://messages/${ID}/12025550101`, `/messages/${ID}/12025550101`],
  [`switchboard://messages/${ID}/120363025@g.us`, `/messages/${ID}/120363025@g.us`],
  ['switchboard://assistants/approvals', '/assistants/approvals'],
  ['switchboard://settings/', '/settings'],
  ['switchboard://instances?x=1', '/instances'],
  ['switchboard://instances#/keys', '/instances'],
])('%s opens %s', (link, route) => {
  expect(routeOf(link)).toBe(route)
})

test.each([
  'switchboard://instances/a/b/c',
  'switchboard://keys/../../etc',
  'switchboard://evil',
  `switchboard://recordings/${ID}/${ID}?t=1&x=2`,
  'switchboard://instances:80',
  'switchboard://user@instances',
  'switchboard:instances',
  'switchboard:///instances',
  'switchboard://instances/%2e%2e%2fkeys',
  `switchboard://messages/${ID}/<script>`,
  'switchboard://',
  'https://instances',
  'nonsense',
])('%s is not a place in the app and opens the start page', (link) => {
  expect(routeOf(link)).toBe('/')
})

test('finds a link among the arguments of a start', () => {
  expect(linkIn(['--flag', 'switchboard://keys'])).toBe('switchboard://keys')
  expect(linkIn(['--flag'])).toBeUndefined()
})

describe('the window’s position', () => {
  const screens = [{ x: 0, y: 0, width: 1920, height: 1040 }]
  const state = { width: 1000, height: 700, maximized: false }

  test('is stored in a file that only this user can read', () => {
    const home = mkdtempSync(join(tmpdir(), 'switchboard-window-'))
    const kept = windowStateIn(home)
    expect(kept.read()).toEqual({ width: 1240, height: 820, maximized: false })
    kept.write({ ...state, x: 5, y: 6 })
    expect(kept.read()).toEqual({ ...state, x: 5, y: 6 })
    expect(statSync(join(home, 'window.json')).mode & 0o777).toBe(0o600)
    for (const damage of ['', 'null', '{"width":-5,"height":"x","x":1}', '[1]']) {
      writeFileSync(join(home, 'window.json'), damage)
      expect(kept.read()).toEqual({ width: 1240, height: 820, maximized: false })
    }
    expect(readFileSync(join(home, 'window.json'), 'utf8')).toBe('[1]')
    rmSync(home, { recursive: true })
  })

  test('is not stored if nothing can be written, and the window still closes', () => {
    const kept = windowStateIn(join(tmpdir(), 'switchboard-test-gone', 'home'))
    expect(() => kept.write(state)).not.toThrow()
    expect(kept.read()).toEqual({ width: 1240, height: 820, maximized: false })
  })

  test.each([
    [{ x: 100, y: 100 }, true],
    [{ x: -900, y: 100 }, true],
    [{ x: -950, y: 100 }, false],
    [{ x: 1_900, y: 100 }, false],
    [{ x: 100, y: -10 }, false],
    [{ x: 3_000, y: 100 }, false],
  ])('at %j is on a screen: %s', (at, kept) => {
    expect('x' in onScreen({ ...state, ...at }, screens)).toBe(kept)
  })
})

describe('the window’s own scheme', () => {
  const faults: unknown[] = []
  let isClosing = false
  const answer = createAppProtocol({
    file: async (path) =>
      path === '' ? { headers: { 'content-type': 'text/html' }, bytes: Buffer.from('<page>') } : undefined,
    panel: async ({ method, path }) => {
      if (path.endsWith('/boom')) throw new Error('boom')
      if (path.endsWith('/late')) {
        isClosing = true
        throw new Error('the door is shut')
      }
      return {
        status: method === 'DELETE' ? 204 : 200,
        headers: { 'content-type': 'application/json', 'set-cookie': 'x=1' },
        body: method === 'DELETE' ? null : new Blob([JSON.stringify({ method, path })]).stream(),
      }
    },
    isClosing: () => isClosing,
    onFault: (error) => faults.push(error),
  })
  const ask = (path: string, init?: RequestInit) => answer(new Request(`app://switchboard${path}`, init))

  test('serves the page with nosniff on every answer', async () => {
    const page = await ask('/')
    expect(await page.text()).toBe('<page>')
    expect(Object.fromEntries(page.headers)).toEqual({
      'content-type': 'text/html',
      'content-security-policy': CONSOLE_CSP,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    expect((await ask('/', { method: 'HEAD' })).body).toBeNull()
  })

  test('passes paths below /panel/ to the door and stores no cookie', async () => {
    const reply = await ask('/panel/v1/me?x=1')
    expect(await reply.json()).toEqual({ method: 'GET', path: '/panel/v1/me?x=1' })
    expect(reply.headers.get('set-cookie')).toBeNull()
    expect((await ask('/panel/v1/me', { method: 'DELETE' })).status).toBe(204)
  })

  test('refuses everything else in the error shape and never throws', async () => {
    expect((await ask('/nothing.js')).status).toBe(404)
    expect((await ask('/%E0%A4%A')).status).toBe(404)
    expect((await ask('/', { method: 'POST' })).status).toBe(405)
    expect((await answer(new Request('https://switchboard/'))).status).toBe(404)
    const broken = await ask('/panel/v1/boom')
    expect(broken.status).toBe(500)
    expect(await broken.json()).toMatchObject({ error: { code: 'internal_error', retryable: true } })
    expect(faults).toHaveLength(1)
    isClosing = true
    expect((await ask('/panel/v1/me')).status).toBe(503)
    isClosing = false
    // Closed under a request that had come in time: an answer, and nothing that nobody foresaw.
    expect((await ask('/panel/v1/late')).status).toBe(503)
    expect(faults).toHaveLength(1)
    isClosing = false
  })
})

describe('settings of this computer', () => {
  const USUAL = { closing: 'ask', notes: { lost: true, deliveries: true, messages: false } }

  test('are stored in a file that only this user can read, for the next start', () => {
    const home = mkdtempSync(join(tmpdir(), 'switchboard-window-'))
    const preferences = preferencesIn(home)
    expect(preferences.read()).toEqual(USUAL)
    preferences.change({ closing: 'hide' })
    const chosen = preferences.change({ notes: { messages: true, lost: false } })
    expect(chosen).toEqual({ closing: 'hide', notes: { lost: false, deliveries: true, messages: true } })
    expect(preferencesIn(home).read()).toEqual(chosen)
    expect(statSync(join(home, 'preferences.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(home)).toEqual(['preferences.json'])
    rmSync(home, { recursive: true })
  })

  test.each(['', 'null', '[1]', '"hide"', '{"closing":"burn","notes":{"lost":"no","messages":1}}', '{"notes":null}'])(
    'use the defaults if they cannot be read: %j',
    (damage) => {
      const home = mkdtempSync(join(tmpdir(), 'switchboard-window-'))
      writeFileSync(join(home, 'preferences.json'), damage)
      expect(preferencesIn(home).read()).toEqual(USUAL)
      rmSync(home, { recursive: true })
    },
  )

  test('report that they cannot be stored, and keep the earlier ones', () => {
    const home = mkdtempSync(join(tmpdir(), 'switchboard-window-'))
    const preferences = preferencesIn(home)
    rmSync(home, { recursive: true })
    expect(() => preferences.change({ closing: 'quit' })).toThrow()
    expect(preferences.read()).toEqual(USUAL)
  })
})

test.each([
  ['pt-BR', 'Sair do Switchboard'],
  ['es-419', 'Salir de Switchboard'],
  ['en-GB', 'Quit Switchboard'],
  ['ja', 'Quit Switchboard'],
])('a system in %s shows %s', (locale, word) => {
  expect(wordsFor(locale).quit).toBe(word)
})

test.each([
  ['en', { total: 0, connected: 0, lost: 0 }, 'No numbers yet'],
  ['en', { total: 1, connected: 1, lost: 0 }, 'The number is connected'],
  ['en', { total: 12, connected: 12, lost: 0 }, 'All 12 numbers connected'],
  ['en', { total: 12, connected: 9, lost: 2 }, '9 of 12 numbers connected'],
  ['es', { total: 12, connected: 1, lost: 2 }, '1 de 12 números conectado'],
  ['pt-BR', { total: 12, connected: 12, lost: 0 }, 'Todos os 12 números conectados'],
])('the tray shows in %s for %j: %s', (locale, counts, line) => {
  expect(wordsFor(locale).tray.state(counts)).toBe(line)
})
