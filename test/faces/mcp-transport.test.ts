import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHouse, type House } from './mcp-house.ts'
import { INSTANCE_ID } from './sample.ts'

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
}
const modern = (method: string, params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: META },
})
const modernHeaders = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
})
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }

async function openSession(key: string): Promise<string> {
  const answer = await house.post(key, initialize)
  await answer.text()
  return answer.headers.get('mcp-session-id') ?? ''
}

describe('every answer', () => {
  test.each([
    ['a modern answer', modern('tools/list'), modernHeaders('tools/list'), 200],
    ['a legacy answer', initialize, {}, 200],
    ['a refused session', list, { 'mcp-session-id': 'unknown' }, 404],
    ['a call without a session', list, {}, 400],
    ['a batch', [list, list], {}, 400],
    ['a body that is no message', { hello: true }, {}, 400],
    ['a body that is no JSON', '{', {}, 400],
  ])('%s carries the request id and the rate limit, and no CORS headers', async (_case, body, headers, status) => {
    const answer = await house.post(house.key(), body, { 'x-request-id': 'mine-1', ...headers })
    await answer.text()
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-request-id')).toBe('mine-1')
    expect(answer.headers.get('x-ratelimit-limit')).toBe('6000')
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('5999')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('costs one request of the rate limit, however many steps it has inside', async () => {
    const key = house.key()
    const call = modern('tools/call', { name: 'list_lines', arguments: {} })
    for (const left of ['5999', '5998', '5997']) {
      const answer = await house.post(key, call, modernHeaders('tools/call', 'list_lines'))
      await answer.text()
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(left)
    }
  })
})

describe('toolsets in the URL', () => {
  test.each([
    ['webhooks', ['create_hook', 'delete_hook', 'find_hook']],
    ['webhooks,receiving', ['create_hook', 'delete_hook', 'find_hook']],
  ])('?toolsets=%s narrows the list, but not which tools may be called', async (toolsets, names) => {
    const ask = async (method: string, params: Record<string, unknown>, name?: string) => {
      const answer = await fetch(`${house.url}?toolsets=${toolsets}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${house.key()}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...modernHeaders(method, name),
        },
        body: JSON.stringify(modern(method, params)),
      })
      return (await answer.json()).result
    }
    expect((await ask('tools/list', {})).tools.map(({ name }: { name: string }) => name)).toEqual(names)
    const called = await ask('tools/call', { name: 'list_lines', arguments: {} }, 'list_lines')
    expect(called.isError).toBeUndefined()
  })
})

describe('/mcp/readonly', () => {
  const ask = async (method: string, params: Record<string, unknown>, name?: string) => {
    const answer = await fetch(`${house.url}/readonly`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${house.key()}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...modernHeaders(method, name),
      },
      body: JSON.stringify(modern(method, params)),
    })
    return answer.json()
  }

  test('lists only tools that change nothing', async () => {
    const { result } = await ask('tools/list', {})
    const hints = result.tools.map(({ annotations }: { annotations: { readOnlyHint: boolean } }) => annotations)
    expect(hints.length).toBeGreaterThan(3)
    for (const { readOnlyHint } of hints) expect(readOnlyHint).toBe(true)
  })

  test('runs the tools that it lists, and no others', async () => {
    const read = await ask('tools/call', { name: 'list_lines', arguments: {} }, 'list_lines')
    expect(read.result.isError).toBeUndefined()
    house.asked.splice(0)
    const given = { instance_id: INSTANCE_ID, to: '12025550123', text: 'x' }
    const written = await ask('tools/call', { name: 'send_words', arguments: given }, 'send_words')
    expect(written.error).toMatchObject({ code: -32_602, message: expect.stringContaining('read-only tools') })
    expect(house.asked).toEqual([])
  })

  test('cannot be bypassed: a session opened at /mcp changes nothing here either', async () => {
    const key = house.key()
    const session = await openSession(key)
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
    }
    const call = { name: 'create_line', arguments: {} }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: call })
    const answer = await fetch(`${house.url}/readonly`, { method: 'POST', headers, body })
    expect(await answer.text()).toContain('read-only tools')
    expect(house.asked).toEqual([])
  })
})

describe('2026-07-28', () => {
  test('a list says how long it may be cached, and that it is private to this caller', async () => {
    const answer = await house.post(house.key(), modern('tools/list'), modernHeaders('tools/list'))
    expect(await answer.json()).toMatchObject({ result: { ttlMs: 60_000, cacheScope: 'private' } })
  })

  test('answers with plain JSON and opens no session', async () => {
    const answer = await house.post(house.key(), modern('server/discover'), modernHeaders('server/discover'))
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(answer.headers.get('mcp-session-id')).toBeNull()
    expect(await answer.json()).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } })
  })

  test.each([
    ['a header that names another method', modern('tools/list'), modernHeaders('tools/call'), 400, -32_020],
    [
      'a revision nobody speaks',
      {
        ...modern('tools/list'),
        params: { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } },
      },
      { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2031-01-01' },
      400,
      -32_022,
    ],
    ['an unknown method', modern('tools/burn'), modernHeaders('tools/burn'), 404, -32_601],
  ])('refuses %s', async (_case, body, headers, status, code) => {
    const answer = await house.post(house.key(), body, headers)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: { code } })
  })
})

describe('sessions of 2025-11-25', () => {
  test('a session serves only the key that opened it', async () => {
    const key = house.key()
    const session = await openSession(key)
    const answer = await house.post(key, list, { 'mcp-session-id': session })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('list_lines')
  })

  test('a session does not exist for another key', async () => {
    const session = await openSession(house.key())
    const answer = await house.post(house.key(), list, { 'mcp-session-id': session })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32_001, message: 'Session not found' },
    })
  })

  test('a session ends when its client ends it', async () => {
    const key = house.key()
    const session = await openSession(key)
    const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': session }
    expect((await fetch(house.url, { method: 'DELETE', headers })).status).toBe(200)
    expect((await house.post(key, list, { 'mcp-session-id': session })).status).toBe(404)
  })

  test('a session unused for half an hour makes room for new ones', async () => {
    const key = house.key()
    const session = await openSession(key)
    await house.clock.advance(31 * 60_000)
    await openSession(house.key())
    expect((await house.post(key, list, { 'mcp-session-id': session })).status).toBe(404)
  })

  test('a client that never ends its sessions loses its own oldest, and not those of others', async () => {
    const neighbour = house.key()
    const theirs = await openSession(neighbour)
    const key = house.key()
    const opened: string[] = []
    for (let i = 0; i < 33; i++) {
      opened.push(await openSession(key))
      await house.clock.advance(1_000)
    }
    const statuses = await Promise.all(
      [opened[0]!, opened[1]!, opened[32]!].map(
        async (id) => (await house.post(key, list, { 'mcp-session-id': id })).status,
      ),
    )
    expect(statuses).toEqual([404, 200, 200])
    expect((await house.post(neighbour, list, { 'mcp-session-id': theirs })).status).toBe(200)
  })

  test('a listening stream can be reopened immediately after it was dropped', async () => {
    const key = house.key()
    const session = await openSession(key)
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'mcp-session-id': session }
    const listen = async () => {
      const stop = new AbortController()
      const answer = await fetch(house.url, { headers, signal: stop.signal })
      return { status: answer.status, requestId: answer.headers.get('x-request-id'), drop: () => stop.abort() }
    }
    const first = await listen()
    expect(first.status).toBe(200)
    expect(first.requestId).toMatch(/^req_/)
    first.drop()
    await new Promise((resolve) => setTimeout(resolve, 100))
    const second = await listen()
    expect(second.status).toBe(200)
    second.drop()
  })

  test('an initialize request that could not be answered leaves no session behind', async () => {
    const answer = await house.post(house.key(), initialize, { accept: 'application/json' })
    expect(answer.status).toBe(406)
    expect(answer.headers.get('mcp-session-id')).toBeNull()
  })
})
