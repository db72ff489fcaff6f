import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ERROR_CODES, ERRORS as CATALOGUE, type ErrorCode } from '../../main/contract/errors.ts'
import { sql } from '../../main/kernel/sql.ts'
import { tempFolder } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'
import { memoryVault } from '../support/vault.ts'
import { world, worldOfTest, type Reply, type World } from '../support/world.ts'
import { ERRORS } from './tables.ts'

let w: World
let smv2: { id: string }
let official: { id: string }
let idle: { id: string }
let restricted: string
let fused: Record<'official' | 'smv2', { id: string }>

beforeAll(async () => {
  w = await world()
  smv2 = await w.pair()
  official = await w.official()
  idle = await w.instance({ external_ref: 'taken' })
  await w.api('POST', `/v1/instances/${idle.id}/ai/agents`, { name: 'A', provider: 'openai', model: 'gpt-5-mini' })
  fused = { official: await w.official('12025550188'), smv2: await w.pair('12025550188') }
  await w.api('POST', `/v1/instances/${fused.official.id}/fusion`, { smv2_instance_id: fused.smv2.id })
  restricted = (await w.key({ instances: [smv2.id] })).key
})
afterAll(() => w.close())

const ANA = '12025550177'
const text = { to: ANA, text: 'Hello' }
const messages = () => `/v1/instances/${smv2.id}/messages`
const hook = (name = 'errors') => ({ url: `https://catcher.sandbox/${name}`, events: ['message.sent'] })

