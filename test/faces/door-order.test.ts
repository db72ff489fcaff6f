import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { world, type Reply, type World } from '../support/world.ts'

/** A request that violates several rules gets the error of the earliest. */

let w: World
let line: { id: string }
let official: { id: string }
let created: { id: string }
/** Sent with a key once, and is disconnected now. */
let gone: { id: string }
let webhook: string
/** For each thing that can be wrong with a key, one that is wrong in exactly this. */
const keys = { spent: '', scopeless: '', elsewhere: '', restricted: '' }

beforeAll(async () => {
  w = await world()
  line = await w.pair()
  official = await w.official()
  created = await w.instance()
  gone = await w.pair()
  webhook = (await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/x', events: ['*'] })).body.id
  keys.spent = (await w.key({ scopes: ['ai:read'], instances: [created.id], rate: 1 })).key
  await w.api('GET', '/v1/me', undefined, { key: keys.spent })
  keys.scopeless = (await w.key({ scopes: ['ai:read'], instances: [created.id] })).key
  keys.elsewhere = (await w.key({ instances: [created.id] })).key
  keys.restricted = (await w.key({ instances: [line.id] })).key
})
afterAll(() => w.close())

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string | null
}
type Step = readonly [expected: string, violate: (request: Request) => Request]

const withHeader = (name: string, value: string) => (request: Request) => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})
const withKey = (name: keyof typeof keys) => (request: Request) => ({ ...request, key: keys[name] })
const withBody = (body: unknown) => (request: Request) => ({ ...request, body })
const withPath = (path: (request: Request) => string) => (request: Request) => ({ ...request, path: path(request) })

const UNKNOWN_ID = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'
const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/
const toUnknown = withPath(({ path }) => path.replace(UUID, UNKNOWN_ID))
const toOfficial = withPath(({ path }) => path.replace(UUID, official.id))
const unconfirmed = withPath(({ path }) => path.replace('confirm=true', 'confirm=TRUE'))

/** The checks that come before every operation. */
const AT_THE_DOOR: readonly Step[] = [
  ['forbidden_host', withHeader('host', 'rebound.example')],
  ['forbidden_origin', withHeader('origin', 'https://evil.example')],
  ['unauthorized', (request) => ({ ...request, key: null })],
  ['rate_limited', withKey('spent')],
  ['insufficient_scope', withKey('scopeless')],
]
const OUTSIDE_THE_LIST: Step = ['not_found', withKey('elsewhere')]
const RESTRICTED: Step = ['key_restricted', withKey('elsewhere')]
const RESTRICTED_FROM_WEBHOOKS: Step = ['instance_restricted_key', withKey('elsewhere')]
const UNKNOWN: Step = ['not_found', toUnknown]

/** What can be wrong with a body, outermost first. */
const IN_THE_BODY: readonly Step[] = [
  ['unsupported_media_type', withHeader('content-type', 'text/plain')],
  ['payload_too_large', withBody('x'.repeat(2 * 1024 * 1024 + 1))],
  ['invalid_json', withBody('{"to":')],
]

const message = { to: '12025550177', text: 'Hello' }

