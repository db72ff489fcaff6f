import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS, lineOf, pathWith, type Ids } from '../support/operations.ts'
import { readAfterWriting } from '../support/wire.ts'
import { world, type Reply, type World } from '../support/world.ts'
import { cpuTime } from '../support/cpu-time.ts'

let w: World
let line: { id: string }
let official: { id: string }
let ids: Ids

beforeAll(async () => {
  w = await world({ settings: { graphBaseUrl: 'sandbox' } })
  line = await w.pair()
  official = await w.official()
  const webhook = await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/x', events: ['message.read'] })
  const graph = await w.api('POST', '/v1/sandbox/graph/numbers', { number: '12025550500' })
  const numbers = graph.body.phone_number_id
  const draft = await w.api('POST', '/v1/campaigns', { instance_ids: [line.id], name: 'Offer' })
  const contacts = '12025550123'
  await w.api('POST', '/v1/contacts', { phone: contacts })
  const campaigns = draft.body.campaign_id
  const client = (await w.api('POST', '/v1/agency/accounts', { name: 'Client' })).body
  const wish = { name: 'Theirs', scopes: ['instances:read'] }
  const clientKey = (await w.api('POST', `/v1/agency/accounts/${client.id}/keys`, wish)).body
  const link = (await w.api('POST', `/v1/instances/${line.id}/access-links`, {})).body
  const agency = { accounts: client.id, keys: clientKey.id, 'access-links': link.id }
  const webhooks = webhook.body.id
  ids = { instances: line.id, webhooks, phones: '12025550177', numbers, campaigns, contacts, ...agency }
})
afterAll(() => w.close())

const code = ({ status, body }: Reply) => `${status} ${body?.error?.code ?? ''}`.trim()
const create = (body: unknown, headers: Record<string, string> = {}) =>
  w.api('POST', '/v1/instances', body, { headers })
const nest = (depth: number, open: string, close: string, core = '1') => open.repeat(depth) + core + close.repeat(depth)

async function refused(body: unknown, expected: string, headers: Record<string, string> = {}): Promise<string> {
  const mark = await w.mark()
  const answer = await create(body, headers)
  expect(code(answer), answer.text.slice(0, 300)).toBe(expected)
  expect(await w.typesSince(mark)).toEqual([])
  return answer.body.error.message
}

describe('a body is never coerced', () => {
  test.each([
    ['a number for a text', { name: 5 }, 'name must be a string'],
    ['true for a text', { name: true }, 'name must be a string'],
    ['null for a text that cannot be cleared', { name: null }, 'name must be a string'],
    ['a number for a text value of metadata', { metadata: { k: 1 } }, 'metadata.k must be a string'],
    ['a text for an object', { metadata: 'k=v' }, 'metadata must be an object'],
    ['a list for an object', { metadata: [] }, 'metadata must be an object'],
    ['a text for a list of one', { engine: ['smv2'] }, 'engine must be one of smv2, official'],
  ])('%s is refused', async (_name, body, sentence) => {
    expect(await refused(body, '400 validation_error')).toContain(sentence)
  })

  test('a numeric string is not a number, and 1.0 is an integer because JSON does not tell it from 1', async () => {
    const at = `/v1/webhooks/${ids['webhooks'] ?? ''}`
    expect(code(await w.api('PATCH', at, { max_in_flight: '5' }))).toBe('400 validation_error')
    expect(code(await w.api('PATCH', at, { active: 'false' }))).toBe('400 validation_error')
    expect(code(await w.api('PATCH', at, { active: 0 }))).toBe('400 validation_error')
    expect((await w.api('PATCH', at, '{"max_in_flight":5.0}')).body.max_in_flight).toBe(5)
  })

  test('null differs from a string, and a missing field from null', async () => {
    const made = (await create({ external_ref: 'a', metadata: { k: 'v' } })).body
    const at = `/v1/instances/${made.id}`
    expect((await w.api('PATCH', at, {})).body).toMatchObject({ external_ref: 'a', metadata: { k: 'v' } })
    expect((await w.api('PATCH', at, { external_ref: null })).body).toMatchObject({
      external_ref: null,
      metadata: { k: 'v' },
    })
    expect((await w.api('PATCH', at, { metadata: null })).body).toMatchObject({ external_ref: null, metadata: null })
  })
})

