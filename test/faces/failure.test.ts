import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../main/contract/errors.ts'
import { asApiError, malformed } from '../../main/faces/failure.ts'
import { ConstraintError, StorageError } from '../../main/kernel/db.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { worldOfTest } from '../support/world.ts'

describe('an error thrown inside', () => {
  test('is returned unchanged if it is an ApiError', () => {
    const error = new ApiError('not_ready', 'Connect first.')
    expect(asApiError(error)).toBe(error)
  })

  test.each([
    ['full', 'storage_full'],
    ['closed', 'service_unavailable'],
    ['unknown', 'service_unavailable'],
    ['read_only', 'service_unavailable'],
  ] as const)('of the storage is mapped by kind: %s is %s, without the text of the database', (kind, code) => {
    const found = asApiError(new StorageError(kind, 'SQLITE_IOERR: disk I/O error'))
    expect(found?.code).toBe(code)
    expect(found?.message).not.toContain('SQLITE')
  })

  test.each([
    new Error('boom'),
    new TypeError('x is not a function'),
    new ConstraintError('UNIQUE'),
    'text',
    null,
    undefined,
    { code: 'ENOENT' },
    { code: '__proto__' },
  ])('of any other type (%s) has no catalogue entry, so it is answered as internal_error', (error) => {
    expect(asApiError(error)).toBeUndefined()
  })

  test.each([
    ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 'validation_error'],
    ['HPE_INVALID_METHOD', 'validation_error'],
    [undefined, 'validation_error'],
  ] as const)('the connection error %s is %s', (fault, code) => {
    expect(malformed(fault).code).toBe(code)
  })
})

describe('under load', () => {
  test('the service answers 64 concurrent requests, and the next is service_unavailable with Retry-After', async () => {
    // Names that never resolve: each creation of a webhook waits for two seconds that do not pass.
    const w = await worldOfTest({ resolve: () => new Promise(() => {}) })
    const slow = Array.from({ length: 64 }, (_, i) =>
      w.api('POST', '/v1/webhooks', { url: `https://host-${i}.example/hook`, events: ['*'] }),
    )
    await w.quiet()
    for (const [method, path] of [
      ['GET', '/v1/me'],
      ['GET', '/v1/instances'],
      ['POST', '/v1/instances'],
    ] as const) {
      const refused = await w.api(method, path, method === 'POST' ? {} : undefined)
      expect([refused.status, refused.body.error.code, refused.headers['retry-after']]).toEqual([
        503,
        'service_unavailable',
        '1',
      ])
      expect(refused.body.error.retryable).toBe(true)
    }
    // What needs no room is answered all the same.
    expect((await w.api('GET', '/healthz')).status).toBe(200)
    expect((await w.api('GET', '/v1/me', undefined, { key: null })).status).toBe(401)

    for (let second = 0; second < 80; second++) await w.clock.advance(1_000)
    const statuses = (await Promise.all(slow)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201).length).toBe(10)
    expect(new Set(statuses)).toEqual(new Set([201, 409]))
    expect((await w.api('GET', '/v1/me')).status).toBe(200)
  })

  test('sends that wait for their engine delay no other instance, and beyond 128 for one instance they are refused', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    const other = await w.pair()
    const send = (i: number) => w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550504', text: `Hello ${i}` })
    const waiting = Array.from({ length: 128 }, (_, i) => send(i))
    await w.quiet()
    const mark = await w.mark()
    const refused = await send(128)
    expect([refused.status, refused.body.error.code, refused.headers['retry-after']]).toEqual([
      503,
      'service_unavailable',
      '1',
    ])
    expect((await w.api('GET', '/v1/instances')).status).toBe(200)
    expect((await w.api('POST', `/v1/instances/${other.id}/messages`, { to: '12025550177', text: 'Hi' })).status).toBe(
      201,
    )
    expect((await w.eventsSince(mark)).filter(({ instance }) => instance.id === id)).toEqual([])

    await w.pass(21_000)
    const codes = (await Promise.all(waiting)).map(({ body }) => body.error.code)
    expect(new Set(codes)).toEqual(new Set(['upstream_timeout']))
    await w.pass(10_000)
    expect((await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550177', text: 'Hi' })).status).toBe(201)
  })
})

describe('a client that disconnects in the middle of a body', () => {
  test('leaves nothing in the log, and creates nothing', async () => {
    const logged: unknown[] = []
    const note = (fields: unknown) => void logged.push(fields)
    const w = await worldOfTest({ log: { ...silentLog, warn: note, error: note } })
    const [hostname = '', port] = w.host.split(':')
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /v1/instances HTTP/1.1\r\nHost: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.resetAndDestroy()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect((await w.api('GET', '/v1/instances')).body.count).toBe(0)
    expect(logged).toEqual([])
  })
})
