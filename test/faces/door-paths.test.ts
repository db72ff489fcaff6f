import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineOf, OPERATIONS, pathWith } from '../support/operations.ts'
import { world, type Reply, type World } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const code = ({ status, body }: Reply) => `${status} ${body?.error?.code ?? ''}`.trim()
const PATHS = [...new Set(OPERATIONS.map(({ path }) => path))]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

describe.each(PATHS)('%s', (path) => {
  const own = OPERATIONS.filter((operation) => operation.path === path).map(({ method }) => method as string)
  const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : [])].toSorted()

  test('answers 405 with Allow to every method that it does not support', async () => {
    for (const method of METHODS.filter((one) => !allowed.includes(one))) {
      // GET /v1/webhooks/{id} is the pattern of /v1/webhooks/deliveries too, and with an id the two are one address.
      const answer = await w.api(method, pathWith(path))
      if (path === '/v1/webhooks/deliveries' && ['PATCH', 'DELETE'].includes(method)) {
        expect(code(answer)).toMatch(/^400|^404/)
        continue
      }
      // So is GET …/voice/calls/{call_id} of …/voice/calls/batch.
      if (path.endsWith('/voice/calls/batch') && ['GET', 'HEAD'].includes(method)) {
        expect(answer.status).toBe(404)
        continue
      }
      // So is GET /v1/campaigns/{id} of /v1/campaigns/preview.
      if (path === '/v1/campaigns/preview' && ['GET', 'HEAD', 'PATCH', 'DELETE'].includes(method)) {
        expect(answer.status).toBe(404)
        continue
      }
      // And GET …/stages/{stage_id} of …/stages/order.
      if (path.endsWith('/stages/order') && ['GET', 'HEAD', 'PATCH', 'DELETE'].includes(method)) {
        expect(answer.status).toBe(404)
        continue
      }
      expect(answer.status, `${method} ${path}`).toBe(405)
      const listed = (answer.headers['allow'] ?? '').split(', ')
      expect(new Set(listed).size, 'each once').toBe(listed.length)
      expect(listed).toEqual(expect.arrayContaining(allowed))
      if (method !== 'HEAD') expect(answer.body.error.code).toBe('method_not_allowed')
    }
  })

  test('answers 401 without a key', async () => {
    for (const method of METHODS)
      expect((await w.api(method, pathWith(path), undefined, { key: null })).status).toBe(401)
  })
})

test.each(OPERATIONS.filter(({ method }) => method === 'GET').map((operation) => [lineOf(operation), operation.path]))(
  'HEAD is answered like %s, without the body',
  async (_line, path) => {
    const get = await w.api('GET', pathWith(path))
    const head = await w.api('HEAD', pathWith(path))
    expect([head.status, head.text]).toEqual([get.status, ''])
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
  },
)

test.each([
  ['/healthz', 'GET, HEAD'],
  ['/openapi.yaml', 'GET, HEAD'],
  ['/mcp', 'DELETE, GET, HEAD, POST'],
  ['/onboard/token', 'GET, HEAD, POST'],
  ['/passkey/token', 'GET, HEAD, POST'],
])('%s accepts %s and answers 405 to other methods', async (path, allow) => {
  for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
    const answer = await w.api(method, path, method === 'OPTIONS' ? undefined : {})
    expect([answer.status, answer.headers['allow']]).toEqual([405, allow])
  }
})

describe('an unknown path', () => {
  // oxfmt-ignore
  const UNKNOWN = [
    '/', '/v1', '/v1/', '/v2/me', '/v1/me/', '//v1/me', '/v1//me', '/V1/ME', '/v1/me.json', '/v1/instances/', '/mcp/',
    '/openapi.json', '/openapi.yaml/', '/healthz/', '/admin', '/.env', '/v1/../v1/me', '/v1/me;a=b', '/favicon.ico',
    '/onboard/a/b', '/v1/instances/a/b/c/d', '/consoles', '/panel', '/v1/me%00', '/v1/me%2F', '/%2e%2e/etc/passwd',
  ]

  test.each(UNKNOWN)('%s is 404 not_found with a key, for any method', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      expect(code(await w.wire(method, path)), method).toBe('404 not_found')
    }
  })

  test.each(UNKNOWN)('%s is 401 without a key, so that nobody can probe for paths', async (path) => {
    expect(code(await w.wire('GET', path, undefined, { key: null }))).toBe('401 unauthorized')
    expect(code(await w.wire('GET', path, undefined, { key: 'swb_wrong' }))).toBe('401 unauthorized')
  })

  test.each(['/v1/instances/%', '/v1/instances/%zz', '/v1/%E0%A4%A', '/%', '/%ff'])(
    '%s, which is invalid percent-encoding, is 404 with a key and 401 without, like any other',
    async (path) => {
      expect(code(await w.wire('GET', path))).toBe('404 not_found')
      expect(code(await w.wire('GET', path, undefined, { key: null }))).toBe('401 unauthorized')
      const foreign = await w.wire('GET', path, undefined, { headers: { host: 'rebound.example' } })
      expect(code(foreign)).toBe('403 forbidden_host')
    },
  )
})

describe('an id in a path', () => {
  // oxfmt-ignore
  const ODD = [
    'nobody', '..', '%2e%2e', '%00', '%0a', 'null', 'undefined', '0', '-1', '1e9', '*', '%25', 'x'.repeat(999), 'x'.repeat(3_000),
    'urn:uuid:0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60', '{0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60}', '0197f0c26a3e7c519d2b5f8e1a7c4b60',
    "'%20OR%201=1%20--", '%F0%9F%98%80', '__proto__', 'constructor', '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b6g', ' ',
  ]
  const withIds = OPERATIONS.filter(({ path }) => path.includes('{'))

  test.each(ODD.map((id) => [id.slice(0, 40), id]))(
    'that is invalid (%s) is 404 not_found on every path',
    async (_shown, id) => {
      for (const { method, path, confirm } of withIds) {
        // Every name of a catcher of the allowed letters is one, and a webhook called "deliveries" is another list.
        if (path.includes('/catcher/')) continue
        const at = path.replaceAll(/\{\w+\}/g, encodeURI(id).replaceAll('%25', '%'))
        const answer = await w.wire(
          method,
          confirm === undefined ? at : `${at}?confirm=true`,
          method === 'GET' ? undefined : {},
        )
        expect(code(answer), `${method} ${at.slice(0, 200)}`).toMatch(/^404 not_found$|^400 validation_error$/)
        // A phone exists for every number, so there it is the body that is looked at first.
        if (answer.status === 400) expect(path).toMatch(/phones|messages$/)
      }
    },
  )

  test('is case-insensitive', async () => {
    const { id } = await w.instance()
    for (const path of ['', '/connection', '/health']) {
      expect((await w.api('GET', `/v1/instances/${id.toUpperCase()}${path}`)).status).toBe(200)
    }
    const { body } = await w.api('POST', `/v1/sandbox/instances/${id.toUpperCase()}/faults`, { kind: 'timeout' })
    expect(body.instance_id).toBe(id)
  })
})