describe('an unknown field is refused by name', () => {
  // A raw payload has whatever fields Graph knows, and a file has none.
  const closed = OPERATIONS.filter(
    ({ method, id, bodyFile }) => method !== 'GET' && id !== 'sendRawMessage' && bodyFile === undefined,
  )
  const withBody = closed.map((operation) => ({
    line: lineOf(operation),
    operation,
  }))

  test.each(withBody)('$line', async ({ operation }) => {
    const { method, path, confirm, examples, engine, id } = operation
    const own = engine === 'official' || id === 'onboardSandboxInstance' ? { ...ids, instances: official.id } : ids
    const at = `${pathWith(path, own)}${confirm === undefined ? '' : '?confirm=true'}`
    const mark = await w.mark()
    const good = typeof examples.body === 'object' ? examples.body : {}
    const answer = await w.api(method, at, { ...good, nonsense_field: 1 })
    // Things that are not there are 404 before anybody looks at the body.
    if (answer.status === 404) return expect(path.replace('/v1/instances/{id}', '')).toMatch(/\{|\/billing/)
    expect(code(answer), answer.text).toBe('400 validation_error')
    expect(answer.body.error.message).toContain('unknown field "nonsense_field"')
    expect(await w.typesSince(mark)).toEqual([])
  })

  test('the name of a field is quoted, and shortened when it is long', async () => {
    expect(await refused({ 'na\n"me': 1 }, '400 validation_error')).toContain(String.raw`"na\n\"me"`)
    const long = await refused({ ['x'.repeat(100_000)]: 1 }, '400 validation_error')
    expect(long.length).toBeLessThan(300)
    const deep = await refused({ metadata: { ['k'.repeat(100_000)]: 5 } }, '400 validation_error')
    expect(deep.length).toBeLessThan(300)
  })
})

describe('a body that is not a JSON object', () => {
  test.each([
    '{',
    '{"name":}',
    "{'name':'x'}",
    '{"name":"x",}',
    'name=x',
    '{"a":1}{"b":2}',
    'undefined',
    'NaN',
    '{"a":\u0001}',
    '\u0000',
  ])('%j is invalid_json', async (text) => {
    await refused(text, '400 invalid_json')
  })

  test.each(['null', '[]', '"text"', '5', 'true'])(
    '%s is a validation_error, and is not treated as an empty object',
    async (text) => {
      expect(await refused(text, '400 validation_error')).toBe('The body must be an object.')
    },
  )

  test('bytes that are not UTF-8 are invalid_json, and nothing else is stored in their place', async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from('"}')])
    expect(await refused(bytes, '400 invalid_json')).toContain('UTF-8')
  })

  test('a byte order mark at the start is ignored, with an Idempotency-Key as well', async () => {
    const text = '\ufeff{"name":"Marked"}'
    expect((await create(text)).body.name).toBe('Marked')
    const headers = { 'idempotency-key': 'bom' }
    const first = await create(text, headers)
    expect(first.status).toBe(201)
    expect((await create('{ "name": "Marked" }', headers)).text).toBe(first.text)
  })
})

describe('a missing body', () => {
  test.each([
    ['with a content type', { 'content-type': 'application/json' }],
    ['without a content type', {}],
  ])('is treated as {} where every field is optional (%s)', async (_name, headers) => {
    const answer = await w.service.door.app.inject({
      method: 'POST',
      url: '/v1/instances',
      headers: { host: w.host, authorization: `Bearer ${w.allScopes}`, ...headers },
    })
    expect(answer.statusCode).toBe(201)
  })

  test('is a validation_error where a body is required', async () => {
    const at = `/v1/instances/${line.id}/messages`
    expect((await w.api('POST', at)).body.error).toMatchObject({
      code: 'validation_error',
      message: 'This operation requires a JSON body.',
    })
    expect(code(await w.api('POST', at, ''))).toBe('400 validation_error')
    expect(code(await w.api('POST', at, ' \n'))).toBe('400 invalid_json')
  })

  test('may be {} where the operation takes none', async () => {
    expect((await w.api('POST', `/v1/instances/${line.id}/restart`, {})).status).toBe(202)
    await w.quiet()
  })
})

