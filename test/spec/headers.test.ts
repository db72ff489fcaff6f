import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { world, type Reply, type World } from '../support/world.ts'
import { ANSWER_HEADERS } from './tables.ts'

let w: World
let id: string
let webhook: string

beforeAll(async () => {
  w = await world()
  id = (await w.pair()).id
  webhook = (await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/x', events: ['*'] })).body.id
})
afterAll(() => w.close())

/** Every status the service answers with today, on a real socket. */
// oxfmt-ignore
const ANSWERS: readonly [status: number, name: string, ask: () => Promise<Reply>][] = [
  [200, 'a read', () => w.wire('GET', '/v1/me')],
  [200, 'a HEAD', () => w.wire('HEAD', '/v1/me')],
  [200, 'the health page without a key', () => w.wire('GET', '/healthz', undefined, { key: null })],
  [200, 'the API document without a key', () => w.wire('GET', '/openapi.yaml', undefined, { key: null })],
  [200, 'the metrics', () => w.wire('GET', '/metrics')],
  [401, 'the metrics without a key', () => w.wire('GET', '/metrics', undefined, { key: null })],
  [201, 'a creation', () => w.wire('POST', '/v1/instances', {})],
  [202, 'what is accepted for later', () => w.wire('POST', `/v1/instances/${id}/restart`)],
  [204, 'a deletion', () => w.wire('DELETE', `/v1/webhooks/${webhook}`)],
  [400, 'a wrong field', () => w.wire('POST', '/v1/instances', { name: 5 })],
  [400, 'a body that is no JSON', () => w.wire('POST', '/v1/instances', '{')],
  [401, 'no key', () => w.wire('GET', '/v1/me', undefined, { key: null })],
  [401, 'an unknown key', () => w.wire('GET', '/v1/me', undefined, { key: 'swb_nobody' })],
  [401, 'no key on an unknown path', () => w.wire('GET', '/nothing', undefined, { key: null })],
  [401, 'no key at /mcp', () => w.wire('POST', '/mcp', {}, { key: null })],
  [403, 'a foreign Host', () => w.wire('GET', '/v1/me', undefined, { headers: { host: 'rebound.example' } })],
  [403, 'a foreign Origin', () => w.wire('GET', '/v1/me', undefined, { headers: { origin: 'https://evil.example' } })],
  [403, 'a missing scope', async () => w.wire('POST', '/v1/instances', {}, await w.key({ scopes: ['ai:read'] }))],
  [404, 'an unknown path', () => w.wire('GET', '/v1/nothing')],
  [404, 'an unknown id', () => w.wire('GET', '/v1/instances/nobody')],
  [404, 'a path that is not valid percent-encoding', () => w.wire('GET', '/v1/instances/%E0%A4%A')],
  [404, 'an id of 2,000 characters', () => w.wire('GET', `/v1/instances/${'x'.repeat(2_000)}`)],
  [405, 'a wrong method', () => w.wire('PUT', '/v1/me', {})],
  [405, 'OPTIONS, which no page may use to ask for more', () => w.wire('OPTIONS', '/v1/instances')],
  [409, 'a wrong state', () => w.wire('POST', `/v1/instances/${id}/qr/refresh`)],
  [413, 'a body of more than 2 MB', () => w.wire('POST', '/v1/instances', 'x'.repeat(2 * 1024 * 1024 + 1))],
  [415, 'a body of another type', () => w.wire('POST', '/v1/instances', 'x', { headers: { 'content-type': 'text/plain' } })],
  [429, 'one request too many', async () => {
    const key = await w.key({ rate: 1 })
    await w.wire('GET', '/v1/me', undefined, key)
    return w.wire('GET', '/v1/me', undefined, key)
  }],
  [431, 'headers of more than 16 KiB', () => w.wire('GET', '/v1/me', undefined, { headers: { 'x-padding': 'x'.repeat(16_500) } })],
  [502, 'an engine out of reach', () => w.wire('POST', `/v1/instances/${id}/messages`, { to: '12025550502', text: 'Hi' })],
]

test.each(ANSWERS)('%i (%s) has the headers of every answer', async (status, _name, ask) => {
  // Waits for what an earlier answer set going: a restart takes its time.
  await w.quiet()
  const answer = await ask()
  expect(answer.status).toBe(status)
  for (const name of ANSWER_HEADERS) expect(answer.headers).toHaveProperty(name)
  expect(answer.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    'referrer-policy': 'no-referrer',
  })
  if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer')
  if (status === 405) expect(answer.headers['allow']).toMatch(/GET/)
  if (status === 429) expect(answer.headers['retry-after']).toBe('60')
  if (status >= 400) expect(answer.body.error.request_id).toBe(answer.headers['x-request-id'])
})