/** For each operation: a good request, and everything it can violate, in the order in which it must be found. */
// oxfmt-ignore
const LADDERS: readonly [name: string, request: () => Request, steps: readonly Step[], good: number][] = [
  ['sending a message', () => ({ method: 'POST', path: `/v1/instances/${line.id}/messages`, body: message }), [
    ...AT_THE_DOOR, OUTSIDE_THE_LIST, UNKNOWN, ...IN_THE_BODY,
    ['validation_error', withBody({ ...message, to: 'nobody' })],
    ['validation_error', withHeader('idempotency-key', 'x'.repeat(201))],
    ['idempotency_conflict', (request) => withBody({ ...message, text: 'Other' })(withHeader('idempotency-key', 'used')(request))],
    ['not_ready', withPath(({ path }) => path.replace(UUID, gone.id))],
  ], 201],
  ['creating an instance', () => ({ method: 'POST', path: '/v1/instances', body: {} }), [
    ...AT_THE_DOOR, RESTRICTED, ...IN_THE_BODY,
    ['validation_error', withBody({ nam: 'x' })],
    ['validation_error', withHeader('idempotency-key', 'x'.repeat(201))],
    ['idempotency_conflict', (request) => withBody({ external_ref: 'order' })(withHeader('idempotency-key', 'used')(request))],
    ['external_ref_conflict', withBody({ external_ref: 'order' })],
  ], 201],
  ['asking where nothing is, or in a way that is not', () => ({ method: 'POST', path: '/v1/instances', body: {} }), [
    ...AT_THE_DOOR.filter(([code]) => code !== 'insufficient_scope'),
    ['not_found', withPath(() => '/v1/nothing')],
    ['method_not_allowed', (request) => ({ ...request, method: 'PUT' })],
    ...IN_THE_BODY.filter(([code]) => code !== 'unsupported_media_type'),
  ], 201],
  ['deleting an instance', () => ({ method: 'DELETE', path: `/v1/instances/${created.id}?confirm=true` }), [
    ...AT_THE_DOOR, ['not_found', withKey('restricted')], UNKNOWN,
    ['confirmation_required', unconfirmed], ...IN_THE_BODY.slice(0, 1),
  ], 0],
  ['disconnecting with logout', () => ({ method: 'POST', path: `/v1/instances/${line.id}/disconnect?confirm=true`, body: { logout: true } }), [
    ...AT_THE_DOOR, OUTSIDE_THE_LIST, UNKNOWN, ['engine_mismatch', toOfficial], ...IN_THE_BODY,
    ['validation_error', withBody({ logout: 'yes' })],
    ['confirmation_required', unconfirmed],
  ], 0],
  ['refreshing a QR code', () => ({ method: 'POST', path: `/v1/instances/${line.id}/qr/refresh` }), [
    ...AT_THE_DOOR, OUTSIDE_THE_LIST, UNKNOWN, ['engine_mismatch', toOfficial], ...IN_THE_BODY,
    ['validation_error', withBody({ force: true })],
    ['invalid_state', (request) => request],
  ], 0],
  ['reading a QR code', () => ({ method: 'GET', path: `/v1/instances/${line.id}/qr` }), [
    ...AT_THE_DOOR, OUTSIDE_THE_LIST, UNKNOWN, ['engine_mismatch', toOfficial],
    ['validation_error', withPath(({ path }) => `${path}?phone=me`)],
  ], 200],
  ['creating a webhook', () => ({ method: 'POST', path: '/v1/webhooks', body: { url: 'https://catcher.sandbox/y', events: ['*'] } }), [
    ...AT_THE_DOOR, RESTRICTED_FROM_WEBHOOKS, ...IN_THE_BODY,
    ['validation_error', withBody({ url: 'http://127.0.0.1/', events: [] })],
    ['invalid_url', withBody({ url: 'http://127.0.0.1/', events: ['*'] })],
  ], 201],
  ['changing a webhook', () => ({ method: 'PATCH', path: `/v1/webhooks/${webhook}`, body: { description: 'x' } }), [
    ...AT_THE_DOOR, RESTRICTED_FROM_WEBHOOKS, ['not_found', withPath(() => '/v1/webhooks/whk_nobody')], ...IN_THE_BODY,
    ['validation_error', withBody({ url: 'https://10.0.0.1/', events: [] })],
    ['invalid_url', withBody({ url: 'https://10.0.0.1/' })],
  ], 200],
  ['rotating a secret', () => ({ method: 'POST', path: `/v1/webhooks/${webhook}/rotate-secret` }), [
    ...AT_THE_DOOR, RESTRICTED_FROM_WEBHOOKS, ['not_found', withPath(() => '/v1/webhooks/whk_nobody/rotate-secret')],
    ...IN_THE_BODY,
    ['validation_error', withBody({ overlap_seconds: -1 })],
  ], 200],
  ['causing a fault on the sandbox', () => ({ method: 'POST', path: `/v1/sandbox/instances/${line.id}/faults`, body: { kind: 'timeout' } }), [
    ...AT_THE_DOOR, RESTRICTED, UNKNOWN, ...IN_THE_BODY,
    ['validation_error', withBody({ kind: 'earthquake' })],
  ], 0],
  ['onboarding on the sandbox', () => ({ method: 'POST', path: `/v1/sandbox/instances/${official.id}/onboard`, body: { number: '12025550888' } }), [
    ...AT_THE_DOOR, RESTRICTED, UNKNOWN, ['engine_mismatch', withPath(({ path }) => path.replace(UUID, line.id))], ...IN_THE_BODY,
    ['validation_error', withBody({ number: 5 })],
    ['invalid_state', (request) => request],
  ], 0],
  ['editing a message on a sandbox phone', () => ({ method: 'POST', path: '/v1/sandbox/phones/12025550177/messages/none/edit', body: { text: 'x' } }), [
    ...AT_THE_DOOR, RESTRICTED, ['not_found', (request) => request],
  ], 0],
]

beforeAll(async () => {
  const headers = { 'idempotency-key': 'used' }
  await w.api('POST', `/v1/instances/${line.id}/messages`, message, { headers })
  await w.api('POST', `/v1/instances/${gone.id}/messages`, message, { headers })
  await w.api('POST', `/v1/instances/${gone.id}/disconnect`)
  await w.api('POST', '/v1/instances', { external_ref: 'order' }, { headers: { 'idempotency-key': 'instance-1' } })
  await w.api('POST', '/v1/instances', { name: 'Used' }, { headers })
})

const ask = ({ method, path, body, headers = {}, key }: Request): Promise<Reply> =>
  w.api(method, path, body, { headers, ...(key === undefined ? {} : { key }) })

describe.each(LADDERS)('%s', (_name, good, steps, status) => {
  test('reports errors in the order of the contract', async () => {
    const mark = await w.mark()
    for (const [i, [expected]] of steps.entries()) {
      // The later ones first, so that an earlier one has the last word about what both concern.
      const request = steps.slice(i).reduceRight((made, [, violate]) => violate(made), good())
      const { body } = await ask(request)
      const left = steps.slice(i).map(([code]) => code)
      expect(body?.error?.code, `violates ${left.join(', ')}: ${JSON.stringify(body)}`).toBe(expected)
    }
    expect(await w.typesSince(mark)).toEqual([])
  })

  test('is carried out, if it can be, once nothing is wrong', async () => {
    if (status !== 0) expect((await ask(good())).status).toBe(status)
  })
})

test('a replay is also answered when the instance is no longer connected', async () => {
  const { id } = await w.pair()
  const send = (body: object) =>
    w.api('POST', `/v1/instances/${id}/messages`, body, { headers: { 'idempotency-key': 'r' } })
  const first = await send(message)
  await w.api('POST', `/v1/instances/${id}/disconnect`)
  const again = await send(message)
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true'])
  expect((await send({ ...message, text: 'Other' })).body.error.code).toBe('idempotency_conflict')
})

test('the request id is set before all checks: even a refused Host gets one', async () => {
  const headers = { host: 'rebound.example', 'x-request-id': 'mine-1' }
  expect((await w.api('GET', '/v1/me', undefined, { headers })).headers['x-request-id']).toBe('mine-1')
})
