import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { world, type World } from '../../support/world.ts'

let w: World
let ask: ReturnType<typeof asConsole>
beforeAll(async () => {
  w = await world()
  ask = asConsole(w)
})
afterAll(() => w.close())

const UNKNOWN = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'
const create = async (more: object = {}) =>
  (await ask('POST', '/v1/keys', { name: 'CRM', scopes: ['messages:send'], ...more })).body

describe('an API key created in the console', () => {
  test('is shown once, with all its permissions, and works immediately', async () => {
    const instance = await w.instance()
    const { status, headers, body } = await ask('POST', '/v1/keys', {
      name: 'CRM',
      scopes: ['instances:read'],
      allowed_instance_ids: [instance.id],
      rate_per_minute: 30,
      approval: 'sending',
      expires_at: '2027-01-01T00:00:00.000Z',
    })
    expect(status).toBe(201)
    expect(headers).toHaveProperty('cache-control', 'no-store')
    expect(body).toEqual({
      id: expect.any(String),
      name: 'CRM',
      last4: body.key.slice(-4),
      scopes: ['instances:read'],
      allowed_instance_ids: [instance.id],
      rate_per_minute: 30,
      approval: 'sending',
      expires_at: '2027-01-01T00:00:00.000Z',
      last_used_at: null,
      revoked_at: null,
      created_at: new Date(w.clock.now()).toISOString(),
      key: expect.stringMatching(/^swb_/),
    })
    const me = await w.api('GET', '/v1/me', undefined, { key: body.key })
    expect(me.body).toMatchObject({ scopes: ['instances:read'], allowed_instance_ids: [instance.id] })
    expect(me.headers['x-ratelimit-limit']).toBe('30')
  })

  test.each([
    ['no name', { name: '' }],
    ['no scope', { scopes: [] }],
    ['a word that is no scope', { scopes: ['instances:burn'] }],
    ['an instance that is not there', { allowed_instance_ids: [UNKNOWN] }],
    ['an expiry that has passed', { expires_at: '2020-01-01T00:00:00.000Z' }],
    ['an expiry that is no time', { expires_at: 'tomorrow' }],
    ['a rate of nothing', { rate_per_minute: 0 }],
    ['an unknown field', { account_id: 'mine' }],
  ])('is refused with %s, and no key is created', async (_what, wrong) => {
    const before = (await ask('GET', '/v1/keys')).body.data.length
    const { status, body } = await ask('POST', '/v1/keys', { name: 'CRM', scopes: ['messages:send'], ...wrong })
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
    expect((await ask('GET', '/v1/keys')).body.data).toHaveLength(before)
  })
})

describe('the list of keys', () => {
  test('is newest first, in pages, and never contains a key', async () => {
    // Of one millisecond the order is chance.
    await w.clock.advance(1_000)
    const older = await create({ name: 'older' })
    await w.clock.advance(1_000)
    const newer = await create({ name: 'newer' })
    const first = (await ask('GET', '/v1/keys?limit=1')).body
    expect(first).toMatchObject({ data: [{ id: newer.id, name: 'newer' }], has_more: true })
    const second = (await ask('GET', `/v1/keys?limit=1&cursor=${first.next_cursor}`)).body
    expect(second.data).toMatchObject([{ id: older.id, name: 'older' }])
    const all = (await ask('GET', '/v1/keys')).body
    expect(all.has_more).toBe(false)
    expect(JSON.stringify(all)).not.toContain(newer.key)
    expect(all.data[0]).not.toHaveProperty('key')
  })

  test('contains only the keys of its account', async () => {
    const { key } = await w.stranger()
    const { data } = (await ask('GET', '/v1/keys')).body
    expect(data.map(({ last4 }: { last4: string }) => last4)).not.toContain(key.slice(-4))
  })

  test('accepts no cursor from another list', async () => {
    const { status, body } = await ask('GET', '/v1/keys?cursor=abc')
    expect([status, body.error.code]).toEqual([400, 'invalid_cursor'])
  })
})

describe('an API key revoked in the console', () => {
  test('is invalid from the next request on, and stays in the list', async () => {
    const made = await create()
    expect((await w.api('GET', '/v1/me', undefined, { key: made.key })).status).toBe(200)
    expect(await ask('DELETE', `/v1/keys/${made.id}`)).toMatchObject({ status: 204, body: undefined })
    expect((await ask('DELETE', `/v1/keys/${made.id}`)).status).toBe(204)
    expect((await w.api('GET', '/v1/me', undefined, { key: made.key })).status).toBe(401)
    const { data } = (await ask('GET', '/v1/keys')).body
    expect(data.find(({ id }: { id: string }) => id === made.id).revoked_at).not.toBeNull()
  })

  test('is not found if it does not exist in this account', async () => {
    const { account } = await w.stranger()
    const theirs = await w.key({ account: account.id })
    for (const id of [UNKNOWN, 'nonsense', theirs.id])
      expect((await ask('DELETE', `/v1/keys/${id}`)).body.error.code).toBe('not_found')
    expect((await w.api('GET', '/v1/me', undefined, { key: theirs.key })).status).toBe(200)
  })
})