test('A-03 echoes a valid request id and replaces an invalid one', async () => {
  const OURS = /^req_[0-9A-Z]{26}$/
  const answered = async (id: string | undefined) =>
    (await w.wire('GET', '/v1/me', undefined, { headers: id === undefined ? {} : { 'x-request-id': id } })).headers[
      'x-request-id'
    ]
  for (const id of ['a', 'order-1_2.3', 'x'.repeat(128)]) expect(await answered(id)).toBe(id)
  for (const id of [undefined, '', 'x'.repeat(129), 'with blank', 'a"b', 'a<b>', 'é']) {
    expect([id, await answered(id)]).toEqual([id, expect.stringMatching(OURS)])
  }
})

test('503 and 500 have them too', async () => {
  const broken = await world({ soundAtEnd: false })
  await broken.service.db.close()
  const answer = await broken.wire('GET', '/v1/instances', undefined, { headers: { 'x-request-id': 'mine' } })
  expect([answer.status, answer.headers['x-request-id']]).toEqual([503, 'mine'])
  await broken.close()
})

describe('bytes that are not HTTP', () => {
  // oxfmt-ignore
  const BYTES: readonly [name: string, bytes: string | Buffer, status: number][] = [
    ['a line of nonsense', 'hello\r\n\r\n', 400],
    ['a method that does not exist', 'BREW /v1/me HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['random bytes', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03]), 400],
    ['a version from the future', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['a header without a name', 'GET /v1/me HTTP/1.1\r\nHost: x\r\n: nameless\r\n\r\n', 400],
    ['a folded header', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n folded\r\n\r\n', 400],
    ['two lengths', 'POST /v1/instances HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd', 400],
    ['a length and chunks, as smugglers send', 'POST /v1/instances HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['a control character in a header', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\x01b\r\n\r\n', 400],
    ['a request line of 20 KB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\n${'X-Pad: yyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(800)}`, 431],
  ]

  test.each(BYTES)(
    'get an error for %s in the usual shape, with all headers, and the socket closes',
    async (_name, bytes, status) => {
      const heard = await w.raw(bytes)
      expectWholeAnswer(heard, status)
      expect((await w.api('GET', '/v1/me')).status).toBe(200)
    },
  )
})

describe('unusual but well-formed HTTP', () => {
  // oxfmt-ignore
  const ODD: readonly [name: string, bytes: string, status: number][] = [
    ['no Host header', 'GET /v1/me HTTP/1.1\r\nConnection: close\r\n\r\n', 403],
    ['HTTP/1.0', 'GET /v1/me HTTP/1.0\r\n\r\n', 403],
    ['an expectation nobody knows', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nExpect: the-inquisition\r\nConnection: close\r\n\r\n', 403],
    ['a request to upgrade', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n', 403],
    ['a method of WebDAV', 'PROPFIND /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 403],
    ['TRACE', 'TRACE /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 403],
    ['OPTIONS for the server as a whole', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 403],
    ['a whole address as its target', 'GET http://evil.example/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 403],
  ]

  test.each(ODD)('refuses %s for its Host in the usual error shape, with all headers', async (_name, bytes, status) => {
    expectWholeAnswer(await w.raw(bytes), status)
  })

  test.each([
    ['an expectation nobody knows', 'GET', '/v1/me', { expect: 'the-inquisition' }, 200],
    ['a method of WebDAV', 'PROPFIND', '/v1/me', {}, 405],
    ['a method of WebDAV on an unknown path', 'PROPFIND', '/nothing', {}, 404],
    ['TRACE', 'TRACE', '/v1/me', {}, 405],
    ['OPTIONS for the server as a whole', 'OPTIONS', '*', {}, 404],
  ])('treats %s like any other request of a known caller', async (_name, method, path, headers, status) => {
    expect((await w.wire(method, path, undefined, { headers })).status).toBe(status)
  })

  test('does not answer invalid bytes while an earlier request is in progress', async () => {
    const body = '{"to":"12025550504","text":"Hi"}'
    const head = `POST /v1/instances/${id}/messages HTTP/1.1\r\nHost: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nContent-Type: application/json\r\n`
    const mark = await w.mark()
    const heard = await w.raw(`${head}Content-Length: ${body.length}\r\n\r\n${body}nonsense\r\n\r\n`)
    expect(heard).toBe('')
    await w.pass(30_000)
    expect(await w.typesSince(mark)).toEqual(['message.sent', 'message.delivered'])
  })

  test('refuses CONNECT', async () => {
    expect(await w.raw('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n')).not.toMatch(
      /^HTTP\/1.1 2/,
    )
  })
})

function expectWholeAnswer(heard: string, status: number): void {
  const [head = '', body = ''] = heard.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  expect(line, heard.slice(0, 200)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  const headers = new Map(
    fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 2)]),
  )
  expect(headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/)
  expect(headers.get('x-ratelimit-limit')).toMatch(/^[1-9]\d*$/)
  expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(body, 'latin1'))
  const { error } = JSON.parse(body) as { error: Record<string, unknown> }
  expect(Object.keys(error)).toEqual(['code', 'message', 'request_id', 'retryable'])
  expect(error['request_id']).toBe(headers.get('x-request-id'))
  expect(error['retryable']).toBe(false)
}
