import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { catchEverything, pairedInstance } from '../support/sandbox.ts'
import { testHome, until, type Api, type TestHome } from '../support/service-process.ts'

const OURS = '12025550100'
const CUSTOMER = '12025550101'
const SILENT = '12025550504'
const OFFICIAL = '12025550200'
const TEXT = 'The sentence nobody may read in a log'
const REPLY = 'An answer nobody may read in a log'
const IDEMPOTENCY = 'order-secret-42'
const PROFILE = 'Bakery Luz'

let home: TestHome

beforeEach(() => {
  home = testHome()
})

afterEach(() => home.remove())

test('a session at debug level logs no key, secret, number, code, message or token', async () => {
  home.write({ send_timeout_ms: 300, 'sandbox.timeline_ms': [0, 0, 0, 0], retry_schedule_s: [0, 0, 0, 0, 0, 0, 0] })
  const environment = { SWITCHBOARD_LOG_LEVEL: 'debug', SWITCHBOARD_VAULT_PASSPHRASE: 'a passphrase of mine' }
  const first = await home.start(environment)
  const { key } = await home.key('Logged')
  const secrets = await live(first.api(key), key)
  await first.end('SIGKILL')
  breakSecrets()
  const second = await home.start(environment)
  await second.api(key)('POST', '/v1/instances', { name: 'One event that cannot be signed' })
  await until('a failure in the log', () => second.errors().includes('delivery.claim_failed'))
  await second.end('SIGTERM')

  const file = join(home.dir, 'logs', 'switchboard.log')
  expect(statSync(file).mode & 0o077).toBe(0)
  const [inFile, onTerminal] = [readFileSync(file, 'utf8'), first.errors() + second.errors()].map(countLines)
  // The kill may come between the two copies of a line.
  expect(Math.abs(inFile! - onTerminal!)).toBeLessThanOrEqual(1)
  const log = first.errors() + second.errors() + readFileSync(file, 'utf8')
  expect(log.split('\n').length).toBeGreaterThan(5)
  for (const [what, secret] of Object.entries({ ...secrets, passphrase: environment.SWITCHBOARD_VAULT_PASSPHRASE })) {
    expect(secret.length, what).toBeGreaterThan(5)
    expect(log.includes(secret), `${what} in the log`).toBe(false)
  }
  expect(log).not.toMatch(/swb_|whsec_|SWITCHBOARD-SANDBOX:|data:image|sha256=|Bearer/)
  for (const line of log.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('event')
})

const countLines = (text: string) => text.trim().split('\n').length

/** A fault of our own, so that the log has causes and stacks in it. */
function breakSecrets(): void {
  const database = new Database(join(home.dir, 'switchboard.db'))
  database.prepare('UPDATE webhooks SET secret_enc = zeroblob(64)').run()
  database.close()
  // SQLite has moved the log into the file. Without one, the service would report that commits are lost.
  writeFileSync(join(home.dir, 'switchboard.db-wal'), '')
}

/** Does everything that could be logged, and much that fails. @returns what must not stand in the log. */
async function live(api: Api, key: string): Promise<Record<string, string>> {
  const instance = await pairedInstance(api, OURS, PROFILE)
  const { id: webhook, secret } = await catchEverything(api, 'logged')
  const rotated = (await api('POST', `/v1/webhooks/${webhook}/rotate-secret`, {})).body.secret
  await catchEverything(api, 'failing', { description: 'Answers 500' })
  await api('PUT', '/v1/sandbox/catcher/failing', { status: 500 })

  const messages = `/v1/instances/${instance}/messages`
  const named = { 'idempotency-key': IDEMPOTENCY, 'x-request-id': 'req-of-mine' }
  await api('POST', messages, { to: CUSTOMER, text: TEXT }, named)
  await api('POST', messages, { to: CUSTOMER, text: `${TEXT}!` }, named)
  await api('POST', messages, { to: SILENT, text: TEXT }, { 'idempotency-key': `${IDEMPOTENCY}-silent` })
  await api('POST', messages, {
    to: CUSTOMER,
    media_url: 'https://user:pass-word@10.0.0.1/x?token=tok-en',
    media_type: 'image',
  })
  await api('POST', messages, {
    to: CUSTOMER,
    media_url: 'https://media.sandbox/missing?token=tok-en',
    media_type: 'image',
  })
  await api('POST', messages, {
    to: CUSTOMER,
    media_url: 'https://media.sandbox/image.png',
    media_type: 'image',
    caption: TEXT,
  })
  await api('GET', `${messages}?idempotency_key=${IDEMPOTENCY}`)
  await api('POST', messages, `{"to":"${CUSTOMER}","text":"${TEXT}"`)
  await api('POST', `/v1/sandbox/phones/${CUSTOMER}/messages`, { to: OURS, text: REPLY })
  await api('GET', '/v1/me', undefined, { authorization: `Bearer ${key.slice(0, -1)}x` })
  await api('GET', `/v1/webhooks/${webhook}`)

  const official = (await api('POST', '/v1/instances', { name: 'Official', engine: 'official' })).body
  await fetch(official.onboarding_url)
  await api('POST', `/v1/sandbox/instances/${official.id}/onboard`, { number: OFFICIAL })
  const scan = await showCode(api)
  for (const kind of ['unreachable', 'timeout', 'engine_down', 'drop', 'logout']) {
    await api('POST', `/v1/sandbox/instances/${instance}/faults`, { kind })
    await api('POST', messages, { to: CUSTOMER, text: TEXT })
  }
  await mcp(api)
  await until('the failing webhook', async () => {
    const { body } = await api('GET', '/v1/webhooks/deliveries?status=exhausted')
    return body.data.length > 0
  })
  return {
    ...{ key, secret, rotated, text: TEXT, reply: REPLY, idempotencyKey: IDEMPOTENCY, profile: PROFILE, ...scan },
    ...{ ours: OURS, customer: CUSTOMER, silent: SILENT, official: OFFICIAL, password: 'pass-word', token: 'tok-en' },
    onboarding: new URL(official.onboarding_url).pathname.split('/').at(-1) ?? '',
  }
}

/** An instance that shows its code and is not paired. */
async function showCode(api: Api): Promise<{ qr: string; pairingCode: string }> {
  const { id } = (await api('POST', '/v1/instances', { name: 'Waiting' })).body
  const view = await until('a code', async () => {
    const { body } = await api('GET', `/v1/instances/${id}/qr`)
    return body.state === 'ready' && body
  })
  return { qr: view.qr.slice(0, 200), pairingCode: view.pairing_code }
}

async function mcp(api: Api): Promise<void> {
  const call = { name: 'send_message', arguments: { to: CUSTOMER, text: TEXT } }
  const headers = { accept: 'application/json, text/event-stream' }
  await api('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, headers).catch(() => {})
  await api('POST', '/mcp', '{', headers).catch(() => {})
}