test('creating what already exists updates it and returns 200, as documented', async () => {
  const make = (name: string) => w.api('POST', '/v1/sandbox/phones', { number: '12025550166', name })
  expect([(await make('First')).status, (await make('Second')).status]).toEqual([201, 200])
})

describe('the content type', () => {
  // oxfmt-ignore
  test.each([
    'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp',
    'application/xml', 'text/plain; application/json', 'nonsense', ';;;', 'application/octet-stream',
  ])('%s is unsupported_media_type', async (type) => {
    await refused('{}', '415 unsupported_media_type', { 'content-type': type })
    const mcp = await w.api('POST', '/mcp', '{}', { headers: { 'content-type': type } })
    expect(mcp.status).toBe(415)
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset=UTF-8',
  ])('%s is JSON', async (type) => {
    expect((await create('{}', { 'content-type': type })).status).toBe(201)
  })

  test('a body without a content type is unsupported_media_type', async () => {
    const answer = await w.service.door.app.inject({
      method: 'POST',
      url: '/v1/instances',
      headers: { host: w.host, authorization: `Bearer ${w.allScopes}` },
      payload: '{}',
    })
    expect(answer.statusCode).toBe(415)
  })
})

describe('the body size', () => {
  const ofBytes = (size: number) => `{"name":"${'x'.repeat(size - 11)}"}`

  test('2 MB is accepted, one byte more is payload_too_large, however it is sent', async () => {
    const most = 2 * 1024 * 1024
    await refused(ofBytes(most), '400 validation_error')
    await refused(ofBytes(most + 1), '413 payload_too_large')
    const chunked = await w.wire('POST', '/v1/instances', ofBytes(most + 1), {
      headers: { 'transfer-encoding': 'chunked' },
    })
    expect(code(chunked)).toBe('413 payload_too_large')
  })

  const TOO_MUCH = Buffer.alloc(16 * 1024 * 1024, 'x')
  const byItsWord = [`Content-Length: ${TOO_MUCH.length}\r\n\r\n`, ''] as const
  const asItTurnsOut = [
    `Transfer-Encoding: chunked\r\n\r\n${TOO_MUCH.length.toString(16)}\r\n`,
    '\r\n0\r\n\r\n',
  ] as const

  test.each([
    ['413 payload_too_large', 'a length that is too large', { hasKey: true, goesOn: true }, byItsWord],
    ['413 payload_too_large', 'a body that turns out too large', { hasKey: true, goesOn: true }, asItTurnsOut],
    ['413 payload_too_large', 'a last request that is too large', { hasKey: true, goesOn: false }, byItsWord],
    ['401 unauthorized', 'a last request without a key', { hasKey: false, goesOn: false }, byItsWord],
  ] as const)(
    '%s: a client that sends all of %s can read the error',
    async (expected, _what, { hasKey, goesOn }, frame) => {
      const [status, error] = expected.split(' ')
      const key = hasKey ? `Authorization: Bearer ${w.allScopes}\r\n` : ''
      const last = goesOn ? '' : 'Connection: close\r\n'
      const head = `POST /v1/instances HTTP/1.1\r\nHost: ${w.host}\r\nContent-Type: application/json\r\n${key}${last}`
      const mark = await w.mark()
      const bytes = Buffer.concat([Buffer.from(head + frame[0]), TOO_MUCH, Buffer.from(frame[1])])
      const heard = await readAfterWriting(w.host, bytes)
      expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*"code":"${error}"`))
      // Whoever said that it is the last one is told that it was: another would be taken for noise.
      expect(/^connection: close\r$/im.test(heard)).toBe(!goesOn)
      expect(await w.typesSince(mark)).toEqual([])
    },
  )

  test('a body that does not match its Content-Length is refused', async () => {
    const head = `POST /v1/instances HTTP/1.1\r\nHost: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nContent-Type: application/json\r\nConnection: close\r\n`
    expect(await w.raw(`${head}Content-Length: 2\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 201 /)
    expect(await w.raw(`${head}Content-Length: -2\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 400 /)
    expect(await w.raw(`${head}Content-Length: 0x2\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 400 /)
  })
})

