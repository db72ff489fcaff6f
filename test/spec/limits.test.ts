import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../main/config.ts'
import { LIMITS as OURS } from '../../main/contract/limits.ts'
import { world, worldOfTest, type Reply, type World } from '../support/world.ts'
import { LIMITS } from './tables.ts'

let w: World
let instance: { id: string }

beforeAll(async () => {
  w = await world({ settings: { retryScheduleSeconds: [1, 1, 1, 1, 1, 1, 1] } })
  instance = await w.pair()
})
afterAll(() => w.close())

const ANA = '12025550177'
const HOUR_MS = 3_600_000
const hookOf = (name: string) => ({ url: `https://catcher.sandbox/${name}`, events: ['message.sent'] })
const hook = hookOf('limits')
const code = ({ status, body }: Reply) => `${status} ${body.error.code}`
const pairs = (count: number, keyLength = 2, valueLength = 1) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [String(i).padStart(keyLength, 'k'), 'v'.repeat(valueLength)]),
  )
const send = (headers: Record<string, string> = {}, to = ANA) =>
  w.api('POST', `/v1/instances/${instance.id}/messages`, { to, text: 'Hello' }, { headers })

test('every limit of the specification is the product’s limit', () => {
  const [least, most, usual] = LIMITS.maxInFlight
  expect([least, OURS.maxInFlight, OURS.maxInFlightDefault]).toEqual([1, most, usual])
  expect([OURS.overlapSeconds, OURS.overlapSeconds]).toEqual(LIMITS.overlapSeconds.slice(1))
  expect(OURS).toMatchObject({
    externalRefLength: LIMITS.externalRefLength,
    metadataPairs: LIMITS.metadataPairs,
    requestIdLength: LIMITS.requestIdLength,
    idempotencyKeyLength: LIMITS.idempotencyKeyLength,
    idempotencyHours: LIMITS.idempotencyHours,
    webhooksPerAccount: LIMITS.webhooksPerAccount,
    deliveryTimeoutMs: LIMITS.deliveryTimeoutSeconds * 1_000,
    deliveryAttempts: LIMITS.deliveryAttempts,
    manualRetries: LIMITS.manualRetries,
    consecutiveExhausted: LIMITS.consecutiveExhausted,
    signatureToleranceSeconds: LIMITS.signatureToleranceSeconds,
    batchRecreate: LIMITS.batchRecreate,
  })
  expect(Object.keys(LIMITS).length).toBe(15)
})

describe('a body field at its limit', () => {
  const last = 'r'.repeat(LIMITS.externalRefLength)
  const emoji = '👋'.repeat(LIMITS.externalRefLength)
  /** What is accepted, and the smallest thing beyond it. */
  // oxfmt-ignore
  const EDGES: readonly [name: string, good: readonly object[], bad: readonly object[]][] = [
    ['external_ref', [{ external_ref: last }, { external_ref: emoji }, { external_ref: null }, { external_ref: 'r' }],
      [{ external_ref: `${last}r` }, { external_ref: `${emoji}👋` }, { external_ref: '' }, { external_ref: 5 }]],
    ['metadata', [{ metadata: pairs(LIMITS.metadataPairs) }, { metadata: {} }, { metadata: null }],
      [{ metadata: pairs(LIMITS.metadataPairs + 1) }, { metadata: [] }, { metadata: 'text' }]],
    ['a metadata key', [{ metadata: pairs(1, 64) }, { metadata: { k: '' } }], [{ metadata: pairs(1, 65) }, { metadata: { '': 'v' } }]],
    ['a metadata value', [{ metadata: pairs(1, 2, 1_024) }], [{ metadata: pairs(1, 2, 1_025) }, { metadata: { k: 5 } }, { metadata: { k: null } }]],
    ['name', [{ name: 'n' }, { name: 'n'.repeat(100) }], [{ name: '' }, { name: 'n'.repeat(101) }, { name: null }]],
  ]

  test.each(EDGES)('%s: accepts the last allowed value and refuses the next', async (_name, good, bad) => {
    for (const body of good) {
      const made = await w.api('POST', '/v1/instances', body)
      expect(made.status, made.text).toBe(201)
      expect(made.body).toMatchObject(body)
      await w.api('DELETE', `/v1/instances/${made.body.id}?confirm=true`)
      expect((await w.api('PATCH', `/v1/instances/${instance.id}`, body)).body).toMatchObject(body)
    }
    const { count } = (await w.api('GET', '/v1/instances')).body
    const before = (await w.api('GET', `/v1/instances/${instance.id}`)).text
    const mark = await w.mark()
    for (const body of bad) {
      expect(code(await w.api('POST', '/v1/instances', body)), JSON.stringify(body)).toBe('400 validation_error')
      expect(code(await w.api('PATCH', `/v1/instances/${instance.id}`, body))).toBe('400 validation_error')
    }
    expect(await w.typesSince(mark)).toEqual([])
    expect((await w.api('GET', '/v1/instances')).body.count).toBe(count)
    expect((await w.api('GET', `/v1/instances/${instance.id}`)).text).toBe(before)
  })
})

