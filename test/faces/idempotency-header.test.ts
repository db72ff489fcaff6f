import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readIdempotencyKey } from '../../main/faces/idempotency-header.ts'
import { cpuTime } from '../support/cpu-time.ts'
import { OPERATIONS } from '../support/operations.ts'
import { world, type Reply, type World } from '../support/world.ts'

const read = (...values: string[]) =>
  readIdempotencyKey(['Host', 'x', ...values.flatMap((value) => ['idempotency-KEY', value])])
/** As Node gives header bytes to a program. */
const asBytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

describe('the Idempotency-Key header', () => {
  test('is found in any case, and is null when absent', () => {
    expect(readIdempotencyKey(['Idempotency-Key', 'a'])).toBe('a')
    expect(readIdempotencyKey(['IDEMPOTENCY-KEY', 'a'])).toBe('a')
    expect(readIdempotencyKey(['Host', 'Idempotency-Key'])).toBeNull()
    expect(readIdempotencyKey([])).toBeNull()
  })

  test('with 16 kB of spaces inside is parsed quickly', async () => {
    const value = `a${' '.repeat(16_384)}b`
    const ask = () => {
      for (let i = 0; i < 10; i++) expect(() => read(value)).toThrow('Idempotency-Key')
    }
    expect(await cpuTime(ask)).toBeLessThan(250)
  })

  test('is trimmed of spaces and tabs, and of nothing else', () => {
    expect(read(' \ta b\t ')).toBe('a b')
    expect(read('\u00a0a\u00a0')).toBe('\u00a0a\u00a0')
    expect(read(asBytes('à'))).toBe('à')
  })

  test('is read as UTF-8 if valid, so that the same text finds it in a query, and unchanged otherwise', () => {
    expect(read(asBytes('заказ-42 ☎'))).toBe('заказ-42 ☎')
    expect(read('\xe9')).toBe('é')
    expect(read('заказ')).toBe('заказ')
  })

  test.each([
    [''],
    [' '],
    ['\t'],
    ['k'.repeat(201)],
    [asBytes('é'.repeat(201))],
    ['a\u0000b'],
    ['a\u001fb'],
    ['a\u007fb'],
    ['a\nb'],
  ])('is refused when it is empty, too long or contains a control character (%j)', (value) => {
    expect(() => read(value)).toThrow(/^Idempotency-Key must /)
  })

  test('counts characters, not bytes', () => {
    expect(read(asBytes('é'.repeat(200)))).toBe('é'.repeat(200))
  })

  test('is refused when it is sent twice, whether the same or not', () => {
    expect(() => read('a', 'b')).toThrow(/more than once/)
    expect(() => read('a', 'a')).toThrow(/more than once/)
    expect(() => read('', 'a')).toThrow(/more than once/)
  })

  test('is always either a key of 1 to 200 characters or refused', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 250, unit: 'binary' }), (value) => {
        try {
          expect(read(value)).toMatch(/^[^]{1,200}$/)
        } catch (error) {
          expect(error).toMatchObject({ code: 'validation_error' })
        }
      }),
      { seed: 11, numRuns: 3_000 },
    )
  })
})

