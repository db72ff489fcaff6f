import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCEPTED_SCOPES, type AcceptedScope } from '../../main/contract/scopes.ts'
import { OPERATIONS, pathWith } from '../support/operations.ts'
import { world, type World } from '../support/world.ts'
import { SCOPE_SYNONYMS, SCOPES } from './tables.ts'

let w: World
const keys = new Map<AcceptedScope, string>()

beforeAll(async () => {
  w = await world()
  for (const word of ACCEPTED_SCOPES) keys.set(word, (await w.key({ scopes: [word] })).key)
})
afterAll(() => w.close())

/** Which scope each operation takes: faces/authorization.test.ts. With ids that nothing has: whoever passes the scope check meets a 400 or a 404, and nothing is done. */
const ask = (method: string, path: string, key: string) =>
  w.api(method, pathWith(path), method === 'GET' ? undefined : [], { key })

test.each(SCOPE_SYNONYMS)('a key with the synonym %s shows it and allows what %s allows', async (old, scope) => {
  const key = keys.get(old) ?? ''
  expect((await w.api('GET', '/v1/me', undefined, { key })).body.scopes).toEqual([old])
  for (const { method, path } of OPERATIONS.filter((operation) => operation.scope === scope)) {
    const withOld = await ask(method, path, key)
    const withNew = await ask(method, path, keys.get(scope) ?? '')
    expect(withOld.status, `${method} ${path}`).toBe(withNew.status)
  }
})

test('writing does not imply reading', async () => {
  const key = keys.get('instances:write') ?? ''
  expect((await w.api('GET', '/v1/instances', undefined, { key })).body.error.code).toBe('insufficient_scope')
})

test('a key with two scopes may do what either allows', async () => {
  const { key } = await w.key({ scopes: ['instances:read', 'webhooks:read'] })
  expect((await w.api('GET', '/v1/instances', undefined, { key })).status).toBe(200)
  expect((await w.api('GET', '/v1/webhooks', undefined, { key })).status).toBe(200)
  expect((await w.api('POST', '/v1/instances', {}, { key })).status).toBe(403)
})

test.each(SCOPES)('a key can be created with %s, and GET /v1/me shows it', async (scope) => {
  const made = (await w.service.carryOut({
    command: 'keys.create',
    input: { name: 'One', scopes: [scope], allowed_instance_ids: null },
  })) as { key: string }
  expect((await w.api('GET', '/v1/me', undefined, { key: made.key })).body).toMatchObject({
    account: { id: w.account.id, name: w.account.name },
    scopes: [scope],
    allowed_instance_ids: null,
    key: { name: 'One', last4: made.key.slice(-4), expires_at: null },
  })
})

test('refuses a key with an unknown scope', async () => {
  const input = { name: 'One', scopes: ['instances:destroy'], allowed_instance_ids: null }
  await expect(w.service.carryOut({ command: 'keys.create', input })).rejects.toThrow(/must be one of/)
})