test('external_ref is unique within an account', async () => {
  await w.instance({ external_ref: 'unique-1' })
  const mark = await w.mark()
  expect(code(await w.api('POST', '/v1/instances', { external_ref: 'unique-1' }))).toBe('409 external_ref_conflict')
  expect(code(await w.api('PATCH', `/v1/instances/${instance.id}`, { external_ref: 'unique-1' }))).toBe(
    '409 external_ref_conflict',
  )
  expect(await w.typesSince(mark)).toEqual([])
  const { key } = await w.stranger()
  expect((await w.api('POST', '/v1/instances', { external_ref: 'unique-1' }, { key })).status).toBe(201)
})

describe('X-Request-Id', () => {
  const echoOf = async (id: string) =>
    (await w.api('GET', '/v1/me', undefined, { headers: { 'x-request-id': id } })).headers['x-request-id']
  const longest = 'Az09._:-'.repeat(LIMITS.requestIdLength / 8)

  test.each(['a', longest])('%s is echoed', async (id) => {
    expect(await echoOf(id)).toBe(id)
  })

  test.each([`${longest}a`, '', 'with space', 'sláva', 'semi;colon', '<script>', 'a/b', 'a,b'])(
    '%j is replaced, and the request is executed',
    async (id) => {
      expect(await echoOf(id)).toMatch(/^req_[0-9A-Z]{26}$/)
    },
  )
})

describe('Idempotency-Key', () => {
  test.each(['k', 'k'.repeat(LIMITS.idempotencyKeyLength)])('accepts 1 and 200 characters', async (key) => {
    const first = await send({ 'idempotency-key': key })
    expect(first.status).toBe(201)
    const again = await send({ 'idempotency-key': key })
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true'])
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
  })

  test.each(['', ' ', 'k'.repeat(LIMITS.idempotencyKeyLength + 1)])('refuses 0 and 201 characters', async (key) => {
    const mark = await w.mark()
    expect(code(await send({ 'idempotency-key': key }))).toBe('400 validation_error')
    expect(await w.typesSince(mark)).toEqual([])
  })

  test('is unique per instance: the same key sends again in another instance', async () => {
    const other = await w.pair()
    const body = { to: ANA, text: 'Hello' }
    const headers = { 'idempotency-key': 'per-instance' }
    const first = await send(headers)
    const second = await w.api('POST', `/v1/instances/${other.id}/messages`, body, { headers })
    expect(second.status).toBe(201)
    expect(second.headers).not.toHaveProperty('idempotent-replayed')
    expect(second.body.message_id).not.toBe(first.body.message_id)
  })

  test('is valid for 24 hours: replays a second before, sends again a second after', async () => {
    const own = await worldOfTest()
    const { id } = await own.pair()
    const post = () =>
      own.api(
        'POST',
        `/v1/instances/${id}/messages`,
        { to: ANA, text: 'Hello' },
        { headers: { 'idempotency-key': 'day' } },
      )
    const madeAt = own.clock.now()
    const first = (await post()).body.message_id
    own.clock.suspend(madeAt + LIMITS.idempotencyHours * HOUR_MS - 1_000 - own.clock.now())
    expect((await post()).body.message_id).toBe(first)
    own.clock.suspend(madeAt + LIMITS.idempotencyHours * HOUR_MS + 1_000 - own.clock.now())
    const second = await post()
    expect(second.body.message_id).not.toBe(first)
    expect(second.headers).not.toHaveProperty('idempotent-replayed')
    expect((await own.api('GET', `/v1/sandbox/phones/${ANA}/messages`)).body.data.length).toBe(2)
  })
})

