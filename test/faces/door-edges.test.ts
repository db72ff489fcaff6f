import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import type { Log } from '../../main/kernel/log.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { rawExchange } from '../support/wire.ts'
import { worldOfTest, type World } from '../support/world.ts'

const limited = (settings: object = {}) => worldOfTest({ settings: { anonymousRatePerMinute: 3, ...settings } })
const knock = async (w: World, headers: Record<string, string> = {}) =>
  (await w.wire('GET', '/v1/me', undefined, { key: 'swb_stale', headers })).status

describe('/healthz', () => {
  test('answers any number of requests, whatever key they send and however much of their limit is spent', async () => {
    const w = await limited()
    for (let i = 0; i < 4; i++) await knock(w)
    expect(await knock(w)).toBe(429)
    for (let i = 0; i < 5; i++) {
      const key = i % 2 === 0 ? null : 'swb_stale'
      expect((await w.wire('GET', '/healthz', undefined, { key })).status).toBe(200)
    }
  })

  test('does not count against the rate limit of its caller', async () => {
    const w = await limited()
    for (let i = 0; i < 5; i++) await w.wire('GET', '/healthz', undefined, { key: null })
    const answer = await w.wire('GET', '/openapi.yaml', undefined, { key: null })
    expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([200, '2'])
  })
})

