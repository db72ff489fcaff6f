import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isOurs } from '../../main/shell/addresses.ts'
import { createAppProtocol } from '../../main/shell/app-protocol.ts'
import { linkIn, routeOf } from '../../main/shell/deep-link.ts'
import { keptIn, onScreen } from '../../main/shell/window-state.ts'
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
])('%s is ours: %s', (address, ours) => {
  expect(isOurs(address)).toBe(ours)
})

test.each([
  ['switchboard://instances', '/instances'],
  ['switchboard://instances/0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60', '/instances/0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'],
  ['switchboard://settings/', '/settings'],
  ['switchboard://keys/../../etc', '/keys/etc'],
  ['switchboard://instances/a/b/c', undefined],
  ['switchboard://evil', undefined],
  ['https://instances', undefined],
  ['switchboard://instances?x=1', '/instances'],
])('%s opens %s', (link, route) => {
  expect(routeOf(link)).toBe(route)
})

test('a link is found among the words of a start', () => {
  expect(linkIn(['--flag', 'switchboard://keys'])).toBe('switchboard://keys')
  expect(linkIn(['--flag'])).toBeUndefined()
})

describe('the place of the window', () => {
  const screens = [{ x: 0, y: 0, width: 1920, height: 1040 }]
  const state = { width: 1000, height: 700, maximized: false }

  test('is kept in a file for this user alone, and read back', () => {
    const home = mkdtempSync(join(tmpdir(), 'switchboard-window-'))
    const kept = keptIn(home)
    expect(kept.read()).toEqual({ width: 1240, height: 820, maximized: false })
    kept.write({ ...state, x: 5, y: 6, closing: 'hide' })
    expect(kept.read()).toEqual({ ...state, x: 5, y: 6, closing: 'hide' })
    expect(statSync(join(home, 'window.json')).mode & 0o777).toBe(0o600)
    for (const damage of ['', 'null', '{"width":-5,"height":"x","closing":"burn","x":1}', '[1]']) {
      writeFileSync(join(home, 'window.json'), damage)
      expect(kept.read()).toEqual({ width: 1240, height: 820, maximized: false })
    }
    expect(readFileSync(join(home, 'window.json'), 'utf8')).toBe('[1]')
    rmSync(home, { recursive: true })
  })

  test.each([
    [{ x: 100, y: 100 }, true],
    [{ x: -900, y: 100 }, true],
    [{ x: -950, y: 100 }, false],
    [{ x: 1_900, y: 100 }, false],
    [{ x: 100, y: -10 }, false],
    [{ x: 3_000, y: 100 }, false],
  ])('at %j is reachable: %s', (at, kept) => {
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

  test('gives the page, and says of each answer that nothing may be guessed about it', async () => {
    const page = await ask('/')
    expect(await page.text()).toBe('<page>')
    expect(Object.fromEntries(page.headers)).toEqual({
      'content-type': 'text/html',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    expect((await ask('/', { method: 'HEAD' })).body).toBeNull()
  })

  test('hands what lies below /panel/ to the door, and keeps no cookie', async () => {
    const reply = await ask('/panel/v1/me?x=1')
    expect(await reply.json()).toEqual({ method: 'GET', path: '/panel/v1/me?x=1' })
    expect(reply.headers.get('set-cookie')).toBeNull()
    expect((await ask('/panel/v1/me', { method: 'DELETE' })).status).toBe(204)
  })

  test('refuses all else in the error shape, and never throws', async () => {
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
  })
})

test.each([
  ['pt-BR', 'Encerrar o Switchboard'],
  ['es-419', 'Salir de Switchboard'],
  ['en-GB', 'Quit Switchboard'],
  ['ja', 'Quit Switchboard'],
])('a system in %s reads %s', (locale, word) => {
  expect(wordsFor(locale).quit).toBe(word)
})