describe('A-04 malicious JSON', () => {
  const quickly = async <T>(act: () => Promise<T>): Promise<T> => {
    const answers: T[] = []
    expect(await cpuTime(async () => answers.push(await act()))).toBeLessThan(1_000)
    return answers[0]!
  }

  test.each([100, 10_000, 300_000])('nested %i deep is refused at any position and in any form', async (depth) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      if (depth * (open.length + close.length) > 2_000_000) continue
      const nested = nest(depth, open, close)
      await quickly(() => refused(nested, '400 validation_error'))
      await quickly(() => refused(`{"metadata":${nested}}`, '400 validation_error'))
      const raw = await quickly(() =>
        w.api(
          'POST',
          `/v1/instances/${official.id}/messages`,
          `{"to":"12025550177","cloud_api":{"type":"text","text":${nested}}}`,
        ),
      )
      expect(code(raw)).toBe('400 validation_error')
    }
  })

  test('nesting of realistic depth is accepted', async () => {
    const body = `{"to":"12025550177","cloud_api":{"type":"text","text":{"body":"Hi","more":${nest(30, '{"a":[', ']}')}}}}`
    expect((await w.api('POST', `/v1/instances/${official.id}/messages`, body)).status).toBe(201)
  })

  test.each([
    '{"__proto__":{"name":"x"}}',
    '{"metadata":{"__proto__":"x"}}',
    '{"constructor":{"prototype":{"x":1}}}',
    String.raw`{"\u005f_proto__":{}}`,
  ])('%s is refused, and pollutes no prototype', async (text) => {
    expect(code(await create(text))).toMatch(/^400 (invalid_json|validation_error)$/)
    expect(({} as Record<string, unknown>)['name']).toBeUndefined()
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  test('property names of Object are ordinary keys of metadata', async () => {
    const metadata = { constructor: 'a', toString: 'b', hasOwnProperty: 'c', valueOf: 'd' }
    const { body } = await create(JSON.stringify({ metadata }))
    expect(body.metadata).toEqual(metadata)
    expect((await w.api('GET', `/v1/instances/${body.id}`)).body.metadata).toEqual(metadata)
  })

  test('with duplicate keys uses the last one', async () => {
    expect((await create('{"name":"First","name":"Last"}')).body.name).toBe('Last')
  })

  const NUMBERS = ['1e400', '-1e400', `1${'0'.repeat(400)}`, `${'9'.repeat(300)}e99`]
  test.each(NUMBERS.map((number) => [number.slice(0, 10), number]))(
    'with a number beyond a double (%s) is refused where any value is allowed, and not passed on as null',
    async (_shown, number) => {
      const body = `{"to":"12025550177","cloud_api":{"type":"text","text":{"body":"x","n":${number}}}}`
      const answer = await w.api('POST', `/v1/instances/${official.id}/messages`, body)
      expect(code(answer)).toBe('400 validation_error')
      expect(answer.body.error.message).toContain('1e400')
    },
  )

  test.each([
    String.raw`{"name":"\ud800"}`,
    String.raw`{"name":"\udc00\ud800"}`,
    String.raw`{"metadata":{"\udfff":"x"}}`,
    String.raw`{"external_ref":"a\uD834"}`,
  ])('with a lone surrogate, as in %s, is refused, because it cannot be stored unchanged', async (text) => {
    expect(await refused(text, '400 validation_error')).toContain('surrogate')
  })

  test('keeps every other character unchanged, in every field', async () => {
    const odd = 'a\u0000b\u0001\u001f"\\/\u007f\u0080é\u2028\u2029\ufeff\ufffd\uffff😀𝕏'
    for (const text of [odd, 'שלום', '‮evil', 'e\u0301']) {
      const { body } = await create({ name: text, external_ref: text, metadata: { [text]: text } })
      const expected = { name: text, external_ref: text, metadata: { [text]: text } }
      expect(body).toMatchObject(expected)
      expect((await w.api('GET', `/v1/instances/${body.id}`)).body).toMatchObject(expected)
      const found = (await w.api('GET', `/v1/instances?external_ref=${encodeURIComponent(text)}`)).body
      expect(found.data.map(({ id }: { id: string }) => id)).toEqual([body.id])
    }
  })
})