describe('an API key', () => {
  type Listed = Record<string, unknown> & { id: string }
  const inCommand = async (id: string) => {
    const { data } = (await w.service.carryOut({ command: 'keys.list', input: {} })) as { data: Listed[] }
    return data.find((key) => key.id === id)
  }
  const inConsole = async (id: string) =>
    ((await ask('GET', '/v1/keys')).body.data as Listed[]).find((key) => key.id === id)
  const me = (key: string) => w.api('GET', '/v1/me', undefined, { key })
  const at = (ms: number) => new Date(ms).toISOString()

  test('is the same in the console and the terminal: used, expired and revoked', async () => {
    const { id: instance } = await w.instance()
    const expiresAt = w.clock.now() + 600_000
    const wish = { allowed_instance_ids: [instance], expires_at: at(expiresAt), scopes: ['instances:read'] }
    const { id, key } = await create(wish)
    const state = { ...wish, id, last_used_at: null as string | null, revoked_at: null as string | null }
    expect(await inConsole(id)).toMatchObject(state)
    expect(await inCommand(id)).toMatchObject(state)

    const usedAt = w.clock.now()
    expect((await me(key)).body.key.expires_at).toBe(state.expires_at)
    await w.clock.advance(1_000)
    state.last_used_at = at(usedAt)
    expect(await inConsole(id)).toMatchObject(state)
    expect(await inCommand(id)).toMatchObject(state)

    await w.clock.advance(expiresAt - w.clock.now())
    expect((await me(key)).status).toBe(401)
    await w.clock.advance(2_000)
    // A key that is refused was not used.
    expect(await inConsole(id)).toMatchObject(state)

    const revokedAt = w.clock.now()
    await w.service.carryOut({ command: 'keys.revoke', input: { id } })
    state.revoked_at = at(revokedAt)
    expect(await inConsole(id)).toMatchObject(state)
    expect(await inCommand(id)).toMatchObject(state)
  })

  test('created in the terminal is used, listed and revoked in the console', async () => {
    const input = { name: 'Terminal', scopes: ['instances:manage'], allowed_instance_ids: null }
    const { id, key } = (await w.service.carryOut({ command: 'keys.create', input })) as { id: string; key: string }
    expect(await inConsole(id)).toMatchObject({ ...input, expires_at: null, last_used_at: null, approval: 'none' })
    expect((await me(key)).body.scopes).toEqual(['instances:manage'])
    expect((await ask('DELETE', `/v1/keys/${id}`)).status).toBe(204)
    expect((await me(key)).status).toBe(401)
    expect((await inCommand(id))?.['revoked_at']).toBe(at(w.clock.now()))
  })

  test('that is restricted to instances which are deleted later still has access to no others', async () => {
    const [gone, other] = [await w.instance(), await w.instance()]
    const { key } = await create({ allowed_instance_ids: [gone.id], scopes: ['instances:read', 'instances:write'] })
    const as = (method: string, path: string) => w.api(method, `/v1/instances${path}`, undefined, { key })
    expect((await as('DELETE', `/${gone.id}?confirm=true`)).status).toBe(200)
    expect((await as('DELETE', `/${gone.id}?confirm=true`)).status).toBe(200)
    expect((await as('GET', '')).body).toEqual({ data: [], count: 0 })
    const changes = (await as('GET', '?updated_since=2000-01-01T00:00:00Z')).body
    expect(changes.deleted.map(({ id }: Listed) => id)).toEqual([gone.id])
    for (const { id } of [gone, other]) expect((await as('GET', `/${id}`)).status).toBe(404)
    const again = await ask('POST', '/v1/keys', { name: 'Late', scopes: ['ai:read'], allowed_instance_ids: [gone.id] })
    expect([again.status, again.body.error.code]).toEqual([400, 'validation_error'])
  })

  test('cannot be restricted to an instance of another account', async () => {
    const { key } = await w.stranger()
    const theirs = (await w.api('POST', '/v1/instances', {}, { key })).body
    const wish = { name: 'Sly', scopes: ['instances:read'], allowed_instance_ids: [theirs.id] }
    expect((await ask('POST', '/v1/keys', wish)).body.error.code).toBe('validation_error')
    await expect(w.service.carryOut({ command: 'keys.create', input: wish })).rejects.toThrow(/There is no instance/)
  })
})

test('API keys get 404 at /v1/keys with any scopes, and no document contains the path', async () => {
  const { id } = await w.key()
  for (const [method, path] of [
    ['GET', '/v1/keys'],
    ['POST', '/v1/keys'],
    ['DELETE', `/v1/keys/${id}`],
  ] as const) {
    const body = method === 'POST' ? { name: 'Mine', scopes: ['ai:read'] } : undefined
    const { status, headers, body: answer } = await w.api(method, path, body)
    expect([status, answer.error.code], `${method} ${path}`).toEqual([404, 'not_found'])
    expect(headers).not.toHaveProperty('allow')
  }
  expect((await w.api('PUT', '/v1/keys')).status).toBe(404)
  expect((await w.api('GET', '/openapi.yaml')).text).not.toContain('/v1/keys')
})
