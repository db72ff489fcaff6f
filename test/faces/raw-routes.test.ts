import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { world, type World } from '../support/world.ts'
import { parametersOf, routesOf, type Parameters } from './raw-routes.ts'

// Thousands of requests take their time where others work beside them.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let w: World
let known: Parameters

beforeAll(async () => {
  w = await world({ settings: { graphBaseUrl: 'sandbox', anonymousRatePerMinute: 1_000_000 } })
  known = await parametersOf(w)
})
afterAll(() => w.close())

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
type Method = (typeof METHODS)[number]

const UNKNOWN = ['unknown', '0', '%00', '%ff%fe', '..%2f..', '__proto__', 'a'.repeat(5_000)]

const QUERIES = ['', '?code=', '?state=x&state=y&code=1', '?hub.mode=subscribe', '?checkout=__proto__', '?%00=%ff']

const BODIES: readonly (readonly [type: string | undefined, body: string | undefined])[] = [
  [undefined, undefined],
  ['application/json', undefined],
  ['application/json', ''],
  ['application/json', '{}'],
  ['application/json', 'null'],
  ['application/json', '[]'],
  ['application/json', '"text"'],
  ['application/json', '{"act":"code","phone":5,"offer":{},"code":null,"password":[],"email":true}'],
  ['application/json', '{"__proto__":{"act":1},"constructor":{}}'],
  ['application/json', '{"act":'],
  ['application/json; charset=utf-16', '{}'],
  ['application/x-www-form-urlencoded', ''],
  ['application/x-www-form-urlencoded', 'number&action=&id=__proto__&confirmed=yes&%ff=%00'],
  ['multipart/form-data; boundary=x', '--x--'],
  ['text/plain', '\u0000'],
  ['nonsense', 'x'],
  [undefined, 'x'],
]

const SIGNATURES: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'stripe-signature': 't=,v1=' },
  { 'stripe-signature': 't=1' },
  { 'stripe-signature': 't=9e999,v1=zz,v1=' },
  { 'x-hub-signature-256': 'sha256=' },
  { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
  { 'x-wh-signature': '!', 'x-ghl-signature': '=' },
  { 'x-switchboard-signature': 'sha256=', 'x-switchboard-timestamp': 'NaN' },
  { origin: 'null' },
  { origin: 'https://www.example.com', 'last-event-id': '-1' },
  { cookie: 'switchboard_session=; =;', authorization: 'Bearer ' },
]

/** What a caller cannot be blamed for. */
const EXPECTED_FAULTS = ['billing_unavailable', 'service_unavailable']

test('A-05 no route answers with an internal error, whatever a stranger sends', async () => {
  const { app } = w.service.door
  const routes = routesOf(app).filter(({ path }) => !path.startsWith('/v1/'))
  expect(routes.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/callbacks/stripe', '/link/:token', '/onboard/:token', '/widget/:key/sessions', '/mcp']),
  )
  const faults: string[] = []
  let throttled = 0
  let sent = 0
  const send = async (method: Method, url: string, type?: string, payload?: string, headers = {}) => {
    const answer = await app.inject({
      ...{ method, url },
      headers: { host: w.host, ...headers, ...(type !== undefined && { 'content-type': type }) },
      ...(payload !== undefined && { payload }),
    })
    sent++
    if (answer.statusCode === 429) throttled++
    if (answer.statusCode < 500 || EXPECTED_FAULTS.some((code) => answer.body.includes(code))) return
    faults.push(`${method} ${url.slice(0, 80)} ${type} ${payload} ${JSON.stringify(headers)} → ${answer.body}`)
  }
  for (const { path, methods } of routes) {
    const urls = pathsOf(path)
    for (const method of METHODS) {
      // Streams do not end.
      if (path.endsWith('/events') && method === 'GET') continue
      if (!methods.includes(method)) {
        await send(method, urls[0]!)
        continue
      }
      for (const url of urls) {
        // Links have limits of their own, which refill.
        if (path.startsWith('/link/')) await w.clock.advance(60_000)
        for (const [type, payload] of method === 'GET' || method === 'HEAD' ? BODIES.slice(0, 1) : BODIES)
          await send(method, url, type, payload)
        for (const headers of SIGNATURES) await send(method, url, 'application/json', '{}', headers)
      }
    }
  }
  expect(sent).toBeGreaterThan(5_000)
  expect(throttled / sent).toBeLessThan(0.3)
  expect(faults.slice(0, 20)).toEqual([])
})

/** With parameters that lead somewhere, and with others. */
function pathsOf(path: string): string[] {
  const names = [...path.matchAll(/:(\w+)|\*/g)].map(([, name]) => name ?? '*')
  if (names.length === 0) return QUERIES.map((query) => path + query)
  const values = [...(known[names[0]!] ?? []), ...UNKNOWN]
  return values.map((value) => path.replaceAll(/:\w+|\*/g, value))
}
