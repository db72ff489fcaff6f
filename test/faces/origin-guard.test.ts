import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOriginGuard, ownHosts } from '../../main/faces/origin-guard.ts'
import { OPERATIONS, pathWith } from '../support/operations.ts'
import { world, worldOfTest, type Reply, type World } from '../support/world.ts'

let w: World
let port: string
beforeAll(async () => {
  w = await world()
  port = w.host.split(':')[1] ?? ''
})
afterAll(() => w.close())

const code = ({ status, body }: Reply) => `${status} ${body?.error?.code ?? ''}`.trim()

/** Every address of the service, and some that are none. */
const EVERYWHERE = [
  ...OPERATIONS.map(({ method, path }) => [method, pathWith(path)] as const),
  ...['/openapi.yaml', '/healthz', '/onboard/x', '/mcp', '/', '/nothing', '/v1/%zz', '/console/', '/favicon.ico'].map(
    (path) => ['GET', path] as const,
  ),
  ['POST', '/mcp'],
  ['POST', '/onboard/x'],
  ['DELETE', '/mcp'],
  ['OPTIONS', '/v1/instances'],
  ['OPTIONS', '/mcp'],
  ['PUT', '/v1/me'],
] as const

describe('on every path, with a key that is valid and without one', () => {
  test.each(EVERYWHERE)('%s %s refuses every Host but its own', async (method, path) => {
    for (const key of [w.allScopes, null]) {
      for (const host of ['rebound.example', `rebound.example:${port}`, '127.0.0.1', `127.0.0.1:1`]) {
        const answer = await w.api(method, path, method === 'POST' ? {} : undefined, { key, headers: { host } })
        expect(code(answer), host).toBe('403 forbidden_host')
      }
    }
  })

  test.each(EVERYWHERE)('%s %s refuses pages of other origins', async (method, path) => {
    for (const key of [w.allScopes, null]) {
      for (const origin of [
        'https://evil.example',
        'null',
        `http://127.0.0.1.evil.example:${port}`,
        'http://127.0.0.1:1',
      ]) {
        const headers = {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        }
        const answer = await w.api(method, path, method === 'POST' ? {} : undefined, { key, headers })
        expect(code(answer), origin).toBe('403 forbidden_origin')
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    }
  })
})

describe('the service’s own hosts', () => {
  test.each(['127.0.0.1', 'localhost', 'LOCALHOST', 'LocalHost', '[::1]'])('include %s with its port', async (name) => {
    expect((await w.api('GET', '/v1/me', undefined, { headers: { host: `${name}:${port}` } })).status).toBe(200)
    const origin = `http://${name.toLowerCase()}:${port}`
    expect((await w.api('GET', '/v1/me', undefined, { headers: { origin } })).status).toBe(200)
  })

  // oxfmt-ignore
  test.each([
    '127.0.0.1', 'localhost', 'localhost.', '127.1', '0.0.0.0', '2130706433', '127.0.0.1.', '127.0.0.2', '::1', 'localhost@evil.example',
    'evil.example#localhost', '127.0.0.1, evil.example', 'ⓛocalhost', 'localhost\t',
  ])('do not include %s, with or without the port', async (name) => {
    for (const host of [name, `${name}:${port}x`, `${name}:0${port}`, ...(/^(127\.0\.0\.1|localhost)$/.test(name) ? [] : [`${name}:${port}`])]) {
      const answer = await w.api('GET', '/v1/me', undefined, { headers: { host } })
      expect(code(answer), host).toBe('403 forbidden_host')
    }
  })

  test('a valid Host does not excuse an invalid Origin, nor the other way round', async () => {
    const headers = { host: `localhost:${port}`, origin: 'https://evil.example' }
    expect(code(await w.api('GET', '/v1/me', undefined, { headers }))).toBe('403 forbidden_origin')
    const other = { host: 'evil.example', origin: `http://localhost:${port}` }
    expect(code(await w.api('GET', '/v1/me', undefined, { headers: other }))).toBe('403 forbidden_host')
  })

  test('an Origin with a path, a user or another scheme is refused', async () => {
    for (const origin of [
      `http://127.0.0.1:${port}/`,
      `http://me@127.0.0.1:${port}`,
      `ftp://127.0.0.1:${port}`,
      `127.0.0.1:${port}`,
      '',
      'file://',
    ]) {
      expect(code(await w.api('GET', '/v1/me', undefined, { headers: { origin } })), origin).toBe(
        '403 forbidden_origin',
      )
    }
  })

  test('a request without a Host header is refused like one with a foreign name', async () => {
    const heard = await w.raw(
      `GET /v1/me HTTP/1.1\r\nAuthorization: Bearer ${w.allScopes}\r\nConnection: close\r\n\r\n`,
    )
    expect(heard).toMatch(/^HTTP\/1\.1 403 /)
    expect(heard).toContain('forbidden_host')
  })

  test('an absolute URL as the request target must match the Host too', async () => {
    const ask = (target: string) =>
      w.raw(
        `GET ${target} HTTP/1.1\r\nHost: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nConnection: close\r\n\r\n`,
      )
    expect(await ask(`http://${w.host}/v1/me`)).toMatch(/^HTTP\/1\.1 200 /)
    for (const other of ['evil.example', `evil.example:${port}`, `me@${w.host}`, `${w.host}.evil.example`, ''])
      expect(await ask(`http://${other}/v1/me`), other).toMatch(/^HTTP\/1\.1 4\d\d /)
  })

  test('two Host headers are refused like none, whichever comes first', async () => {
    const head = `GET /v1/me HTTP/1.1\r\nAuthorization: Bearer ${w.allScopes}\r\nConnection: close\r\n`
    for (const [first, second] of [
      ['evil.example', w.host],
      [w.host, 'evil.example'],
      [w.host, w.host],
    ] as const) {
      expect(await w.raw(`${head}Host: ${first}\r\nHost: ${second}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /)
    }
  })
})

test('the hosts in the settings and the public address are accepted too', async () => {
  const own = await worldOfTest({
    settings: { allowedHosts: ['box.lan', 'box.lan:4780'], publicBaseUrl: 'https://switchboard.example/base' },
  })
  for (const host of ['box.lan', 'box.lan:4780', 'BOX.LAN', 'switchboard.example', own.host]) {
    expect((await own.api('GET', '/v1/me', undefined, { headers: { host } })).status, host).toBe(200)
  }
  for (const host of ['box.lan:1', 'other.lan', 'switchboard.example:8443', 'evil.switchboard.example']) {
    expect(code(await own.api('GET', '/v1/me', undefined, { headers: { host } })), host).toBe('403 forbidden_host')
  }
  const { headers } = await own.api('GET', '/v1/me', undefined, { headers: { origin: 'https://switchboard.example' } })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

describe('the hosts of a service', () => {
  test('are written as browsers write them: port 80 is omitted, an IPv6 address is in brackets', () => {
    expect([...ownHosts({ host: '127.0.0.1', port: 80 }, [], null)]).toEqual(['127.0.0.1', 'localhost', '[::1]'])
    expect(ownHosts({ host: 'fd00::7', port: 4780 }, [], null)).toContain('[fd00::7]:4780')
    expect(ownHosts({ host: '192.168.7.2', port: 4780 }, [], null)).toContain('192.168.7.2:4780')
  })

  test('are not extended by listening on every address', () => {
    for (const host of ['0.0.0.0', '::']) {
      expect([...ownHosts({ host, port: 4780 }, [], null)]).toEqual(['127.0.0.1:4780', 'localhost:4780', '[::1]:4780'])
    }
  })

  test('are empty before the service listens', () => {
    expect(() => createOriginGuard(() => new Set()).check({ host: '127.0.0.1:4780' })).toThrow(/Host header/)
  })
})
