import { afterEach, beforeEach, expect, test } from 'vitest'
import { viewOf } from '../../main/faces/mcp/tools.ts'
import type { Principal } from '../../main/kernel/access.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { openHouse, type House } from './mcp-house.ts'
import { INSTANCE_ID } from './sample.ts'

let house: House
let key: string

beforeEach(async () => {
  house = await openHouse()
  key = house.key()
})
afterEach(() => house.close())

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
}

async function list(id: unknown, { by = key, params = {}, headers = {} }: ListOptions = {}) {
  const answer = await house.post(
    by,
    { jsonrpc: '2.0', id, method: 'tools/list', params: { ...params, _meta: META } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list', ...headers },
  )
  // The SDK answers this revision in chunks of unknown length.
  const isPrepared = answer.headers.get('content-length') !== null && answer.status === 200
  return { status: answer.status, isPrepared, headers: answer.headers, text: await answer.text() }
}

interface ListOptions {
  readonly by?: string
  readonly params?: object
  readonly headers?: Record<string, string>
}

const idOf = (text: string): unknown => (JSON.parse(text) as { id: unknown }).id

test('a repeated request gets the bytes of the first answer, with its own id', async () => {
  const first = await list(1)
  const second = await list('two "quoted"')

  expect([first.isPrepared, second.isPrepared]).toEqual([false, true])
  expect(second.text.replace(JSON.stringify('two "quoted"'), '1')).toBe(first.text)
  expect(idOf(second.text)).toBe('two "quoted"')
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
})

test('callers with the same rights share an answer', async () => {
  await list(1)

  expect(await list(2, { by: house.key() })).toMatchObject({ isPrepared: true })
})

test.each<[string, Parameters<House['key']>[0]]>([
  ['fewer scopes', { scopes: ['webhooks:read'] }],
  ['fewer instances', { instances: [INSTANCE_ID] }],
])('a key with %s gets its own list', async (_name, options) => {
  const everything = await list(1)
  const less = await list(1, { by: house.key(options) })

  expect(less.isPrepared).toBe(false)
  expect(less.text.length).toBeLessThan(everything.text.length)
})

test.each<[string, ListOptions]>([
  ['other parameters', { params: { cursor: 'x' } }],
  ['another protocol version', { headers: { 'mcp-protocol-version': '2025-11-25' } }],
  ['another method header', { headers: { 'mcp-method': 'tools/call' } }],
  ['another accept header', { headers: { accept: 'text/html' } }],
])('the SDK answers a request with %s', async (_name, options) => {
  await list(1)

  expect(await list(1, options)).toMatchObject({ isPrepared: false })
})

test('the SDK answers every request of a session', async () => {
  const opened = await house.post(key, {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })
  await opened.text()
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  const ask = () => house.post(key, { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }, session)
  const answers = [await ask(), await ask()]

  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual(['text/event-stream', 'text/event-stream'])
})

test.each([1.5, null, true, {}])('the SDK answers a request with the id %j', async (id) => {
  await list(1)
  const first = await list(id)

  expect((await list(id)).isPrepared).toBe(false)
  expect(first.isPrepared).toBe(false)
})

test('the lists of different clients replace each other after some time', async () => {
  for (let at = 0; at < 33; at++) await list(1, { params: { at } })

  expect((await list(1, { params: { at: 0 } })).isPrepared).toBe(false)
  expect((await list(1, { params: { at: 32 } })).isPrepared).toBe(true)
})

test('the view of a caller differs in everything the list depends on', () => {
  const caller: Principal = {
    ...{ kind: 'key', role: null, accountId: 'account' as AccountId, accountName: 'Agency', scopes: [], source: 'mcp' },
    ...{ key: null, allowedInstanceIds: null, ratePerMinute: 600 },
  }
  const views = [
    caller,
    { ...caller, kind: 'console' as const },
    { ...caller, scopes: ['messages:send' as const] },
    { ...caller, features: [] },
    { ...caller, allowedInstanceIds: ['one'] },
    {
      ...caller,
      key: { id: 'key' as never, name: 'Key', last4: '1234', expiresAtMs: null, approval: 'all' as never },
    },
  ].map(viewOf)

  expect(new Set(views).size).toBe(views.length)
  expect(viewOf({ ...caller, accountName: 'Other', allowedInstanceIds: null })).toBe(viewOf(caller))
})