describe('in requests', () => {
  let w: World
  let id: string
  beforeAll(async () => {
    w = await world()
    id = (await w.pair()).id
  })
  afterAll(() => w.close())

  const send = (body: unknown, key: string, instance = id): Promise<Reply> =>
    w.wire('POST', `/v1/instances/${instance}/messages`, body, { headers: { 'idempotency-key': key } })
  const isReplay = ({ status, headers }: Reply) => status === 201 && headers['idempotent-replayed'] === 'true'

  test('the same value is a replay, however the JSON is written; another value is a conflict', async () => {
    const first = await send('{"to":"12025550177","text":"Olá 👋"}', 'meaning')
    expect(first.status).toBe(201)
    for (const same of [
      '{"text":"Olá 👋","to":"12025550177"}',
      ' {\n"to" : "12025550177" ,\t"text":"Olá 👋" } ',
      String.raw`{"to":"12025550177","text":"Ol\u00e1 \ud83d\udc4b"}`,
      String.raw`{"\u0074o":"12025550177","text":"Olá 👋"}`,
    ]) {
      const again = await send(same, 'meaning')
      expect(isReplay(again), same).toBe(true)
      expect(again.text).toBe(first.text)
      expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    }
    for (const other of [
      '{"to":"12025550177","text":"Ola 👋"}',
      '{"to":"12025550178","text":"Olá 👋"}',
      '{"to":"12025550177","text":"Olá 👋 "}',
    ]) {
      expect((await send(other, 'meaning')).body.error.code).toBe('idempotency_conflict')
    }
    expect((await w.api('GET', '/v1/sandbox/phones/12025550177/messages')).body.data.length).toBe(1)
  })

  test.each([
    'a b c',
    "'; DROP TABLE messages; --",
    '%00',
    '{"json":true}',
    '\x80\xff',
    '☎ заказ',
    '💌',
    'a,b',
    '"quoted"',
    '../..',
    '__proto__',
  ])('the key %s works, is shown in the record and finds the message', async (key) => {
    // Bytes, as a client in any language sends them.
    const header = Buffer.from(key, 'latin1').toString('latin1') === key ? key : asBytes(key)
    const body = { to: '12025550177', text: `for ${key}` }
    const first = await send(body, header)
    expect(first.status, first.text).toBe(201)
    expect(isReplay(await send(body, header))).toBe(true)
    const found = await w.wire('GET', `/v1/instances/${id}/messages?idempotency_key=${encodeURIComponent(key)}`)
    expect(found.body).toMatchObject({ message_id: first.body.message_id, idempotency_key: key })
  })

  test('two headers are refused, although Node would join them to one key', async () => {
    const body = '{"to":"12025550177","text":"Hi"}'
    const head = `POST /v1/instances/${id}/messages HTTP/1.1\r\nHost: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n`
    const mark = await w.mark()
    const heard = await w.raw(`${head}Idempotency-Key: a\r\nIdempotency-Key: b\r\n\r\n${body}`)
    expect(heard).toMatch(/^HTTP\/1\.1 400 /)
    expect(heard).toContain('more than once')
    expect(await w.typesSince(mark)).toEqual([])
  })

  test('it is used by operations that create or send, and ignored by all others, even when invalid', async () => {
    const taking = OPERATIONS.filter(({ idempotencyKey }) => idempotencyKey === true).map((operation) => operation.id)
    expect(taking.toSorted()).toEqual([
      ...['callEngine', 'createAccessLink', 'createCampaign', 'createCheckout', 'createGroupChat', 'createInstance'],
      ...['createPurchase', 'createSubAccount', 'createVoiceWidget', 'scheduleVoiceCall', 'scheduleVoiceCallBatch'],
      ...['sendMessage', 'sendRawMessage', 'startNumberCheck', 'testCampaign'],
    ])
    const headers = { 'idempotency-key': 'x'.repeat(500) }
    expect((await w.api('GET', '/v1/me', undefined, { headers })).status).toBe(200)
    expect((await w.api('PATCH', `/v1/instances/${id}`, { name: 'New' }, { headers })).status).toBe(200)
    const hook = { url: 'https://catcher.sandbox/k', events: ['*'] }
    const made = await Promise.all(
      [1, 2].map(() => w.api('POST', '/v1/webhooks', hook, { headers: { 'idempotency-key': 'same' } })),
    )
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(2)
  })

  test('creating an instance twice with one key creates one instance, and the same key on another operation conflicts', async () => {
    const create = (body: object, key = 'make') =>
      w.api('POST', '/v1/instances', body, { headers: { 'idempotency-key': key } })
    const mark = await w.mark()
    const first = await create({ name: 'Once' })
    const again = await create({ name: 'Once' })
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true'])
    expect(await w.typesSince(mark)).toEqual(['instance.created'])
    expect((await create({ name: 'Twice' })).body.error.code).toBe('idempotency_conflict')
    // Messages have keys of their own, one set for each instance.
    expect((await send({ to: '12025550177', text: 'Hi' }, 'make')).status).toBe(201)
  })

  test('of 100 concurrent requests with one key exactly one sends', async () => {
    const mark = await w.mark()
    const body = { to: '12025550188', text: 'Once' }
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        w.api('POST', `/v1/instances/${id}/messages`, body, { headers: { 'idempotency-key': 'race' } }),
      ),
    )
    const [fresh, replays, busy] = [
      answers.filter((answer) => answer.status === 201 && !isReplay(answer)),
      answers.filter(isReplay),
      answers.filter(({ status }) => status === 409),
    ]
    expect(fresh.length).toBe(1)
    expect(fresh.length + replays.length + busy.length).toBe(100)
    for (const {
      headers,
      body: { error },
    } of busy) {
      expect([error.code, error.retryable, headers['retry-after']]).toEqual(['idempotency_in_progress', false, '1'])
    }
    expect(new Set([...fresh, ...replays].map(({ text }) => text)).size).toBe(1)
    expect(await w.typesSince(mark)).toEqual(['message.sent', 'message.delivered', 'message.read'])
  })

  test('a refusal before the send leaves the key free', async () => {
    const idle = await w.instance()
    const restricted = await w.key({ instances: [idle.id] })
    const good = { to: '12025550177', text: 'Finally' }
    const at = `/v1/instances/${id}/messages`
    const headers = { 'idempotency-key': 'free' }
    const refused = [
      await w.api('POST', at, good, { headers, key: null }),
      await w.api('POST', at, good, { headers, key: restricted.key }),
      await w.api('POST', at, '{', { headers }),
      await w.api('POST', at, { to: 'x' }, { headers }),
      await w.api(
        'POST',
        at,
        { ...good, text: undefined, media_url: 'https://10.0.0.1/x', media_type: 'image' },
        { headers },
      ),
      await w.api(
        'POST',
        at,
        { to: '12025550177', media_url: 'https://media.sandbox/missing', media_type: 'image' },
        { headers },
      ),
      await w.api('POST', at, { to: '12025550502', text: 'Hi' }, { headers }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 404, 400, 400, 400, 400, 502])
    expect((await w.api('GET', `${at}?idempotency_key=free`)).status).toBe(404)
    expect((await w.api('POST', at, good, { headers })).status).toBe(201)
  })
})
