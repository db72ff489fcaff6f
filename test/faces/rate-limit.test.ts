import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRateLimiter } from '../../main/faces/rate-limit.ts'
import { fakeClock } from '../support/clock.ts'
import { world, worldOfTest, type Reply, type World } from '../support/world.ts'
import { cpuTime } from '../support/cpu-time.ts'

/** Only the time between two moments matters to a bucket; nothing waits for a timer here. */
function stopwatch() {
  let ms = 0
  return { ...fakeClock(), mono: () => ms, pass: (more: number) => void (ms += more) }
}

describe('a rate limit bucket', () => {
  test('holds the requests of a minute, refuses the next, and says how long to wait', () => {
    const limiter = createRateLimiter(stopwatch())
    for (let i = 1; i <= 600; i++) {
      expect(limiter.take('k', 600)).toEqual({ allowed: true, limit: 600, remaining: 600 - i, retryAfterSeconds: 0 })
    }
    expect(limiter.take('k', 600)).toEqual({ allowed: false, limit: 600, remaining: 0, retryAfterSeconds: 1 })
  })

  test('refills evenly: one at a time, not all at the end of a minute', () => {
    const clock = stopwatch()
    const limiter = createRateLimiter(clock)
    for (let i = 0; i < 60; i++) limiter.take('k', 60)
    clock.pass(999)
    expect(limiter.take('k', 60).allowed).toBe(false)
    clock.pass(1)
    expect(limiter.take('k', 60).allowed).toBe(true)
    expect(limiter.take('k', 60).allowed).toBe(false)
    clock.pass(30_000)
    expect(limiter.peek('k', 60).remaining).toBe(30)
  })

  test('of one request a minute returns a wait of 60 seconds', () => {
    const limiter = createRateLimiter(stopwatch())
    expect(limiter.take('k', 1).allowed).toBe(true)
    expect(limiter.take('k', 1).retryAfterSeconds).toBe(60)
  })

  test('is not changed by a peek, or by another bucket', () => {
    const limiter = createRateLimiter(stopwatch())
    limiter.take('a', 2)
    for (let i = 0; i < 10; i++) expect(limiter.peek('a', 2)).toMatchObject({ allowed: true, remaining: 1 })
    for (let i = 0; i < 10; i++) limiter.take('b', 2)
    expect(limiter.take('a', 2).allowed).toBe(true)
  })

  test('is not charged for refused requests', () => {
    const clock = stopwatch()
    const limiter = createRateLimiter(clock)
    for (let i = 0; i < 1_000; i++) limiter.take('k', 60)
    clock.pass(1_000)
    expect(limiter.take('k', 60).allowed).toBe(true)
  })

  test('gets back what is returned, and never exceeds its size', () => {
    const limiter = createRateLimiter(stopwatch())
    for (let i = 0; i < 5; i++) limiter.take('k', 5)
    limiter.giveBack('k', 5)
    expect([limiter.take('k', 5).allowed, limiter.take('k', 5).allowed]).toEqual([true, false])
    for (let i = 0; i < 20; i++) limiter.giveBack('k', 5)
    limiter.giveBack('never taken', 5)
    expect([limiter.peek('k', 5).remaining, limiter.peek('never taken', 5).remaining]).toEqual([5, 5])
  })

  const steps = fc.array(fc.record({ waitMs: fc.nat(5_000), asks: fc.nat(20) }), { maxLength: 40 })

  test('never lets more through than its size plus refills, in any rhythm', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), steps, (perMinute, rhythm) => {
        const clock = stopwatch()
        const limiter = createRateLimiter(clock)
        let allowed = 0
        for (const { waitMs, asks } of rhythm) {
          clock.pass(waitMs)
          for (let i = 0; i < asks; i++) {
            const before = limiter.peek('k', perMinute)
            const verdict = limiter.take('k', perMinute)
            expect(verdict.allowed).toBe(before.allowed)
            expect(verdict.remaining).toBe(verdict.allowed ? before.remaining - 1 : 0)
            expect(verdict.remaining).toBeGreaterThanOrEqual(0)
            expect(verdict.remaining).toBeLessThan(perMinute)
            if (verdict.allowed) allowed++
            else expect(verdict.retryAfterSeconds).toBeGreaterThanOrEqual(1)
          }
          expect(allowed).toBeLessThanOrEqual(perMinute + (clock.mono() * perMinute) / 60_000 + 1e-6)
        }
      }),
      { seed: 7, numRuns: 100 },
    )
  })

  test('lets the next request through after exactly the returned wait, which is not a second too long', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.nat(3_000), (perMinute, earlierMs) => {
        const clock = stopwatch()
        const limiter = createRateLimiter(clock)
        for (let i = 0; i < perMinute; i++) limiter.take('k', perMinute)
        clock.pass(earlierMs)
        let verdict = limiter.take('k', perMinute)
        for (let i = 0; verdict.allowed && i <= perMinute; i++) verdict = limiter.take('k', perMinute)
        clock.pass(verdict.retryAfterSeconds * 1_000)
        expect(limiter.peek('k', perMinute).allowed).toBe(true)
        expect(verdict.retryAfterSeconds).toBeLessThanOrEqual(Math.ceil(60 / perMinute))
      }),
      { seed: 7, numRuns: 50 },
    )
  })

  test('R-05 for 100,000 callers stays separate, and costs no extra time', async () => {
    const clock = stopwatch()
    const limiter = createRateLimiter(clock)
    limiter.take('valued', 2)
    limiter.take('valued', 2)
    const ask = () => {
      for (let i = 0; i < 100_000; i++) {
        if (!limiter.take(`address:${i}`, 60).allowed) expect.fail(`caller ${i} was refused`)
        if (i % 1_000 === 0) clock.pass(10)
      }
    }
    expect(await cpuTime(ask)).toBeLessThan(2_000)
    // A sweep forgets full buckets only: this one is not, and stays empty.
    expect(limiter.take('valued', 2).allowed).toBe(false)
  })
})

