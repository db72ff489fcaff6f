import { describe, expect, test } from 'vitest'
import { accountContract } from '../../../main/capabilities/account/contract.ts'
import { accountHandlers } from '../../../main/capabilities/account/handlers.ts'
import { instancesContract } from '../../../main/capabilities/instances/contract.ts'
import type { Operation } from '../../../main/contract/operation.ts'
import type { Accounts } from '../../../main/capabilities/account/index.ts'
import type { Cursors } from '../../../main/kernel/page.ts'
import type { Principal } from '../../../main/kernel/access.ts'
import { createCheck } from '../../../main/faces/validation.ts'

const operations: Operation[] = [...Object.values(instancesContract), ...Object.values(accountContract)]

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  test('has examples that match its schemas', () => {
    if (operation.body) expect(operation.examples.body).toBeDefined()
    if (operation.body) createCheck('body', operation.body)(structuredClone(operation.examples.body))
    expect(operation.reply.schema === null).toBe(operation.reply.status === 204)
    if (operation.reply.schema) createCheck('body', operation.reply.schema)(structuredClone(operation.examples.reply))
  })
})

describe('the body of a create request', () => {
  const check = (body: unknown) => () => createCheck('body', instancesContract.createInstance.body)(body)
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))

  test.each([
    ['nothing', {}],
    ['every field', { name: 'a', engine: 'official', network: 'live', external_ref: 'r', metadata: { k: 'v' } }],
    ['nulls', { external_ref: null, metadata: null }],
    [
      'the longest allowed',
      { name: '🙂'.repeat(100), external_ref: 'r'.repeat(128), metadata: { ['k'.repeat(64)]: 'v'.repeat(1_024) } },
    ],
    ['16 pairs, one of them empty', { metadata: { ...pairs(15), last: '' } }],
  ])('may contain %s', (_what, body) => {
    expect(check(body)).not.toThrow()
  })

  test.each([
    ['an empty name', { name: '' }],
    ['a name of 101 characters', { name: 'n'.repeat(101) }],
    ['a null name', { name: null }],
    ['an unknown engine', { engine: 'telegram' }],
    ['an empty external_ref', { external_ref: '' }],
    ['an external_ref of 129 characters', { external_ref: 'r'.repeat(129) }],
    ['an external_ref that is a number', { external_ref: 5 }],
    ['17 pairs', { metadata: pairs(17) }],
    ['an empty key', { metadata: { '': 'v' } }],
    ['a key of 65 characters', { metadata: { ['k'.repeat(65)]: 'v' } }],
    ['a value of 1,025 characters', { metadata: { k: 'v'.repeat(1_025) } }],
    ['a value that is a number', { metadata: { k: 1 } }],
    ['a number under a key with a line break', { metadata: { 'k\n': 1 } }],
    ['a nested object', { metadata: { k: { a: 'b' } } }],
    ['a list as metadata', { metadata: ['v'] }],
    ['an unknown field', { status: 'connected' }],
  ])('may not contain %s', (_what, body) => {
    expect(check(body)).toThrow(expect.objectContaining({ code: 'validation_error' }))
  })
})

describe('GET /v1/me', () => {
  const principal: Principal = {
    kind: 'key',
    role: null,
    accountId: 'a' as Principal['accountId'],
    accountName: 'My agency',
    key: { id: 'k' as never, name: 'CRM', last4: 'k3Zq', expiresAtMs: 0, approval: 'none' },
    scopes: ['instances:manage'],
    allowedInstanceIds: ['i'],
    ratePerMinute: 600,
    source: 'api',
  }
  // Only what the handler reads of a call.
  const me = (caller: Principal) =>
    accountHandlers({} as Accounts, {} as Cursors).getMe({ principal: caller } as Parameters<
      ReturnType<typeof accountHandlers>['getMe']
    >[0])

  test('returns the caller’s key with the scopes as they were given', async () => {
    expect(await me(principal)).toEqual({
      account: { id: 'a', name: 'My agency' },
      scopes: ['instances:manage'],
      allowed_instance_ids: ['i'],
      key: { id: 'k', name: 'CRM', last4: 'k3Zq', expires_at: '1970-01-01T00:00:00.000Z' },
    })
  })

  test('returns no key for the console', async () => {
    expect(await me({ ...principal, kind: 'console', key: null, allowedInstanceIds: null })).toMatchObject({
      key: null,
      allowed_instance_ids: null,
    })
  })
})
