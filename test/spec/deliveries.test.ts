import { createHmac } from 'node:crypto'
import { verify } from '@octokit/webhooks-methods'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startReceiver } from '../support/receiver.ts'
import { world, worldOfTest, type Caught, type World } from '../support/world.ts'
import {
  DELIVERY_HEADERS,
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  ENVELOPE_FIELDS,
  LIMITS,
  WEBHOOK_FIELDS,
} from './tables.ts'

const ANA = '12025550177'
const LINE = '12025550100'

/** What the specification tells receivers to do, written down a second time. */
function isSigned(
  headers: Readonly<Record<string, unknown>>,
  body: string | Buffer,
  secret: string,
  header = 'x-service-signature',
) {
  const digest = createHmac('sha256', secret)
    .update(`${String(headers['x-service-timestamp'])}.`)
    .update(body)
    .digest('hex')
  return headers[header] === `sha256=${digest}`
}

const hook = (name: string, more: object = {}) => ({
  url: `https://catcher.sandbox/${name}`,
  events: ['message.received'],
  ...more,
})
const say = (w: World, text = 'Grüße, 世界 👋\u2028') =>
  w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: LINE, text })

describe('a request to an account webhook', () => {
  let w: World
  let secret: string
  let caught: Caught

  beforeAll(async () => {
    w = await world()
    await w.pair(LINE)
    secret = (await w.api('POST', '/v1/webhooks', hook('plain'))).body.secret
    await say(w)
    caught = (await w.caught('plain'))[0]!
  })
  afterAll(() => w.close())

  test('has exactly the headers of the specification', () => {
    expect(
      Object.keys(caught.headers)
        .filter((name) => name.startsWith('x-'))
        .toSorted(),
    ).toEqual(DELIVERY_HEADERS.toSorted())
    expect(caught.headers['content-type']).toBe('application/json')
  })

  test.each(DELIVERY_HEADERS)('has %s', (name) => {
    expect(caught.headers[name]).toMatch(/\S/)
  })

  test('has the same values in headers and body', () => {
    const event = JSON.parse(caught.body)
    expect(caught.headers['x-service-event-id']).toBe(event.event_id)
    expect(caught.headers['x-service-attempt']).toBe('1')
    expect(event.attempt).toBe(1)
    expect(caught.headers['x-service-timestamp']).toBe(String(Math.floor(w.clock.now() / 1_000)))
    expect(caught.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
    expect(Object.keys(event)).toEqual(expect.arrayContaining([...ENVELOPE_FIELDS]))
  })

  test('is signed over timestamp, dot and exact bytes with the whole secret', async () => {
    expect(secret).toMatch(/^whsec_/)
    expect(isSigned(caught.headers, caught.body, secret)).toBe(true)
    const signed = `${caught.headers['x-service-timestamp'] ?? ''}.${caught.body}`
    expect(await verify(secret, signed, caught.headers['x-service-signature'] ?? '')).toBe(true)
  })

  test('is not signed with part of the secret, nor over re-serialized JSON', () => {
    expect(isSigned(caught.headers, caught.body, secret.slice('whsec_'.length))).toBe(false)
    expect(isSigned(caught.headers, `${caught.body} `, secret)).toBe(false)
    expect(isSigned(caught.headers, JSON.stringify(JSON.parse(caught.body), null, 1), secret)).toBe(false)
  })

  test('contains no API key, cookie or user', () => {
    expect(caught.headers).not.toHaveProperty('authorization')
    expect(caught.headers).not.toHaveProperty('cookie')
    expect(JSON.stringify(caught)).not.toContain(w.allScopes)
  })
})

test('a real TLS receiver gets a POST with the exact bytes and a valid signature', async () => {
  const receiver = await startReceiver()
  const w = await worldOfTest({ receivers: [receiver] })
  await w.pair(LINE)
  const { secret } = (await w.api('POST', '/v1/webhooks', hook('x', { url: receiver.url('/hook?tenant=7') }))).body
  await say(w)
  const [request] = await receiver.waitFor(1)
  expect([request?.method, request?.path]).toEqual(['POST', '/hook?tenant=7'])
  expect(request?.headers).toMatchObject({ host: 'receiver.example', 'content-type': 'application/json' })
  expect(request?.headers['content-length']).toBe(String(request?.body.length))
  expect(isSigned(request!.headers, request!.body, secret)).toBe(true)
  const recorded = (await w.events()).find(({ type }) => type === 'message.received')
  expect(JSON.parse(request!.body.toString())).toEqual(recorded)
  await receiver.close()
})

describe('a redelivery', () => {
  test('differs from the first delivery only in attempt and timestamp', async () => {
    const w = await worldOfTest({ settings: { retryScheduleSeconds: [2, 2, 2, 2, 2, 2, 2] } })
    await w.pair(LINE)
    const { secret } = (await w.api('POST', '/v1/webhooks', hook('again'))).body
    await w.api('PUT', '/v1/sandbox/catcher/again', { status: 503 })
    await say(w)
    await w.pass(63_000)
    await w.api('PUT', '/v1/sandbox/catcher/again', { status: 200 })
    await w.pass(130_000)
    const all = await w.caught('again')
    expect(all.length).toBeGreaterThan(2)
    const masked = all.map(({ body }) => body.replace(/"attempt":\d+/, '"attempt":N'))
    expect(new Set(masked).size).toBe(1)
    expect(all.map(({ headers }) => headers['x-service-attempt'])).toEqual(all.map((_, i) => String(i + 1)))
    expect(all.map(({ body }) => JSON.parse(body).attempt)).toEqual(all.map((_, i) => i + 1))
    expect(new Set(all.map(({ headers }) => headers['x-service-event-id'])).size).toBe(1)
    expect(new Set(all.map(({ headers }) => headers['x-service-timestamp'])).size).toBe(all.length)
    for (const { headers, body, signature } of all) {
      expect(isSigned(headers, body, secret)).toBe(true)
      expect(signature).toBe('valid')
    }
  })

  test('does not follow redirects', async () => {
    const w = await worldOfTest()
    await w.pair(LINE)
    await w.api('POST', '/v1/webhooks', hook('elsewhere'))
    await w.api('PUT', '/v1/sandbox/catcher/elsewhere', { status: 307 })
    await say(w)
    expect((await w.caught('elsewhere')).length).toBe(1)
    const [delivery] = (await w.api('GET', '/v1/webhooks/deliveries')).body.data
    expect(delivery).toMatchObject({ status: 'failed', last_status_code: 307 })
  })
})

describe('the secret', () => {
  let w: World
  beforeAll(async () => {
    w = await world()
    await w.pair(LINE)
  })
  afterAll(() => w.close())

  test('is shown on creation and rotation only; later, its last four characters are', async () => {
    const made = (await w.api('POST', '/v1/webhooks', hook('shown'))).body
    const at = `/v1/webhooks/${made.id}`
    const rotated = (await w.api('POST', `${at}/rotate-secret`, {})).body
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.secret).not.toBe(made.secret)
    await say(w)
    await w.quiet()
    const [delivery] = (await w.api('GET', `/v1/webhooks/deliveries?webhook_id=${made.id}`)).body.data
    for (const answer of [
      await w.api('GET', at),
      await w.api('PATCH', at, { description: 'x' }),
      await w.api('GET', '/v1/webhooks'),
      await w.api('GET', `/v1/webhooks/deliveries/${delivery.id}`),
      await w.api('GET', '/v1/sandbox/catcher/shown'),
    ]) {
      expect(answer.text).not.toContain(made.secret)
      expect(answer.text).not.toContain(rotated.secret)
    }
    const read = (await w.api('GET', at)).body
    expect(read.secret_last4).toBe(rotated.secret.slice(-4))
    for (const field of WEBHOOK_FIELDS) expect(read).toHaveProperty(field)
    const stored = JSON.stringify(await w.rows('SELECT * FROM webhooks'), (_key, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    )
    expect(stored).not.toContain(rotated.secret)
    await w.api('DELETE', at)
  })

  test('signs in a second header with the previous secret during the overlap', async () => {
    const { id, secret: first } = (await w.api('POST', '/v1/webhooks', hook('overlap'))).body
    const { secret: second } = (await w.api('POST', `/v1/webhooks/${id}/rotate-secret`, { overlap_seconds: 60 })).body
    await say(w)
    const during = (await w.caught('overlap')).at(-1)!
    expect(isSigned(during.headers, during.body, second)).toBe(true)
    expect(isSigned(during.headers, during.body, first, 'x-service-signature-previous')).toBe(true)
    await w.pass(61_000)
    await say(w)
    const after = (await w.caught('overlap')).at(-1)!
    expect(isSigned(after.headers, after.body, second)).toBe(true)
    expect(after.headers).not.toHaveProperty('x-service-signature-previous')
    await w.api('DELETE', `/v1/webhooks/${id}`)
  })

  test('replaces the previous secret immediately with overlap 0, and keeps only the latest', async () => {
    const { id } = (await w.api('POST', '/v1/webhooks', hook('twice'))).body
    const rotate = async (overlap_seconds: number) =>
      (await w.api('POST', `/v1/webhooks/${id}/rotate-secret`, { overlap_seconds })).body.secret
    const [second, third] = [await rotate(60), await rotate(60)]
    await say(w)
    const twice = (await w.caught('twice')).at(-1)!
    expect(isSigned(twice.headers, twice.body, third)).toBe(true)
    expect(isSigned(twice.headers, twice.body, second, 'x-service-signature-previous')).toBe(true)
    const fourth = await rotate(0)
    await say(w)
    const alone = (await w.caught('twice')).at(-1)!
    expect(isSigned(alone.headers, alone.body, fourth)).toBe(true)
    expect(alone.headers).not.toHaveProperty('x-service-signature-previous')
    await w.api('DELETE', `/v1/webhooks/${id}`)
  })
})

describe('the statuses of a delivery', () => {
  let w: World
  const ids = new Map<string, string>()

  beforeAll(async () => {
    w = await world({ settings: { retryScheduleSeconds: [1, 1, 1, 1, 1, 1, 1] } })
    await w.pair(LINE)
    const make = async (name: string, more: object, reply: object) => {
      ids.set(name, (await w.api('POST', '/v1/webhooks', hook(name, more))).body.id)
      await w.api('PUT', `/v1/sandbox/catcher/${name}`, reply)
    }
    await make('exhausted', {}, { status: 500 })
    await say(w)
    await w.pass(15_000)
    await w.api('PATCH', `/v1/webhooks/${ids.get('exhausted') ?? ''}`, { active: false })
    await make('delivered', {}, { status: 201 })
    await make('failed', {}, { status: 500 })
    await make('pending', { active: false }, {})
    await say(w)
    await w.quiet()
  })
  afterAll(() => w.close())

  test.each(DELIVERY_STATUSES)('%s occurs and can be filtered by', async (status) => {
    const { data } = (await w.api('GET', `/v1/webhooks/deliveries?status=${status}`)).body
    expect(data.length).toBeGreaterThan(0)
    expect(new Set(data.map((one: { status: string }) => one.status))).toEqual(new Set([status]))
    expect(data.map((one: { webhook_id: string }) => one.webhook_id)).toContain(ids.get(status))
  })

  test('are exactly these four', async () => {
    const { data } = (await w.api('GET', '/v1/webhooks/deliveries')).body
    expect(new Set(data.map((one: { status: string }) => one.status))).toEqual(new Set(DELIVERY_STATUSES))
    expect((await w.api('GET', '/v1/webhooks/deliveries?status=lost')).body.error.code).toBe('validation_error')
  })

  test('include the log of each attempt', async () => {
    const { data } = (await w.api('GET', '/v1/webhooks/deliveries?status=exhausted')).body
    const detail = (await w.api('GET', `/v1/webhooks/deliveries/${data[0].id}`)).body
    expect(
      detail.attempt_log.map(({ attempt, outcome, status_code, counted }: Record<string, unknown>) => [
        attempt,
        outcome,
        status_code,
        counted,
      ]),
    ).toEqual(Array.from({ length: LIMITS.deliveryAttempts }, (_, i) => [i + 1, 'http_error', 500, true]))
    expect(detail.payload.event_id).toBe(detail.event_id)
  })

  test('can be filtered by webhook, instance, type and time', async () => {
    const count = async (query: string) => (await w.api('GET', `/v1/webhooks/deliveries?${query}`)).body.data.length
    const all = await count('')
    const [instance] = (await w.api('GET', '/v1/instances')).body.data
    expect(await count(`webhook_id=${ids.get('exhausted') ?? ''}`)).toBe(2)
    expect(await count(`instance_id=${instance.id}`)).toBe(all)
    expect(await count('instance_id=0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60')).toBe(0)
    expect(await count('event_type=message.received')).toBe(all)
    expect(await count('event_type=message.sent')).toBe(0)
    expect(await count(`since=${new Date(w.clock.now() - 5_000).toISOString()}`)).toBe(all - 1)
    expect(await count(`since=${new Date(w.clock.now() + 1_000).toISOString()}`)).toBe(0)
  })

  test('pages contain every delivery once, newest first', async () => {
    const { data } = (await w.api('GET', '/v1/webhooks/deliveries')).body
    const all = data.map(({ id }: { id: string }) => id)
    const times = data.map((one: { created_at: string }) => one.created_at)
    expect(times).toEqual(times.toSorted().toReversed())
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: any = (
        await w.api('GET', `/v1/webhooks/deliveries?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).body
      paged.push(...page.data.map(({ id }: { id: string }) => id))
      expect(page.has_more).toBe(page.next_cursor !== null)
      cursor = page.next_cursor
    }
    expect(paged).toEqual(all)
  })
})

test('a webhook is deactivated only for the reasons of the specification', async () => {
  const w = await worldOfTest()
  const { components } = parse((await w.api('GET', '/openapi.yaml')).text)
  const { disabled_reason: reason } = components.schemas.Webhook.properties
  const [values] = reason.anyOf.filter((one: { type?: string }) => one.type !== 'null')
  expect(values.enum).toEqual(DISABLED_REASONS)
})
