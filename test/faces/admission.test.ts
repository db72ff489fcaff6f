import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../main/kernel/keys.ts'
import { OPERATIONS, pathWith } from '../support/operations.ts'
import { seededRandom } from '../support/random.ts'
import { world, worldOfTest, type World } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const me = (authorization: string | undefined, world: World = w) =>
  world.api('GET', '/v1/me', undefined, { key: null, headers: authorization === undefined ? {} : { authorization } })

describe('an API key', () => {
  const flip = (key: string, at: number) => key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1)

  test('is accepted in any case of the word Bearer and with any number of spaces after it', async () => {
    for (const word of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      expect((await me(`${word} ${w.allScopes}`)).status).toBe(200)
    }
  })

  test('is refused in every other form, with WWW-Authenticate and the same error', async () => {
    const key = w.allScopes
    // oxfmt-ignore
    const wrong = [
      undefined, '', 'Bearer', 'Bearer ', key, `Basic ${Buffer.from(`x:${key}`).toString('base64')}`, `Token ${key}`,
      `Bearer ${key} ${key}`, `Bearer ${key},${key}`, `Bearer "${key}"`, `Bearer ${key.toLowerCase()}`, `Bearer ${key}x`,
      `Bearer ${key.slice(0, -1)}`, `Bearer ${key.slice(4)}`, `Bearer sk_${key.slice(4)}`, `Bearer ${flip(key, 10)}`,
      `Bearer ${flip(key, 39)}`, `Bearer ${newKey(seededRandom(99)).open()}`, `Bearer ${'x'.repeat(10_000)}`, `Bearer ${key}%00`,
      'Bearer null', 'Bearer undefined', "Bearer ' OR 1=1 --",
    ]
    for (const authorization of wrong) {
      const answer = await me(authorization)
      expect([answer.status, answer.body.error.code], String(authorization).slice(0, 60)).toEqual([401, 'unauthorized'])
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(answer.text).not.toContain(key.slice(4, 30))
      if (authorization !== undefined) {
        expect(answer.body.error.message).toBe(
          'The API key is malformed, unknown, revoked or expired. Check it, or create a new one.',
        )
      }
    }
  })

  test('is not read from a query or a cookie', async () => {
    expect(
      (await w.api('GET', `/v1/me?api_key=${w.allScopes}&access_token=${w.allScopes}`, undefined, { key: null }))
        .status,
    ).toBe(401)
    expect(
      (await w.api('GET', '/v1/me', undefined, { key: null, headers: { cookie: `key=${w.allScopes}` } })).status,
    ).toBe(401)
    expect((await w.api('GET', '/v1/me', undefined, { key: null, headers: { 'x-api-key': w.allScopes } })).status).toBe(
      401,
    )
  })

  test('that was revoked is refused from the next request on', async () => {
    const { id, key } = await w.key()
    expect((await me(`Bearer ${key}`)).status).toBe(200)
    await w.service.carryOut({ command: 'keys.revoke', input: { id } })
    expect((await me(`Bearer ${key}`)).status).toBe(401)
  })

  test('that expires works until that moment and not at it', async () => {
    const own = await worldOfTest()
    const expiresAtMs = own.clock.now() + 60_000
    const { key } = await own.key({ expiresAtMs })
    expect((await me(`Bearer ${key}`, own)).body.key.expires_at).toBe(new Date(expiresAtMs).toISOString())
    own.clock.suspend(expiresAtMs - 1 - own.clock.now())
    expect((await me(`Bearer ${key}`, own)).status).toBe(200)
    own.clock.suspend(expiresAtMs - own.clock.now())
    expect((await me(`Bearer ${key}`, own)).status).toBe(401)
  })

  test('is stored only as a hash', async () => {
    const [row] = await w.rows<{ hash: Uint8Array; last4: string }>(
      'SELECT hash, last4 FROM api_keys WHERE last4 = :last4',
      {
        last4: w.allScopes.slice(-4),
      },
    )
    expect(row?.hash.length).toBe(32)
    const rows = await w.rows('SELECT * FROM api_keys')
    expect(JSON.stringify(rows)).not.toContain(w.allScopes.slice(4, 20))
  })
})

describe('routes that need no key', () => {
  const OPEN = ['/openapi.yaml', '/onboard/unknown']

  test.each(OPEN)('%s answers without a key, but checks a key that is sent', async (path) => {
    expect([200, 404]).toContain((await w.api('GET', path, undefined, { key: null })).status)
    expect((await w.api('GET', path)).status).not.toBe(401)
    expect((await w.api('GET', path, undefined, { key: 'swb_wrong' })).status).toBe(401)
  })

  test('are the only ones: every operation and /mcp require a key', async () => {
    for (const { method, path } of [...OPERATIONS, { method: 'POST', path: '/mcp' }, { method: 'GET', path: '/mcp' }]) {
      const answer = await w.api(method, pathWith(path), method === 'GET' ? undefined : {}, { key: null })
      expect([answer.status, answer.body.error.code], `${method} ${path}`).toEqual([401, 'unauthorized'])
    }
  })
})