/** Each code that exists today, and the shortest way to it through the door. Nothing may come of any of them. */
const PROVOKED: Partial<Record<ErrorCode, () => Promise<Reply>>> = {
  validation_error: () => w.api('POST', '/v1/instances', { name: '' }),
  invalid_json: () => w.api('POST', '/v1/instances', '{"name":'),
  invalid_cursor: () => w.api('GET', '/v1/webhooks/deliveries?cursor=abc'),
  invalid_url: () => w.api('POST', '/v1/webhooks', { ...hook(), url: 'https://127.0.0.1/hook' }),
  engine_mismatch: () => w.api('GET', `/v1/instances/${official.id}/qr`),
  phone_mismatch: () => w.api('POST', `/v1/instances/${official.id}/fusion`, { smv2_instance_id: smv2.id }),
  provider_key_missing: () => w.api('PATCH', `/v1/instances/${idle.id}/ai/settings`, { enabled: true }),
  confirmation_required: () => w.api('DELETE', `/v1/instances/${idle.id}`),
  unauthorized: () => w.api('GET', '/v1/me', undefined, { key: null }),
  no_saved_card: () => w.api('POST', '/v1/billing/purchases', { plan: 'growth' }),
  card_declined: () => w.api('PUT', '/v1/sandbox/billing/card', { number: '4000000000000002' }),
  payment_action_required: async () => {
    const { checkout_id: id } = (await w.api('POST', '/v1/billing/checkouts', { plan: 'growth' })).body
    return w.api('POST', `/v1/sandbox/billing/checkouts/${id}/pay`, { number: '4000000000003220' })
  },
  insufficient_scope: async () => {
    const { key } = await w.key({ scopes: ['messages:read'] })
    return w.api('POST', messages(), text, { key })
  },
  key_restricted: () => w.api('POST', '/v1/instances', {}, { key: restricted }),
  instance_restricted_key: () => w.api('POST', '/v1/webhooks', hook(), { key: restricted }),
  forbidden_host: () => w.api('GET', '/v1/me', undefined, { headers: { host: 'rebound.example' } }),
  forbidden_origin: () => w.api('GET', '/v1/me', undefined, { headers: { origin: 'https://evil.example' } }),
  account_suspended: async () => {
    const { id } = (await w.api('POST', '/v1/agency/accounts', { name: 'Client' })).body
    const wish = { name: 'Theirs', scopes: ['dispatch:manage'] }
    const { key } = (await w.api('POST', `/v1/agency/accounts/${id}/keys`, wish)).body
    await w.api('POST', `/v1/agency/accounts/${id}/suspend`)
    return w.api('POST', '/v1/campaigns', {}, { key })
  },
  not_found: () => w.api('GET', '/v1/instances/0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'),
  method_not_allowed: () => w.api('PUT', '/v1/me', {}),
  external_ref_conflict: () => w.api('PATCH', `/v1/instances/${smv2.id}`, { external_ref: 'taken' }),
  already_fused: () => w.api('POST', `/v1/instances/${fused.official.id}/fusion`, { smv2_instance_id: fused.smv2.id }),
  not_ready: () => w.api('POST', `/v1/instances/${idle.id}/messages`, text),
  invalid_state: () => w.api('POST', `/v1/instances/${smv2.id}/qr/refresh`),
  payload_too_large: () => w.api('POST', '/v1/instances', { name: 'x'.repeat(2 * 1024 * 1024) }),
  unsupported_media_type: () =>
    w.api('POST', '/v1/instances', 'name=x', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  rate_limited: async () => {
    const { key } = await w.key({ rate: 1 })
    await w.api('GET', '/v1/me', undefined, { key })
    return w.api('POST', '/v1/instances', {}, { key })
  },
  headers_too_large: () => w.wire('GET', '/v1/me', undefined, { headers: { 'x-padding': 'x'.repeat(17 * 1024) } }),
  upstream_unavailable: () => w.api('POST', messages(), { to: '12025550502', text: 'Hello' }),
}

/** Codes whose provocation needs a past, or breaks the world it happens in. */
const PROVOKED_APART = [
  'idempotency_conflict',
  'idempotency_in_progress',
  'upstream_timeout',
  'range_not_satisfiable',
  'no_free_slot',
  'webhook_limit_reached',
  'retry_limit_reached',
  'internal_error',
  'service_unavailable',
  // In live mode without keys: test/capabilities/billing/clients.test.ts.
  'billing_unavailable',
  'storage_full',
  'sealed',
  // In test/capabilities/voice.
  'ambiguous_instance',
  'call_permission_required',
] as const satisfies ErrorCode[]

test('every code of the catalogue is caused here or in the tests of its room', () => {
  expect([...Object.keys(PROVOKED), ...PROVOKED_APART].toSorted()).toEqual(ERROR_CODES.toSorted())
})

test('every code of the specification is in the catalogue', () => {
  expect(ERRORS.map(([code]) => code).filter((code) => !ERROR_CODES.includes(code))).toEqual([])
})

const provocations = Object.entries(PROVOKED) as [ErrorCode, () => Promise<Reply>][]
test.each(provocations)('%s has its status and retryable flag, and nothing changes', async (code, provoke) => {
  const mark = await w.mark()
  expectError(await provoke(), code)
  expect(await w.typesSince(mark)).toEqual([])
})

describe('the errors of an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'order-1' }

  test('another body under the same key is idempotency_conflict', async () => {
    expect((await w.api('POST', messages(), text, { headers })).status).toBe(201)
    const mark = await w.mark()
    expectError(await w.api('POST', messages(), { ...text, text: 'Other' }, { headers }), 'idempotency_conflict')
    expect(await w.typesSince(mark)).toEqual([])
  })

  test('a silent network is upstream_timeout; a repeat is idempotency_in_progress with Retry-After', async () => {
    const silent = { to: '12025550504', text: 'Hello' }
    const mark = await w.mark()
    const first = w.api('POST', messages(), silent, { headers: { 'idempotency-key': 'order-2' } })
    await w.pass(1_000)
    const early = await w.api('POST', messages(), silent, { headers: { 'idempotency-key': 'order-2' } })
    expectError(early, 'idempotency_in_progress')
    expect(early.headers['retry-after']).toBe('1')
    await w.pass(19_000)
    expectError(await first, 'upstream_timeout')
    const late = await w.api('POST', messages(), silent, { headers: { 'idempotency-key': 'order-2' } })
    expectError(late, 'idempotency_in_progress')
    expect(late.headers['retry-after']).toBe('5')
    expect(await w.typesSince(mark)).toEqual([])
  })
})

test('the instance beyond the last slot is no_free_slot', async () => {
  const small = await worldOfTest({ settings: { slots: 1 } })
  await small.instance()
  const mark = await small.mark()
  expectError(await small.api('POST', '/v1/instances', {}), 'no_free_slot')
  expect(await small.typesSince(mark)).toEqual([])
  expect((await small.api('GET', '/v1/instances')).body.count).toBe(1)
})

test('the eleventh webhook is webhook_limit_reached, the sixth redelivery retry_limit_reached', async () => {
  const own = await worldOfTest()
  for (let i = 0; i < 10; i++) expect((await own.api('POST', '/v1/webhooks', hook(`w${i}`))).status).toBe(201)
  expectError(await own.api('POST', '/v1/webhooks', hook('w10')), 'webhook_limit_reached')

  const instance = await own.pair()
  await own.api('POST', `/v1/instances/${instance.id}/messages`, text)
  await own.quiet()
  const [delivery] = (await own.api('GET', '/v1/webhooks/deliveries?limit=1')).body.data
  const retry = () => own.api('POST', `/v1/webhooks/deliveries/${delivery.id}/retry`)
  for (let i = 0; i < 5; i++) {
    expect((await retry()).status).toBe(202)
    await own.quiet()
  }
  expectError(await retry(), 'retry_limit_reached')
})