const me = (w: World, key: string) => w.api('GET', '/v1/me', undefined, { key })
const figures = ({ headers }: Reply) => [Number(headers['x-ratelimit-limit']), Number(headers['x-ratelimit-remaining'])]

describe('the rate limit of a key', () => {
  let w: World
  beforeAll(async () => {
    w = await world({ settings: { ratePerMinute: 600 } })
  })
  afterAll(() => w.close())

  test('R-01 is 600 a minute by default; request 601 is refused with Retry-After 1', async () => {
    const { key } = await w.key()
    const statuses: number[] = []
    for (let i = 1; i <= 620; i++) {
      const answer = await me(w, key)
      statuses.push(answer.status)
      expect(figures(answer)).toEqual([600, Math.max(0, 600 - i)])
      if (answer.status === 429) {
        expect(answer.headers['retry-after']).toBe('1')
        expect(answer.body.error).toMatchObject({ code: 'rate_limited', retryable: true })
      }
    }
    expect(statuses.indexOf(429)).toBe(600)
    expect(statuses.slice(600)).toEqual(Array(20).fill(429))
    await w.clock.advance(1_000)
    const again: number[] = []
    for (let i = 0; i < 12; i++) again.push((await me(w, key)).status)
    expect(again).toEqual([...Array(10).fill(200), 429, 429])
  })

  test('R-02 is separate: one of 50 keys can exceed it without any effect on the others', async () => {
    const keys = await Promise.all(Array.from({ length: 50 }, () => w.key({ rate: 20 })))
    const [abusive = { key: '' }, ...others] = keys
    const spent: number[] = []
    const ask = async ({ key }: { key: string }) => (await me(w, key)).status
    for (let round = 0; round < 20; round++) {
      const bad = Promise.all(Array.from({ length: 10 }, () => ask(abusive)))
      expect(new Set(await Promise.all(others.map(ask)))).toEqual(new Set([200]))
      spent.push(...(await bad))
    }
    expect([spent.filter((s) => s === 200).length, spent.filter((s) => s === 429).length]).toEqual([20, 180])
  })

  test.each([1, 1_000_000])('may be %i a minute', async (rate) => {
    const { key } = await w.key({ rate })
    expect(figures(await me(w, key))).toEqual([rate, rate - 1])
  })

  test('is spent by every answer alike, an error or not', async () => {
    const { key } = await w.key({ rate: 6, scopes: ['instances:write'] })
    const ask = (method: string, path: string, body?: unknown) => w.api(method, path, body, { key })
    const answers = [
      await ask('GET', '/v1/me'),
      await ask('GET', '/v1/instances'),
      await ask('GET', '/nothing'),
      await ask('POST', '/v1/instances', '{'),
      await ask('PUT', '/v1/me', {}),
      await ask('POST', '/v1/instances', 'x'.repeat(2 * 1024 * 1024 + 1)),
      await ask('GET', '/v1/me'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 404, 400, 405, 413, 429])
    expect(answers.map((answer) => figures(answer)[1])).toEqual([5, 4, 3, 2, 1, 0, 0])
  })

  test('is spent by a replay like by any request', async () => {
    const { id } = await w.pair()
    const { key } = await w.key({ rate: 2 })
    const send = () =>
      w.api(
        'POST',
        `/v1/instances/${id}/messages`,
        { to: '12025550177', text: 'Hi' },
        { key, headers: { 'idempotency-key': 'r' } },
      )
    expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([201, 201, 429])
  })

  test('is not spent by a foreign Host or Origin, which anybody’s page could send', async () => {
    const { key } = await w.key({ rate: 2 })
    for (let i = 0; i < 10; i++)
      await w.api('GET', '/v1/me', undefined, { key, headers: { origin: 'https://evil.example' } })
    expect(figures(await me(w, key))).toEqual([2, 1])
  })

  test('is spent once by a request to /mcp, whatever happens inside', async () => {
    const { key } = await w.key({ rate: 5 })
    const headers = { accept: 'application/json, text/event-stream' }
    const answer = await w.wire('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'nonsense' }, { key, headers })
    expect(figures(answer)).toEqual([5, 4])
    expect(figures(await me(w, key))).toEqual([5, 3])
  })

  test('R-04 does not change when the system clock is set: nobody is locked out, nobody gets more', async () => {
    const own = await worldOfTest()
    const { key } = await own.key({ rate: 3 })
    for (let i = 0; i < 3; i++) await me(own, key)
    const now = own.clock.now()
    for (const days of [1, -1, 3_650, -3_650, 0]) {
      own.clock.set(now + days * 86_400_000)
      const answer = await me(own, key)
      expect([answer.status, answer.headers['retry-after']], `${days} days`).toEqual([429, '20'])
    }
    await own.clock.advance(20_000)
    expect((await me(own, key)).status).toBe(200)
  })
})

describe('without a valid key', () => {
  const anonymous = async () => worldOfTest({ settings: { anonymousRatePerMinute: 60 } })
  const knock = (w: World, key: string | null = null) => w.api('GET', '/v1/me', undefined, { key })

  test('an address may send 60 requests a minute, with or without an invalid key', async () => {
    const w = await anonymous()
    for (let i = 1; i <= 60; i++) {
      const answer = await knock(w, i % 2 === 0 ? null : `swb_${'x'.repeat(i)}`)
      expect([answer.status, ...figures(answer)]).toEqual([401, 60, 60 - i])
    }
    const refused = await knock(w)
    expect([refused.status, refused.body.error.code, refused.headers['retry-after']]).toEqual([
      429,
      'rate_limited',
      '1',
    ])
    expect((await w.api('GET', '/openapi.yaml', undefined, { key: null })).status).toBe(429)
    expect((await w.api('GET', '/nothing', undefined, { key: null })).status).toBe(429)
  })

  test('R-05 a valid key is not affected by them, even from the same address', async () => {
    const w = await anonymous()
    const { key } = await w.key({ rate: 100 })
    for (let i = 0; i < 2_000; i++) await knock(w, `swb_${i}`)
    expect(figures(await me(w, key))).toEqual([100, 99])
    expect((await knock(w)).status).toBe(429)
  })

  test('pages that need no key spend from the same bucket', async () => {
    const w = await anonymous()
    expect(figures(await w.api('GET', '/onboard/unknown', undefined, { key: null }))).toEqual([60, 59])
    expect(figures(await w.api('GET', '/openapi.yaml', undefined, { key: null }))).toEqual([60, 58])
    expect(figures(await w.api('GET', '/openapi.yaml'))).toEqual([1_000_000, 999_999])
  })

  test('bytes that never became a request get the same headers', async () => {
    const w = await anonymous()
    await knock(w)
    expect(await w.raw('nonsense\r\n\r\n')).toContain('x-ratelimit-limit: 60')
  })
})

/** In the order of the requests, each on a real socket: the clock stands still, so every figure can be told beforehand. */
describe('R-03 the rate limit headers of every kind of answer', () => {
  const [OF_KEY, OF_ADDRESS] = [40, 30]
  type Row = readonly [status: number, name: string, ask: (w: World, key: string) => Promise<Reply>]

  const get =
    (path: string, headers = {}) =>
    (w: World, key: string) =>
      w.wire('GET', path, undefined, { key, headers })
  const asking =
    (method: string, path: string, body?: unknown, headers = {}) =>
    (w: World, key: string) =>
      w.wire(method, path, body, { key, headers })
  const json = { 'content-type': 'application/json' }
  const UNKNOWN = '/v1/instances/0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'

  // oxfmt-ignore
  const SPENT_BY_KEY: readonly Row[] = [
    [200, 'a read', get('/v1/me')],
    [200, 'a HEAD', asking('HEAD', '/v1/me')],
    [200, 'a page that needs no key', get('/openapi.yaml')],
    [201, 'a creation', asking('POST', '/v1/instances', {})],
    [400, 'a wrong field', asking('POST', '/v1/instances', { name: 5 })],
    [400, 'no JSON', asking('POST', '/v1/instances', '{')],
    [400, 'a cursor that is none', get('/v1/instances?cursor=x')],
    [403, 'a missing scope', get('/v1/webhooks')],
    [404, 'an unknown id', get(UNKNOWN)],
    [404, 'an unknown path', get('/v1/nothing')],
    [404, 'a path that is no percent-encoding', get('/v1/instances/%E0%A4%A')],
    [404, 'an id that is too long', get(`/v1/instances/${'x'.repeat(2_000)}`)],
    [404, 'OPTIONS for the server as a whole', asking('OPTIONS', '*')],
    [405, 'a wrong method', asking('PUT', '/v1/me', {})],
    [405, 'a method of WebDAV', asking('PROPFIND', '/v1/me')],
    [413, 'a body that is too large by its own word', asking('POST', '/v1/instances', 'x'.repeat(2 * 1024 * 1024 + 1))],
    [413, 'a body that turns out too large', asking('POST', '/v1/instances', `"${'x'.repeat(2 * 1024 * 1024)}"`, { 'transfer-encoding': 'chunked' })],
    [415, 'a body of another type', asking('POST', '/v1/instances', 'x', { 'content-type': 'text/plain' })],
    [200, 'an expectation nobody knows', get('/v1/me', { expect: 'the-inquisition' })],
    [400, 'JSON-RPC that is none', asking('POST', '/mcp', 'nonsense', { ...json, accept: 'application/json, text/event-stream' })],
  ]
  // oxfmt-ignore
  const SPENT_BY_ADDRESS: readonly Row[] = [
    [401, 'no key', (w) => w.wire('GET', '/v1/me', undefined, { key: null })],
    [401, 'a wrong key', (w) => w.wire('GET', '/v1/me', undefined, { key: 'swb_nobody' })],
    [401, 'a wrong key on a page that needs none', (w) => w.wire('GET', '/openapi.yaml', undefined, { key: 'swb_nobody' })],
    [401, 'no key on an unknown path', (w) => w.wire('GET', '/nothing', undefined, { key: null })],
    [401, 'no key on a path that is no percent-encoding', (w) => w.wire('GET', '/%E0%A4%A', undefined, { key: null })],
    [401, 'no key with a wrong method', (w) => w.wire('PUT', '/v1/me', {}, { key: null })],
    [401, 'no key with a body that is too large', (w) => w.wire('POST', '/v1/instances', 'x'.repeat(2 * 1024 * 1024 + 1), { key: null })],
    [401, 'no key at /mcp', (w) => w.wire('POST', '/mcp', {}, { key: null })],
    [200, 'a page that needs no key', (w) => w.wire('GET', '/openapi.yaml', undefined, { key: null })],
  ]
  // oxfmt-ignore
  const SPENT_BY_NOBODY: readonly Row[] = [
    [403, 'a foreign Host', get('/v1/me', { host: 'rebound.example' })],
    [403, 'a foreign Origin', get('/v1/me', { origin: 'https://evil.example' })],
    [431, 'headers of more than 16 KiB', get('/v1/me', { 'x-padding': 'x'.repeat(16_500) })],
  ]
  const BYTES = [
    ['a line of nonsense', 'hello\r\n\r\n'],
    ['a method that does not exist', 'BREW /v1/me HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a version from the future', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd'],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\n${'X-Pad: yyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(800)}`],
  ] as const

  test('are exact, come from the bucket of the caller, and appear once', async () => {
    const settings = { anonymousRatePerMinute: OF_ADDRESS }
    const w = await worldOfTest({ settings })
    const { key } = await w.key({ rate: OF_KEY, scopes: ['instances:read', 'instances:write'] })
    const left = { key: OF_KEY, address: OF_ADDRESS }
    const hear = async ([status, name, ask]: Row, figuresThen: () => [number, number]) => {
      const answer = await ask(w, key)
      expect([answer.status, ...figures(answer)], `${name}: ${answer.text.slice(0, 200)}`).toEqual([
        status,
        ...figuresThen(),
      ])
    }
    for (const row of SPENT_BY_KEY) await hear(row, () => [OF_KEY, --left.key])
    for (const row of SPENT_BY_ADDRESS) await hear(row, () => [OF_ADDRESS, --left.address])
    for (const row of SPENT_BY_NOBODY) await hear(row, () => [OF_ADDRESS, left.address])
    for (const [name, bytes] of BYTES) {
      const heard = await w.raw(bytes)
      for (const line of [`limit: ${OF_ADDRESS}`, `remaining: ${left.address}`])
        expect(heard.split(`x-ratelimit-${line}\r\n`), name).toHaveLength(2)
      expect(heard.match(/x-ratelimit-/gi), name).toHaveLength(2)
    }
    await hear([200, 'a read', get('/v1/me')], () => [OF_KEY, --left.key])
  })

  test('are 0 with Retry-After for every request once the bucket is empty', async () => {
    const w = await worldOfTest({ settings: { anonymousRatePerMinute: 1 } })
    const { key } = await w.key({ rate: 1, scopes: ['instances:read', 'instances:write'] })
    await me(w, key)
    await w.wire('GET', '/v1/me', undefined, { key: null })
    for (const [, name, ask] of [...SPENT_BY_KEY, ...SPENT_BY_ADDRESS]) {
      const answer = await ask(w, key)
      expect([answer.status, ...figures(answer), answer.headers['retry-after']], name).toEqual([429, 1, 0, '60'])
    }
  })
})

test('R-04 setting the system clock back by years locks nobody out', async () => {
  const w = await worldOfTest({ settings: { anonymousRatePerMinute: 5 } })
  const { key } = await w.key({ rate: 50, expiresAtMs: w.clock.now() + 60_000 })
  const instance = await w.instance()
  expect((await me(w, key)).status).toBe(200)
  w.clock.set(w.clock.now() - 10 * 365 * 86_400_000)
  for (let i = 0; i < 10; i++) expect((await me(w, key)).status).toBe(200)
  const { key: later } = await w.key({ instances: [instance.id] })
  expect((await me(w, later)).status).toBe(200)
  expect((await w.api('PATCH', `/v1/instances/${instance.id}`, { name: 'Still here' }, { key: later })).status).toBe(
    200,
  )
  for (let i = 0; i < 5; i++) expect((await w.api('GET', '/healthz', undefined, { key: null })).status).toBe(200)
  await w.clock.advance(12_000)
  expect((await w.api('GET', '/healthz', undefined, { key: null })).status).toBe(200)
})
