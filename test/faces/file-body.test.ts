import { FEATURES } from '../../main/contract/features.ts'
import { createHash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Handlers } from '../../main/capabilities/handler.ts'
import { ApiError } from '../../main/contract/errors.ts'
import { operation, type Contract } from '../../main/contract/operation.ts'
import { SCOPES } from '../../main/contract/scopes.ts'
import { createDoor, type Door } from '../../main/faces/http.ts'
import { createToolbox } from '../../main/faces/mcp/tools.ts'
import { buildOpenApi } from '../../main/faces/openapi.ts'
import { allAtOnce } from '../../main/kernel/steps.ts'
import { createBridge, type Bridge } from '../../main/faces/panel/bridge.ts'
import { addPanelRoutes } from '../../main/faces/panel.ts'
import { createRequestTimes } from '../../main/faces/request-times.ts'
import type { Principal } from '../../main/kernel/access.ts'
import { createApiActivity } from '../../main/kernel/api-activity.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { createIds, systemRandom, type AccountId, type KeyId } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { createOpenBodies } from '../../main/faces/open-bodies.ts'

const MB = 1024 * 1024
const tool = { name: 'import_list', title: 'Import a list', idempotent: false }

const contract = {
  importList: operation({
    id: 'importList',
    effects: [],
    method: 'POST',
    path: '/v1/lists',
    summary: 'Import a list',
    description: 'One number a line.',
    scope: 'messages:send',
    reach: 'account',
    origin: 'ours',
    bodyFile: { types: ['text/csv', 'application/octet-stream'], maxBytes: 8 * MB },
    reply: {
      status: 201,
      description: 'What was read.',
      schema: Type.Object({ size: Type.Integer(), hash: Type.String(), type: Type.String() }),
    },
    errors: [],
    examples: {},
    tool,
  }),
} as const satisfies Contract

let read: string[] = []
let isFull = false
const handlers: Handlers<typeof contract> = {
  async importList({ body, query }) {
    if ('refuse' in query) throw new ApiError('invalid_state', 'Lists are closed.')
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of body.stream) {
      size += chunk.length
      hash.update(chunk)
    }
    const result = { size, hash: hash.digest('hex'), type: body.mimeType }
    read.push(result.hash)
    return result
  },
}

const principal = (kind: 'key' | 'console'): Principal => ({
  ...{ kind, role: kind === 'key' ? null : 'operator', accountId: 'account' as AccountId, accountName: 'My agency' },
  key: kind === 'key' ? { id: 'k' as KeyId, name: 'test', last4: 'test', expiresAtMs: null, approval: 'none' } : null,
  ...{ scopes: SCOPES, allowedInstanceIds: null, ratePerMinute: 6_000, source: 'api' },
})

let door: Door
let bridge: Bridge
let url: string
beforeAll(async () => {
  const sessions = { onSessionEnded() {}, isSignedIn: async () => true } as unknown as Parameters<
    typeof addPanelRoutes
  >[2]['sessions']
  door = createDoor({
    featuresOf: async () => FEATURES,
    featureOf: () => undefined,
    isSuspended: () => false,
    isFrozen: async () => false,
    openBodies: createOpenBodies(),
    requireAccess: async () => {},
    onDone: async () => {},
    operations: Object.values(contract).map((each) => ({
      ...{ operation: each, handler: handlers[each.id] },
    })),
    writeGate: {
      check() {
        if (isFull) throw new ApiError('storage_full', 'The disk is full.')
      },
    },
    ...{ times: createRequestTimes(systemClock), apiActivity: createApiActivity(systemClock), clock: systemClock },
    ...{ ids: createIds(systemClock, systemRandom), log: silentLog, allowedHosts: [], publicBaseUrl: null },
    ...{ trustedProxies: [], anonymousRatePerMinute: () => 600, publish: () => {}, subject: async () => undefined },
    authenticate: async (token) => (token === 'key' ? principal('key') : undefined),
    findSession: async (token) =>
      token === 'session' ? { id: 'session', principal: principal('console') } : undefined,
    rawRoutes(app, port) {
      bridge = createBridge(app, async (caller) => caller)
      const files = { isThere: false, find: async () => undefined }
      const live = { subscribe: () => () => {} } as unknown as Parameters<typeof addPanelRoutes>[2]['live']
      const openBodies = { add() {} }
      addPanelRoutes(app, port, {
        sessions,
        files,
        openBodies,
        live,
        clock: systemClock,
        log: silentLog,
        version: '0.1.0',
      })
    },
  })
  url = `http://127.0.0.1:${await door.listen('127.0.0.1', 0)}`
})
afterAll(() => door.close())
beforeEach(() => {
  read = []
  isFull = false
})

const bytes = Buffer.from('to,name\n12025550123,Ana\n'.repeat(200_000))
const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')

interface Answer {
  readonly status: number
  readonly body: { size?: number; hash?: string; type?: string; error?: { code: string; message: string } }
}

type Send = (type: string | null, content: Buffer | Readable, query?: string) => Promise<Answer>

const over =
  (path: string, headers: () => Record<string, string>): Send =>
  async (type, content, query = '') => {
    const sent = { ...headers(), ...(type !== null && { 'content-type': type }) }
    const body = content instanceof Readable ? Readable.toWeb(content) : new Uint8Array(content)
    const response = await fetch(`${url}${path}${query}`, {
      ...{ method: 'POST', headers: sent, body: body as BodyInit },
      duplex: 'half',
    } as RequestInit)
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }

const senders: Readonly<Record<'an API key' | 'the console' | 'the desktop window', Send>> = {
  'an API key': over('/v1/lists', () => ({ authorization: 'Bearer key' })),
  'the console': over('/panel/v1/lists', () => ({
    ...{ origin: url, 'sec-fetch-site': 'same-origin', cookie: `switchboard_${new URL(url).port}=session` },
  })),
  async 'the desktop window'(type, content, query = '') {
    const answer = await bridge.ask(
      { principal: principal('console'), prepaid: true },
      {
        method: 'POST',
        path: `/panel/v1/lists${query}`,
        headers: type === null ? {} : { 'content-type': type },
        payload: content instanceof Readable ? content : Readable.from([content]),
      },
    )
    return { status: answer.status, body: (await new Response(answer.body).json()) as Answer['body'] }
  },
}

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

describe.each(Object.entries(senders))('a file as a request body, sent by %s,', (_sender, send) => {
  test('reaches the handler unchanged, above the size limit of other bodies', async () => {
    const { status, body } = await send('text/csv; charset=utf-8', bytes)
    expect([status, body]).toEqual([201, { size: bytes.length, hash: hashOf(bytes), type: 'text/csv' }])
    expect(bytes.length).toBeGreaterThan(4 * MB)
  })

  test('may be chunked, without a length', async () => {
    const parts = Readable.from([bytes.subarray(0, 100), bytes.subarray(100)])
    expect(await send('application/octet-stream', parts)).toMatchObject({
      ...{ status: 201, body: { hash: hashOf(bytes), type: 'application/octet-stream' } },
    })
  })

  test('is refused with another content type, and the next call is answered', async () => {
    for (const type of ['application/json', 'application/pdf', 'text/html']) {
      const answer = await send(type, Buffer.from('[]'))
      expect(codeOf(answer)).toEqual([415, 'unsupported_media_type'])
      expect(answer.body.error?.message).toContain('text/csv')
    }
    expect((await send('text/csv', Buffer.from('a'))).status).toBe(201)
    expect(read).toEqual([hashOf(Buffer.from('a'))])
  })

  test('is refused above its limit, by its length or during the upload', async () => {
    const large = Buffer.alloc(8 * MB + 1)
    expect(codeOf(await send('text/csv', large))).toEqual([413, 'payload_too_large'])
    const chunks = () => Readable.from(Array.from({ length: 9 }, () => Buffer.alloc(MB)))
    expect(codeOf(await send('text/csv', chunks()))).toEqual([413, 'payload_too_large'])
    expect(read).toEqual([])
    expect((await send('text/csv', large.subarray(1))).status).toBe(201)
  })

  test('is refused while the disk is full', async () => {
    isFull = true
    expect(codeOf(await send('text/csv', bytes))).toEqual([503, 'storage_full'])
    expect(read).toEqual([])
  })

  test('is discarded if the operation does not read it', async () => {
    expect(codeOf(await send('text/csv', bytes, '?refuse'))).toEqual([409, 'invalid_state'])
    expect((await send('text/csv', Buffer.from('a'))).status).toBe(201)
  })
})

describe('an operation that takes a file', () => {
  test('refuses content types from the console that a foreign page could send', async () => {
    for (const type of ['text/plain', 'TEXT/PLAIN;x=text/csv', 'multipart/form-data; boundary=x', 'text', null])
      expect(codeOf(await senders['the console'](type, Buffer.from('a')))).toEqual([415, 'unsupported_media_type'])
    expect(read).toEqual([])
  })

  test('returns an error when there is no file', async () => {
    const response = await fetch(`${url}/v1/lists`, { method: 'POST', headers: { authorization: 'Bearer key' } })
    expect([response.status, ((await response.json()) as Answer['body']).error?.message]).toEqual([
      400,
      'This operation requires a file as its body. Send it as text/csv or application/octet-stream.',
    ])
  })

  test('checks the key before it reads the body', async () => {
    const response = await fetch(`${url}/v1/lists`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'a',
    })
    expect([response.status, read]).toEqual([401, []])
  })

  test('keeps nothing from a client that disconnects', async () => {
    const headers = { authorization: 'Bearer key', 'content-type': 'text/csv', 'content-length': '1000' }
    const call = httpRequest(`${url}/v1/lists`, { method: 'POST', headers })
    call.on('error', () => {})
    call.write('half of it')
    await new Promise((resolve) => setTimeout(resolve, 100))
    call.destroy()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(read).toEqual([])
  })

  test('is documented with its types and its limit, and is not an MCP tool', () => {
    const contracts = [{ room: 'messages', about: 'Messages.', operations: contract }]
    const document = allAtOnce(buildOpenApi({ contracts, version: '0.1.0', baseUrl: url }))
    expect(document.paths['/v1/lists']?.['post']).toMatchObject({
      requestBody: {
        required: true,
        description: `The file, at most ${8 * MB} bytes.`,
        content: {
          'text/csv': { schema: { type: 'string', format: 'binary' } },
          'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
        },
      },
    })
    expect(createToolbox(contracts).find('import_list')).toBeUndefined()
  })
})
