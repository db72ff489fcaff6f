import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountId } from '../../main/kernel/ids.ts'
import { clientOf, pairedIn, type Client } from '../capabilities/agency/agency-world.ts'
import { asConsole } from '../support/console.ts'
import { browserOf, builtConsole } from '../support/panel.ts'
import { world, type World } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world({ consoleFolder: builtConsole() })
})
afterAll(() => w.close())

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** Everything but the last byte of the body arrives, then `meanwhile` happens. @returns the status and the body. */
async function arrivingDuring({ method, path, headers, body }: Sent, meanwhile: () => Promise<unknown>) {
  const [hostname = '', port] = w.host.split(':')
  const socket = connect(Number(port), hostname)
  const heard = new Promise<string>((resolve, reject) => {
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.once('error', reject).once('close', () => resolve(text))
  })
  const payload = JSON.stringify(body)
  const all = { ...headers, host: w.host, connection: 'close', 'content-type': 'application/json' }
  const lines = Object.entries({ ...all, 'content-length': String(Buffer.byteLength(payload)) })
  const head = [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', '']
  socket.write(head.join('\r\n') + payload.slice(0, -1))
  // A later connection is answered after this one was admitted.
  for (let requests = 0; requests < 3; requests++) await w.wire('GET', '/v1/me')
  await meanwhile()
  socket.write(payload.slice(-1))
  const text = await heard
  return { status: Number(text.split(' ', 2)[1]), text: text.slice(text.indexOf('\r\n\r\n') + 4) }
}

const nothing = async () => {}
const rowsOf = () =>
  w.rows(`SELECT 'key' AS kind, id FROM api_keys WHERE revoked_at IS NULL
    UNION ALL SELECT 'webhook', id FROM webhooks UNION ALL SELECT 'message', id FROM messages
    UNION ALL SELECT 'contact', phone FROM contacts`)

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function keyOf(client: Client) {
  const wish = {
    name: 'Late',
    scopes: ['instances:read', 'webhooks:write', 'messages:send', 'ai:write', 'dispatch:manage'],
  }
  const { body } = await w.api('POST', `/v1/agency/accounts/${client.id}/keys`, wish)
  return body as { id: string; key: string }
}

const WEBHOOK = { url: 'https://catcher.sandbox/late', events: ['*'] }

test('A-08 a request has no effect if its key is revoked while its body arrives', async () => {
  const client = await clientOf(w)
  const { id: instance } = await pairedIn(w, client, '12025550611')
  const acts = [
    { method: 'POST', path: '/v1/webhooks', body: WEBHOOK },
    { method: 'POST', path: `/v1/instances/${instance}/messages`, body: { to: '12025550612', text: 'late' } },
    { method: 'POST', path: '/v1/contacts', body: { phone: '12025550612', name: 'Late' } },
  ]
  for (const act of acts) {
    const { id, key } = await keyOf(client)
    const before = (await rowsOf()).filter((row) => (row as { id: string }).id !== id)
    const answer = await arrivingDuring({ ...act, headers: bearer(key) }, () =>
      w.api('DELETE', `/v1/agency/accounts/${client.id}/keys/${id}?confirm=true`),
    )
    expect(answer.status, act.path).toBe(401)
    expect(await rowsOf()).toEqual(before)
  }
})

test('A-08 an MCP call runs no tool if its key is revoked while it arrives', async () => {
  const client = await clientOf(w)
  const { id, key } = await keyOf(client)
  const params = { name: 'create_webhook', arguments: { ...WEBHOOK, confirm: true } }
  const headers = {
    ...bearer(key),
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const answer = await arrivingDuring({ method: 'POST', path: '/mcp', headers, body }, () =>
    w.api('DELETE', `/v1/agency/accounts/${client.id}/keys/${id}?confirm=true`),
  )
  expect(answer.status).toBe(401)
})

test('A-08 a member who is removed while the body of a request arrives creates no key', async () => {
  const client = await clientOf(w)
  const agency = asConsole(w, { accountId: client.id as AccountId })
  const invited = await agency('POST', '/v1/members', { name: 'Mara', email: 'mara@client.example' })
  const browser = browserOf(w)
  await browser.signIn({ code: /#code=([\w-]+)$/.exec(invited.body.url)?.[1] })
  const before = await rowsOf()
  const headers = { cookie: browser.cookie, origin: `http://${w.host}`, 'sec-fetch-site': 'same-origin' }
  const body = { name: 'Late', scopes: ['messages:read'] }
  const answer = await arrivingDuring({ method: 'POST', path: '/panel/v1/keys', headers, body }, () =>
    agency('DELETE', `/v1/members/${invited.body.member.id}?confirm=true`),
  )
  expect(answer.status, answer.text).toBe(401)
  expect(await rowsOf()).toEqual(before)
})

test('A-08 a request is refused if its feature is turned off or its number is moved while its body arrives', async () => {
  const client = await clientOf(w, { features: ['ai'] })
  const { id: instance } = await pairedIn(w, client, '12025550613')
  const { key } = await keyOf(client)
  const agent = {
    method: 'POST',
    path: `/v1/instances/${instance}/ai/agents`,
    body: { name: 'R', provider: 'builtin' },
  }
  const off = await arrivingDuring({ ...agent, headers: bearer(key) }, () =>
    w.api('PATCH', `/v1/agency/accounts/${client.id}`, { features: [] }),
  )
  expect(off.status, off.text).toBe(403)
  const other = await clientOf(w)
  const message = {
    method: 'POST',
    path: `/v1/instances/${instance}/messages`,
    body: { to: '12025550614', text: 'late' },
  }
  const moved = await arrivingDuring({ ...message, headers: bearer(key) }, async () => {
    const { status, body } = await w.api('POST', `/v1/agency/instances/${instance}/transfer`, { account_id: other.id })
    expect(status, JSON.stringify(body)).toBeLessThan(300)
  })
  expect(moved.status, moved.text).toBe(404)
})

test('a body that arrives late is accepted from a key that still works, and costs one request', async () => {
  const client = await clientOf(w)
  const { key } = await keyOf(client)
  const late = { method: 'POST', path: '/v1/webhooks', headers: bearer(key), body: WEBHOOK }
  expect((await arrivingDuring(late, nothing)).status).toBe(201)
  const first = await w.api('GET', '/v1/me', undefined, { key })
  expect((await arrivingDuring(late, nothing)).status).toBe(201)
  const second = await w.api('GET', '/v1/me', undefined, { key })
  const left = (answer: typeof first) => Number(answer.headers['x-ratelimit-remaining'])
  expect(left(first) - left(second)).toBe(2)
})