describe('callers behind a proxy', () => {
  const spend = async (w: World, forwarded: string) => {
    for (let i = 0; i < 3; i++) await knock(w, { 'x-forwarded-for': forwarded })
    return knock(w, { 'x-forwarded-for': forwarded })
  }

  test('are told apart behind a trusted proxy by the last address it added', async () => {
    const w = await limited({ trustedProxies: ['127.0.0.1/32'] })
    expect(await spend(w, '198.51.100.1')).toBe(429)
    expect(await knock(w, { 'x-forwarded-for': '198.51.100.2' })).toBe(401)
    expect(await knock(w, { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' })).toBe(429)
    const page = (from: string) =>
      w.wire('GET', '/openapi.yaml', undefined, { key: null, headers: { 'x-forwarded-for': from } })
    expect([(await page('198.51.100.1')).status, (await page('198.51.100.3')).status]).toEqual([429, 200])
  })

  test('count as one caller within an IPv6 network, whichever address they use', async () => {
    const w = await limited({ trustedProxies: ['127.0.0.1/32'] })
    const from = (host: number) => ({ 'x-forwarded-for': `2001:db8:1:1::${host}` })
    expect([await knock(w, from(1)), await knock(w, from(2)), await knock(w, from(3))]).toEqual([401, 401, 401])
    expect(await knock(w, from(4))).toBe(429)
    expect(await knock(w, { 'x-forwarded-for': '2001:db8:1:2::1' })).toBe(401)
  })

  test('count as one caller without a trusted proxy, on loopback too', async () => {
    const w = await limited()
    expect(await spend(w, '198.51.100.1')).toBe(429)
    expect(await knock(w, { 'x-forwarded-for': '198.51.100.2' })).toBe(429)
  })

  test('cannot choose their address when they connect from elsewhere', async () => {
    const w = await limited({ trustedProxies: ['192.0.2.0/24'] })
    expect(await spend(w, '198.51.100.1')).toBe(429)
    expect(await knock(w, { 'x-forwarded-for': '198.51.100.2' })).toBe(429)
  })
})

test('a compressed body is 415, and has no effect', async () => {
  const w = await worldOfTest()
  for (const encoding of ['gzip', 'br', 'deflate, gzip', 'GZIP']) {
    const sending = { headers: { 'content-encoding': encoding } }
    const answer = await w.wire('POST', '/v1/instances', { name: 'X' }, sending)
    expect([answer.status, answer.body.error.code], encoding).toEqual([415, 'unsupported_media_type'])
  }
  const plain = await w.wire('POST', '/v1/instances', {}, { headers: { 'content-encoding': 'identity' } })
  expect(plain.status).toBe(201)
  expect((await w.api('GET', '/v1/instances')).body.count).toBe(1)
})

test('a body compressed with a transfer encoding is 415, and has no effect', async () => {
  const w = await worldOfTest()
  const send = (encoding: string, body: string | Buffer) =>
    rawExchange(
      w.host,
      Buffer.concat([
        Buffer.from(
          `POST /v1/instances HTTP/1.1\r\nHost: ${w.host}\r\nConnection: close\r\nAuthorization: Bearer ${w.allScopes}\r\n` +
            `Content-Type: application/json\r\nTransfer-Encoding: ${encoding}\r\n\r\n${body.length.toString(16)}\r\n`,
        ),
        Buffer.from(body),
        Buffer.from('\r\n0\r\n\r\n'),
      ]),
    )
  expect(await send('gzip, chunked', gzipSync('{}'))).toMatch(/^HTTP\/1.1 415 /)
  expect((await w.api('GET', '/v1/instances')).body.count).toBe(0)
  expect(await send('chunked', '{}')).toMatch(/^HTTP\/1.1 201 /)
})

describe('the root URL', () => {
  const ask = (w: World, accept: string, sending = {}) =>
    w.wire('GET', '/', undefined, { key: null, headers: { accept }, ...sending })

  test('redirects a browser to the console', async () => {
    const w = await worldOfTest()
    const answer = await ask(w, 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8')
    expect([answer.status, answer.headers['location'], answer.headers['vary']]).toEqual([302, '/console/', 'accept'])
    expect(answer.headers['x-request-id']).toBeDefined()
  })

  test('tells a program that it needs a key, or that the path does not exist', async () => {
    const w = await worldOfTest()
    expect((await ask(w, 'application/json')).status).toBe(401)
    expect((await ask(w, '*/*')).status).toBe(401)
    expect((await w.wire('GET', '/', undefined, { headers: { accept: 'text/html' } })).status).toBe(404)
    expect((await w.wire('POST', '/', {}, { key: null, headers: { accept: 'text/html' } })).status).toBe(401)
  })

  test('is not answered for a foreign Host', async () => {
    const w = await worldOfTest()
    const sending = { key: null, headers: { accept: 'text/html', host: 'evil.example' } }
    expect((await w.api('GET', '/', undefined, sending)).status).toBe(403)
  })
})

test('each request is one debug line in the log, with its id and without query, ids or bodies', async () => {
  const lines: Record<string, unknown>[] = []
  const log: Log = { ...silentLog, debug: (line) => void lines.push(line) }
  const w = await worldOfTest({ log })
  const { id } = await w.instance()
  lines.length = 0
  await w.wire('GET', `/v1/instances/${id}?secret=1`, undefined, { headers: { 'x-request-id': 'mine-1' } })
  await w.wire('GET', '/nothing/12025550123', undefined, { key: null })
  const found = lines.filter(({ event }) => event === 'http.request')
  expect(found).toEqual([
    expect.objectContaining({ requestId: 'mine-1', method: 'GET', route: '/v1/instances/:id', status: 200 }),
    expect.objectContaining({ method: 'GET', route: null, status: 401 }),
  ])
  expect(found[0]?.['durationMs']).toBeTypeOf('number')
  expect(JSON.stringify(found)).not.toMatch(/secret|12025550123/)
  expect(JSON.stringify(found)).not.toContain(id)
})

test('a send that waits for its network is answered before a stopping service closes its connection', async () => {
  // It is closed in the middle, so there is nothing to look at in the end.
  const w = await worldOfTest({ soundAtEnd: false })
  const line = await w.pair()
  const sending = { headers: { 'idempotency-key': 'order-1' } }
  const body = { to: '12025550504', text: 'Hello' }
  const answering = w.wire('POST', `/v1/instances/${line.id}/messages`, body, sending)
  await w.quiet()
  const closing = w.service.close()
  for (let i = 0; i < 8; i++) await w.clock.advance(500)
  const answer = await answering
  expect([answer.status, answer.body.error.code]).toEqual([504, 'upstream_timeout'])
  expect(answer.body.error.message).toContain('idempotency_key')
  for (let i = 0; i < 60; i++) await w.clock.advance(500)
  await closing
})

test('a silent connection stays open while its request is in progress, and is closed once it has none', async () => {
  const w = await worldOfTest()
  const line = await w.pair()
  const sockets: Socket[] = []
  w.service.door.app.server.on('connection', (socket: Socket) => sockets.push(socket))
  const answering = w.wire('POST', `/v1/instances/${line.id}/messages`, { to: '12025550504', text: 'Hello' })
  await vi.waitFor(() => expect(sockets).toHaveLength(1))
  await w.quiet()
  const [socket] = sockets
  expect(socket?.timeout).toBe(60_000)
  // As after that minute.
  for (let i = 0; i < 3; i++) socket?.emit('timeout')
  for (let i = 0; i < 40; i++) await w.clock.advance(500)
  const answer = await answering
  expect([answer.status, answer.body.error.code]).toEqual([504, 'upstream_timeout'])
  const idle = connect(Number(w.host.split(':')[1]), '127.0.0.1')
  await vi.waitFor(() => expect(sockets).toHaveLength(2))
  sockets[1]?.emit('timeout')
  await once(idle.resume(), 'close')
})