describe('account webhooks', () => {
  test('are limited to 10: refuses the eleventh until one is deleted', async () => {
    const own = await worldOfTest()
    const ids: string[] = []
    for (let i = 0; i < LIMITS.webhooksPerAccount; i++)
      ids.push((await own.api('POST', '/v1/webhooks', hookOf(`w${i}`))).body.id)
    expect(code(await own.api('POST', '/v1/webhooks', hookOf('w10')))).toBe('409 webhook_limit_reached')
    expect((await own.api('GET', '/v1/webhooks')).body.count).toBe(LIMITS.webhooksPerAccount)
    await own.api('DELETE', `/v1/webhooks/${ids[0] ?? ''}`)
    expect((await own.api('POST', '/v1/webhooks', hookOf('w10'))).status).toBe(201)
    const { key } = await own.stranger()
    expect((await own.api('POST', '/v1/webhooks', hookOf('theirs'), { key })).status).toBe(201)
  })

  test('have max_in_flight from 1 to 64, 8 by default', async () => {
    const [least, most, usual] = LIMITS.maxInFlight
    const made = await w.api('POST', '/v1/webhooks', hook)
    expect(made.body.max_in_flight).toBe(usual)
    const at = `/v1/webhooks/${made.body.id}`
    for (const value of [least, most]) {
      expect((await w.api('PATCH', at, { max_in_flight: value })).body.max_in_flight).toBe(value)
    }
    for (const value of [least - 1, most + 1, 1.5, '8', null]) {
      expect(code(await w.api('PATCH', at, { max_in_flight: value }))).toBe('400 validation_error')
      expect(code(await w.api('POST', '/v1/webhooks', { ...hook, max_in_flight: value }))).toBe('400 validation_error')
    }
    expect((await w.api('GET', at)).body.max_in_flight).toBe(most)
    await w.api('DELETE', at)
  })

  // oxfmt-ignore
  test.each([
    'http://hooks.example.com/x', 'https://127.0.0.1/x', 'https://10.1.2.3/x', 'https://[::1]/x', 'https://localhost/x',
    'https://printer.localhost/x', 'https://169.254.169.254/latest', 'https://user:pass@hooks.example.com/', 'ftp://hooks.example.com/', 'nonsense',
  ])('refuse %s: https only, a public destination', async (url) => {
    const { count } = (await w.api('GET', '/v1/webhooks')).body
    expect(code(await w.api('POST', '/v1/webhooks', { ...hook, url }))).toBe('400 invalid_url')
    expect((await w.api('GET', '/v1/webhooks')).body.count).toBe(count)
  })

  test('accept 1 to 16 distinct types, or exactly ["*"]', async () => {
    const made = await w.api('POST', '/v1/webhooks', { ...hook, events: ['*'] })
    const at = `/v1/webhooks/${made.body.id}`
    for (const events of [
      [],
      ['message.sent', 'message.sent'],
      ['*', 'message.sent'],
      ['message.*'],
      ['Message.Sent'],
      '*',
      null,
    ]) {
      expect(code(await w.api('PATCH', at, { events }))).toBe('400 validation_error')
      expect(code(await w.api('POST', '/v1/webhooks', { ...hook, events }))).toBe('400 validation_error')
    }
    expect((await w.api('GET', at)).body.events).toEqual(['*'])
    await w.api('DELETE', at)
  })
})

