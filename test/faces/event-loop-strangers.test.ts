import { createHmac, createPrivateKey, sign as signWith } from 'node:crypto'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LIMITS } from '../../main/contract/limits.ts'
import { sized } from '../support/sized.ts'
import { overSocket } from '../support/wire.ts'
import { inPassing, world, type World } from '../support/world.ts'
import { hostileJson } from './hostile-bodies.ts'
import { offendersOf, type LoopRequest } from './loop-offenders.ts'
import { parametersOf, routesOf, type Parameters } from './raw-routes.ts'

// @isolated: what other files have left on the heap makes every garbage collection of a measured request longer.

vi.setConfig({ testTimeout: sized(60_000, 600_000), hookTimeout: 120_000 })

let w: World
let known: Parameters
let official: { readonly path: string; readonly secret: string; readonly phoneNumberId: string }
let crm: { readonly path: string; readonly secret: string }
let location: string
let stripeSecret: string
let ghlKey: ReturnType<typeof createPrivateKey>
/** Signed callbacks that were not taken, and requests that were turned away before they were read: they prove nothing. */
let unproved: string[] = []
/** Callbacks of which a body was taken. */
const accepted = new Set<string>()

beforeAll(async () => {
  w = await world({ settings: { graphBaseUrl: 'sandbox' } })
  known = await parametersOf(w)
  official = await officialNumber()
  const line = known['instance']?.[0] ?? ''
  location = (await w.api('GET', `/v1/instances/${line}/ghl`)).body.location_id
  const second = await w.pair()
  const hook = (await w.api('PUT', `/v1/instances/${second.id}/crm-webhook`, { url: 'https://catcher.sandbox/crm' }))
    .body
  crm = { path: new URL(hook.inbound_url).pathname, secret: hook.secret }
  await w.quiet()
  const [endpoint] = await w.rows<{ body: string }>(
    `SELECT body FROM sandbox_stripe_objects WHERE kind = 'webhook_endpoint'`,
  )
  stripeSecret = JSON.parse(endpoint?.body ?? '{}').secret
  // The simulator makes its key when it is first needed.
  await send('POST', '/callbacks/ghl/app', { 'x-ghl-signature': 'none' }, Buffer.from('{}'))
  const [key] = await w.rows<{ pkcs8: Uint8Array }>('SELECT pkcs8 FROM sandbox_ghl_keys')
  ghlKey = createPrivateKey({ key: Buffer.from(key?.pkcs8 ?? []), format: 'der', type: 'pkcs8' })
})
afterAll(() => w.close())

/** A number at the simulated Meta whose callbacks this test signs. */
async function officialNumber() {
  const { id, onboarding_url: url } = await w.instance({ engine: 'official', network: 'live' })
  const { body } = await w.api('POST', '/v1/sandbox/graph/numbers', { number: '12025550200' })
  const form = new URLSearchParams(body).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const pasted = await inPassing(w.clock, w.wire('POST', new URL(url).pathname, form, { key: null, headers }))
  expect(pasted.status).toBe(200)
  return { path: `/callbacks/meta/${id}`, secret: body.app_secret, phoneNumberId: body.phone_number_id }
}

type Headers = Record<string, string>

async function send(method: string, path: string, headers: Headers, body?: Buffer): Promise<number> {
  const all = { 'content-type': 'application/json', ...headers }
  const { status } = await inPassing(w.clock, overSocket(`http://${w.host}`, method, path, all, body))
  return status
}

const hmac = (key: string, ...parts: (string | Buffer)[]) => {
  const made = createHmac('sha256', key)
  for (const part of parts) made.update(part)
  return `sha256=${made.digest('hex')}`
}

/** Where callbacks arrive, and how they are signed. */
const SIGNED: Readonly<Record<string, (body: Buffer) => { readonly path: string; readonly headers: Headers }>> = {
  meta: (body) => ({ path: official.path, headers: { 'x-hub-signature-256': hmac(official.secret, body) } }),
  stripe: (body) => {
    const timestamp = Math.floor(w.clock.now() / 1_000)
    const payload = body.toString()
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: stripeSecret, timestamp })
    return { path: '/callbacks/stripe', headers: { 'stripe-signature': signature } }
  },
  'ghl/outbound': (body) => ({ path: '/callbacks/ghl/outbound', headers: signedByGhl(body) }),
  'ghl/app': (body) => ({ path: '/callbacks/ghl/app', headers: signedByGhl(body) }),
  crm: (body) => {
    const at = String(Math.floor(w.clock.now() / 1_000))
    const signature = hmac(crm.secret, `${at}.`, body)
    return { path: crm.path, headers: { 'x-service-timestamp': at, 'x-service-signature': signature } }
  },
}

const signedByGhl = (body: Buffer): Headers => ({
  'x-ghl-signature': signWith(null, body, ghlKey).toString('base64'),
})

const BYTES = sized(LIMITS.callbackBytes / 2, LIMITS.callbackBytes) - 2_000