/** What each operation says of it is in authorization.test.ts. */
describe('an instance of someone else', () => {
  let mine: { id: string }
  let listed: { id: string }
  let theirs: { id: string }
  let restricted: string

  beforeAll(async () => {
    mine = await w.pair()
    listed = await w.pair()
    const stranger = await w.stranger()
    theirs = (await w.api('POST', '/v1/instances', {}, { key: stranger.key })).body
    restricted = (await w.key({ instances: [listed.id] })).key
  })

  test('a message of one instance is not found in another instance, or by another account', async () => {
    const { body } = await w.api(
      'POST',
      `/v1/instances/${mine.id}/messages`,
      { to: '12025550177', text: 'Hi' },
      { headers: { 'idempotency-key': 'nested' } },
    )
    const read = (id: string, key = w.allScopes) =>
      w.api('GET', `/v1/instances/${id}/messages/${body.message_id}`, undefined, { key })
    expect((await read(mine.id)).status).toBe(200)
    expect((await read(listed.id)).status).toBe(404)
    expect((await read(listed.id, restricted)).status).toBe(404)
    expect((await read(mine.id, restricted)).status).toBe(404)
    expect((await w.api('GET', `/v1/instances/${listed.id}/messages?idempotency_key=nested`)).status).toBe(404)
  })

  test('a restricted key lists and counts only its own instances, including changed and deleted ones', async () => {
    const ids = (list: { id: string }[]) => list.map(({ id }) => id)
    const plain = (await w.api('GET', '/v1/instances', undefined, { key: restricted })).body
    expect([ids(plain.data), plain.count]).toEqual([[listed.id], 1])
    const doomed = await w.instance()
    await w.api('DELETE', `/v1/instances/${doomed.id}?confirm=true`)
    const changed = (
      await w.api('GET', '/v1/instances?updated_since=2000-01-01T00:00:00Z', undefined, { key: restricted })
    ).body
    expect([ids(changed.data), ids(changed.deleted)]).toEqual([[listed.id], []])
    const full = (await w.api('GET', '/v1/instances?updated_since=2000-01-01T00:00:00Z')).body
    expect(ids(full.deleted)).toContain(doomed.id)
    expect(ids(full.data)).not.toContain(theirs.id)
  })

  test('GET /v1/me tells a restricted key which instances it may use', async () => {
    expect((await w.api('GET', '/v1/me', undefined, { key: restricted })).body.allowed_instance_ids).toEqual([
      listed.id,
    ])
  })
})

describe('resources of another account', () => {
  test('webhooks, deliveries, phones and catchers of one account are not found by another', async () => {
    const own = await worldOfTest()
    const { key } = await own.stranger()
    const instance = await own.pair('12025550100')
    const webhook = (await own.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/shared', events: ['*'] }))
      .body
    await own.api('POST', `/v1/instances/${instance.id}/messages`, { to: '12025550177', text: 'Hi' })
    await own.quiet()
    const [delivery] = (await own.api('GET', '/v1/webhooks/deliveries')).body.data
    const theirs = (method: string, path: string, body?: object) => own.api(method, path, body, { key })

    for (const [method, path, body] of [
      ['GET', `/v1/webhooks/${webhook.id}`],
      ['PATCH', `/v1/webhooks/${webhook.id}`, { active: false }],
      ['DELETE', `/v1/webhooks/${webhook.id}`],
      ['POST', `/v1/webhooks/${webhook.id}/rotate-secret`, {}],
      ['GET', `/v1/webhooks/deliveries/${delivery.id}`],
      ['POST', `/v1/webhooks/deliveries/${delivery.id}/retry`],
      ['POST', `/v1/sandbox/instances/${instance.id}/faults`, { kind: 'logout' }],
    ] as const) {
      expect((await theirs(method, path, body)).status, `${method} ${path}`).toBe(404)
    }
    for (const path of [
      '/v1/webhooks',
      '/v1/instances',
      '/v1/webhooks/deliveries',
      '/v1/sandbox/phones',
      '/v1/sandbox/phones/12025550177/messages',
      '/v1/sandbox/catcher/shared',
    ]) {
      expect((await theirs('GET', path)).body.data, path).toEqual([])
    }
    for (const filter of [`webhook_id=${webhook.id}`, `instance_id=${instance.id}`]) {
      expect((await theirs('GET', `/v1/webhooks/deliveries?${filter}`)).body.data).toEqual([])
    }
    // A number is a number of an account: what their phone says does not reach our instance.
    const mark = await own.mark()
    expect(
      (await theirs('POST', '/v1/sandbox/phones/12025550177/messages', { to: '12025550100', text: 'psst' })).body
        .instance_ids,
    ).toEqual([])
    expect(await own.typesSince(mark)).toEqual([])
    expect((await own.api('GET', `/v1/webhooks/${webhook.id}`)).body).toMatchObject({
      active: true,
      secret_last4: webhook.secret_last4,
    })
  })
})