describe('overlap_seconds', () => {
  test('is 0 to 86400', async () => {
    const [least, most] = LIMITS.overlapSeconds
    const { id } = (await w.api('POST', '/v1/webhooks', hook)).body
    const rotate = (overlap_seconds?: unknown) => w.api('POST', `/v1/webhooks/${id}/rotate-secret`, { overlap_seconds })
    let last4 = ''
    for (const value of [least, most, undefined]) {
      const { status, body } = await rotate(value)
      expect([status, body.secret.startsWith('whsec_')]).toEqual([200, true])
      last4 = body.secret_last4
    }
    for (const value of [least - 1, most + 1, 0.5, '0', null])
      expect(code(await rotate(value))).toBe('400 validation_error')
    expect((await w.api('GET', `/v1/webhooks/${id}`)).body.secret_last4).toBe(last4)
    await w.api('DELETE', `/v1/webhooks/${id}`)
  })

  test('is 86400 by default: the old secret signs until then, and no longer', async () => {
    const own = await worldOfTest()
    const { id: instanceId } = await own.pair()
    const { id } = (await own.api('POST', '/v1/webhooks', hook)).body
    await own.api('POST', `/v1/webhooks/${id}/rotate-secret`)
    const rotatedAt = own.clock.now()
    const latest = async () => {
      await own.api('POST', `/v1/instances/${instanceId}/messages`, { to: ANA, text: 'Hello' })
      return (await own.caught('limits')).at(-1)?.headers ?? {}
    }
    own.clock.suspend(rotatedAt + LIMITS.overlapSeconds[2] * 1_000 - 1_000 - own.clock.now())
    expect(await latest()).toHaveProperty('x-service-signature-previous')
    own.clock.suspend(rotatedAt + LIMITS.overlapSeconds[2] * 1_000 + 1_000 - own.clock.now())
    expect(await latest()).not.toHaveProperty('x-service-signature-previous')
  })
})