test('a fault of the service is internal_error with the request id, which the log has too', async () => {
  const lines: { event: string; requestId?: string; cause?: { message: string } }[] = []
  const keep = (line: object) => void lines.push(line as (typeof lines)[number])
  const random = seededRandom()
  let isBroken = false
  const own = await worldOfTest({
    log: { debug() {}, info() {}, warn: keep, error: keep },
    random: {
      ...random,
      bytes(length) {
        if (isBroken) throw new Error('/dev/urandom is on fire in /home/secret/place')
        return random.bytes(length)
      },
    },
  })
  isBroken = true
  const answer = await own.api('POST', '/v1/webhooks', hook())
  isBroken = false
  expectError(answer, 'internal_error')
  expect(answer.text).not.toMatch(/urandom|fire|secret|Error|stack/)
  const faults = lines.filter(({ requestId }) => requestId === answer.headers['x-request-id'])
  expect(faults).toMatchObject([{ event: 'request.failed', cause: { message: expect.stringContaining('on fire') } }])
  expect((await own.api('GET', '/v1/webhooks')).body.count).toBe(0)
})

test('a closed storage is service_unavailable for reads, writes and unknown keys', async () => {
  const own = await worldOfTest({ soundAtEnd: false })
  const fresh = await own.key()
  expect((await own.api('GET', '/v1/me')).status).toBe(200)
  await own.service.db.close()
  expectError(await own.api('GET', '/v1/instances'), 'service_unavailable')
  expectError(await own.api('POST', '/v1/instances', {}), 'service_unavailable')
  expectError(await own.api('GET', '/v1/me', undefined, { key: fresh.key }), 'service_unavailable')
})

test('a full disk is storage_full, stores nothing, and recovers once there is space', async () => {
  const own = await worldOfTest()
  const waiting: { id: string }[] = []
  for (let i = 0; i < 40; i++) waiting.push(await own.instance())
  const most = (pages: number) => sql<object, object>(`PRAGMA max_page_count = ${pages}`)
  await own.service.db.commit((tx) => tx.one(most(1), {}))
  const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`key${i}`, 'x'.repeat(1_024)]))
  let made = 0
  let answer = await own.api('POST', '/v1/instances', { metadata })
  for (; answer.status === 201 && made < 200; made++) answer = await own.api('POST', '/v1/instances', { metadata })
  expectError(answer, 'storage_full')
  expect((await own.api('GET', '/v1/instances')).body.count).toBe(40 + made)
  expect((await own.events()).map(({ type }) => type)).toEqual(Array(40 + made).fill('instance.created'))

  // A read that begins something writes as well, and finds out when the last room in the last page is taken.
  let read = await own.api('GET', `/v1/instances/${waiting.pop()?.id ?? ''}/qr`)
  while (read.status === 200 && waiting.length > 0) {
    read = await own.api('GET', `/v1/instances/${waiting.pop()?.id ?? ''}/qr`)
    await own.quiet()
  }
  expectError(read, 'storage_full')
  await own.service.db.commit((tx) => tx.one(most(1_000_000), {}))
  // It finds out by itself that there is room again.
  await own.pass(6_000)
  expect((await own.api('POST', '/v1/instances', { metadata })).status).toBe(201)
})

test('a locked keychain is sealed only where a secret is needed', async () => {
  const vault = memoryVault()
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const before = await world({ vault, home })
  const { id } = (await before.api('POST', '/v1/webhooks', hook())).body
  await before.close()
  vault.lock()
  const own = await worldOfTest({ vault, home, seed: 2 })
  expectError(await own.api('POST', '/v1/webhooks', hook('other')), 'sealed')
  expectError(await own.api('POST', `/v1/webhooks/${id}/rotate-secret`), 'sealed')
  expect((await own.api('GET', `/v1/webhooks/${id}`)).status).toBe(200)
  expect((await own.api('POST', '/v1/instances', {})).status).toBe(201)
})

function expectError({ status, body }: Reply, code: ErrorCode): void {
  expect(body.error).toMatchObject({ code, retryable: status === 429 || status >= 500 })
  expect(status).toBe(CATALOGUE[code].status)
}