/** A valid callback of each service, with the filling in every field that can be long. */
const SAID: Readonly<Record<string, (filling: unknown) => object>> = {
  meta: (filling) => meta({ messages: [metaMessage(0, { referral: { of: filling } })] }),
  stripe: (filling) => ({
    ...{ id: 'evt_1', object: 'event', created: 1, type: 'payment_intent.succeeded' },
    data: { object: { object: 'payment_intent', customer: 'cus_1', metadata: filling } },
  }),
  'ghl/outbound': (filling) => ({
    locationId: location,
    messageId: 'm1',
    type: 'SMS',
    message: 'x',
    attachments: filling,
  }),
  'ghl/app': (filling) => ({
    type: 'ContactDndUpdate',
    locationId: location,
    id: 'c',
    phone: filling,
    dndSettings: {},
  }),
  crm: (filling) => ({ id: 'd1', type: 'message', to: '12025556202', text: filling }),
}

const meta = (value: object) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [{ field: 'messages', value: { metadata: { phone_number_id: official.phoneNumberId }, ...value } }],
    },
  ],
})
const metaMessage = (at: number, more: object = {}) => ({
  ...{ from: String(12_025_000_000 + at), id: `wamid.${at}`, timestamp: '1767614400', type: 'text' },
  ...{ text: { body: 'Hi' }, ...more },
})
const list = <T>(count: number, one: (at: number) => T) => Array.from({ length: count }, (_, at) => one(at))

/** Callbacks with as many people, messages and statuses as fit. */
const CROWDS: Readonly<Record<string, () => object>> = {
  contacts: () =>
    meta({
      contacts: list(sized(10_000, 60_000), (at) => ({ wa_id: String(12_025_000_000 + at) })),
      messages: list(sized(2_000, 18_000), metaMessage),
    }),
  statuses: () =>
    meta({
      statuses: list(sized(5_000, 40_000), (at) => ({ id: `wamid.${at}`, status: 'read', timestamp: '1767614400' })),
    }),
  changes: () => ({
    object: 'whatsapp_business_account',
    entry: list(sized(5_000, 40_000), (at) => ({
      id: String(at),
      changes: [{ field: 'messages', value: { metadata: {} } }],
    })),
  }),
}

async function callBack(name: string, body: Buffer): Promise<void> {
  const { path, headers } = SIGNED[name]!(body)
  const status = await send('POST', path, headers, body)
  // Of a body that is refused for its size or shape, the refusal is what is measured.
  if ([401, 404, 429].includes(status)) unproved.push(`${name}: ${status}`)
  if (status !== 413) accepted.add(name)
  await emptied()
}

/** Callbacks of Meta are read after they were answered. */
async function emptied(): Promise<void> {
  for (;;) {
    const [waiting] = await w.rows<{ left: number }>(
      'SELECT COUNT(*) AS left FROM official_callbacks WHERE problem IS NULL',
    )
    if (waiting?.left === 0) return
    await w.clock.advance(100)
  }
}

function* signedCallbacks(): Generator<LoopRequest> {
  for (const name of Object.keys(SIGNED))
    for (const [what, filling] of fillings(BYTES)) {
      const body = Buffer.from(JSON.stringify(SAID[name]!(filling())))
      yield { name: `${name} with ${what}`, send: () => callBack(name, body) }
    }
  for (const [what, crowd] of Object.entries(CROWDS)) {
    const body = Buffer.from(JSON.stringify(crowd()))
    yield { name: `meta with many ${what}`, send: () => callBack('meta', body) }
  }
}

function* strangersRequests(): Generator<LoopRequest> {
  const long = 'a'.repeat(12_000)
  const bodies = strangersBodies()
  for (const { path, methods } of routesOf(w.service.door.app)) {
    if (path.startsWith('/v1/') || path.startsWith('/mcp')) continue
    const [name = ''] = /(?<=:)\w+|\*/.exec(path) ?? []
    for (const value of name === '' ? [''] : [...(known[name] ?? []).slice(0, sized(1, 10)), long]) {
      const at = path.replaceAll(/:\w+|\*/g, value)
      for (const method of methods.filter((one) => one !== 'HEAD')) {
        // Streams do not end.
        if (path.endsWith('/events') && method === 'GET') continue
        if (method === 'GET')
          yield { name: `GET ${path}`, send: () => send('GET', `${at}?code=${long}&state=${long.slice(9_000)}`, {}) }
        else
          for (const [what, type, body] of bodies)
            yield {
              name: `${method} ${path} with ${what}`,
              send: () => send(method, at, { 'content-type': type }, body),
            }
      }
    }
  }
}

/** Bodies of the largest size, made once. */
function strangersBodies(): readonly (readonly [what: string, type: string, body: Buffer])[] {
  const bodies = fillings(LIMITS.bodyBytes / 2).map(([what, make]) => {
    const filling = make()
    return [what, 'application/json', Buffer.from(JSON.stringify({ act: filling, offer: filling }))] as const
  })
  return [...bodies, ['a form', 'application/x-www-form-urlencoded', Buffer.from('a=%20&'.repeat(680))]]
}

/** The short form takes those that found something. */
const fillings = (bytes: number) =>
  Object.entries(hostileJson(bytes)).filter(([what]) => sized(['text', 'distinct fields'].includes(what), true))

test('A-06 no signed callback blocks the event loop', async () => {
  unproved = []
  expect(await offendersOf(signedCallbacks())).toEqual([])
  expect(unproved).toEqual([])
  expect([...accepted].toSorted()).toEqual(Object.keys(SIGNED).toSorted())
})

test('A-06 no request without a key to a page or callback blocks the event loop', async () => {
  expect(await offendersOf(strangersRequests())).toEqual([])
})