describe('a delivery', () => {
  const cleanly = async (name: string, reply: object, act: (webhook: string) => Promise<void>) => {
    const { id } = (await w.api('POST', '/v1/webhooks', hookOf(name))).body
    await w.api('PUT', `/v1/sandbox/catcher/${name}`, reply)
    await send()
    await act(id)
    await w.api('DELETE', `/v1/webhooks/${id}`)
  }
  const deliveryOf = async (webhook: string) => {
    const { data } = (await w.api('GET', `/v1/webhooks/deliveries?webhook_id=${webhook}`)).body
    return (await w.api('GET', `/v1/webhooks/deliveries/${data[0].id}`)).body
  }

  test('succeeds if the destination answers within 10 seconds', () =>
    cleanly('in-time', { delay_ms: LIMITS.deliveryTimeoutSeconds * 1_000 - 100 }, async (webhook) => {
      await w.clock.advance(11_000)
      expect(await deliveryOf(webhook)).toMatchObject({ status: 'delivered', attempts: 1 })
    }))

  test('is retried if it answers later', () =>
    cleanly('too-late', { delay_ms: LIMITS.deliveryTimeoutSeconds * 1_000 + 100 }, async (webhook) => {
      await w.clock.advance(10_050)
      const delivery = await deliveryOf(webhook)
      expect(delivery).toMatchObject({
        status: 'failed',
        attempts: 1,
        attempt_log: [{ outcome: 'timeout', counted: true }],
      })
      await w.api('PUT', '/v1/sandbox/catcher/too-late', { status: 200 })
      await w.pass(70_000)
      expect(await deliveryOf(webhook)).toMatchObject({ status: 'delivered', attempts: 2 })
    }))

  test('is exhausted after 8 attempts and not attempted again', () =>
    cleanly('never', { status: 500 }, async (webhook) => {
      await w.pass(30_000)
      expect(await deliveryOf(webhook)).toMatchObject({
        status: 'exhausted',
        attempts: LIMITS.deliveryAttempts,
        next_attempt_at: null,
      })
      await w.pass(120_000)
      const bodies = (await w.caught('never')).map(({ body }) => JSON.parse(body))
      expect(bodies.map(({ attempt }) => attempt)).toEqual(
        Array.from({ length: LIMITS.deliveryAttempts }, (_, i) => i + 1),
      )
      expect(new Set(bodies.map(({ event_id }) => event_id)).size).toBe(1)
    }))

  test('can be redelivered by hand 5 times, with the same event_id and a rising attempt', () =>
    cleanly('by-hand', { status: 200 }, async (webhook) => {
      await w.quiet()
      const { id } = await deliveryOf(webhook)
      const retry = () => w.api('POST', `/v1/webhooks/deliveries/${id}/retry`)
      for (let i = 1; i <= LIMITS.manualRetries; i++) {
        expect((await retry()).body).toMatchObject({ attempts: i + 1, manual_retries: i })
        await w.quiet()
      }
      expect(code(await retry())).toBe('409 retry_limit_reached')
      const bodies = (await w.caught('by-hand')).map(({ body }) => JSON.parse(body))
      expect(bodies.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
      expect(new Set(bodies.map(({ event_id }) => event_id)).size).toBe(1)
    }))

  test('is signed when it leaves, with a timestamp younger than 300 seconds', () =>
    cleanly('fresh', { status: 500 }, async (webhook) => {
      await w.pass(3_000)
      await w.api('PATCH', `/v1/webhooks/${webhook}`, { active: false })
      await w.pass(400_000)
      await w.api('PUT', '/v1/sandbox/catcher/fresh', { status: 200 })
      await w.api('PATCH', `/v1/webhooks/${webhook}`, { active: true })
      await w.pass(10_000)
      const caught = await w.caught('fresh')
      expect((await deliveryOf(webhook)).status).toBe('delivered')
      expect(caught.length).toBeGreaterThan(2)
      for (const { received_at, headers, signature } of caught) {
        expect(Math.abs(Date.parse(received_at) / 1_000 - Number(headers['x-service-timestamp']))).toBeLessThanOrEqual(
          1,
        )
        expect(signature).toBe('valid')
      }
    }))
})

test('the eight attempts of a delivery span about 21 hours', () => {
  const machine = { argv: [], env: {}, platform: 'linux', homedir: '/home/me', readFile: () => null } as const
  const { retryScheduleSeconds } = readConfig(machine)
  expect(retryScheduleSeconds.length).toBe(LIMITS.deliveryAttempts - 1)
  const hours = retryScheduleSeconds.reduce((sum, seconds) => sum + seconds, 0) / 3_600
  expect(Math.round(hours)).toBe(LIMITS.deliverySpanHours)
})

describe('a page', () => {
  const LISTS: readonly [path: string, most: number][] = [
    ['/v1/instances', 200],
    [`/v1/instances?updated_since=2026-01-01T00:00:00.000Z`, 500],
    ['/v1/webhooks/deliveries', 200],
    ['/v1/sandbox/phones', 200],
    [`/v1/sandbox/phones/${ANA}/messages`, 200],
    ['/v1/sandbox/catcher/limits', 200],
  ]
  test.each(LISTS)('of %s has at most %i rows', async (path, most) => {
    const ask = (limit: unknown) => w.api('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${String(limit)}`)
    for (const limit of [1, most]) expect((await ask(limit)).status).toBe(200)
    for (const limit of [0, most + 1, -1, 'ten', 1.5, ''])
      expect(code(await ask(limit)), String(limit)).toBe('400 validation_error')
  })
})