describe('a query string', () => {
  test('with an unknown parameter is answered as if it were absent', async () => {
    expect((await w.api('GET', '/v1/me?nonsense=1&__proto__=x&constructor=y')).text).toBe(
      (await w.api('GET', '/v1/me')).text,
    )
  })

  // oxfmt-ignore
  test.each([
    '/v1/instances?limit=5&limit=6', '/v1/instances?updated_since=yesterday',
    '/v1/instances?updated_since=2026-02-30T00:00:00Z', '/v1/instances?updated_since=2026-13-01T00:00:00Z',
    '/v1/instances?updated_since=5', '/v1/instances?external_ref=', '/v1/webhooks/deliveries?status=lost',
    '/v1/webhooks/deliveries?event_type=*', '/v1/webhooks/deliveries?since=now', '/v1/instances?limit=NaN',
    '/v1/instances?limit=Infinity', '/v1/instances?limit=-0.5', '/v1/sandbox/phones?limit=201',
  ])('%s is a validation_error that names the field', async (path) => {
    const answer = await w.api('GET', path)
    expect(code(answer)).toBe('400 validation_error')
    const field = /[?&](\w+)/.exec(path)?.[1] ?? ''
    expect(answer.body.error.message).toContain(field)
  })

  const CURSORS = ['abc', '%00', '%ff', '../../etc/passwd', 'x'.repeat(5_000), "' OR 1=1 --", '5']
  test.each(CURSORS.map((cursor) => [cursor.slice(0, 20), cursor]))(
    'with a cursor that was not issued (%s) is invalid_cursor on every list',
    async (_shown, cursor) => {
      for (const path of [
        '/v1/instances',
        '/v1/instances?updated_since=2026-01-01T00:00:00Z',
        '/v1/webhooks/deliveries',
        '/v1/sandbox/phones',
      ]) {
        const answer = await w.api('GET', `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`)
        expect(code(answer), path).toBe('400 invalid_cursor')
      }
    },
  )

  test('with a cursor of another list, filter or account is refused', async () => {
    for (let i = 0; i < 3; i++) await w.instance({ external_ref: `cursor-${i}` })
    const { next_cursor: cursor } = (await w.api('GET', '/v1/instances?limit=1')).body
    expect((await w.api('GET', `/v1/instances?limit=1&cursor=${cursor}`)).status).toBe(200)
    const { key } = await w.stranger()
    const others: Promise<Reply>[] = [
      w.api('GET', `/v1/instances?limit=1&cursor=${cursor}`, undefined, { key }),
      w.api('GET', `/v1/instances?limit=1&cursor=${cursor}&external_ref=cursor-1`),
      w.api('GET', `/v1/instances?updated_since=2026-01-01T00:00:00Z&cursor=${cursor}`),
      w.api('GET', `/v1/webhooks/deliveries?cursor=${cursor}`),
      w.api('GET', `/v1/instances?cursor=${cursor.slice(0, -1)}`),
      w.api('GET', `/v1/instances?cursor=${cursor}A`),
    ]
    for (const answer of await Promise.all(others)) expect(code(answer)).toBe('400 invalid_cursor')
  })

  test.each(['true', 'True', '1', 'yes', 'true ', ''])(
    'with confirm=%s confirms only if it is exactly true',
    async (value) => {
      const { id } = await w.instance()
      const answer = await w.api('DELETE', `/v1/instances/${id}?confirm=${encodeURIComponent(value)}`)
      expect(code(answer)).toBe(value === 'true' ? '200' : '400 confirmation_required')
    },
  )

  test('with confirm given twice confirms nothing', async () => {
    const { id } = await w.instance()
    expect(code(await w.api('DELETE', `/v1/instances/${id}?confirm=true&confirm=false`))).toBe(
      '400 confirmation_required',
    )
    expect(code(await w.api('DELETE', `/v1/instances/${id}`, { confirm: true }))).toBe('400 confirmation_required')
  })
})
