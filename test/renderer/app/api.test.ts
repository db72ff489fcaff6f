import { beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { call, fileUrl } from '../../../renderer/app/api.ts'
import { Problem } from '../../../renderer/app/problem.ts'

const asked: { url: string; method: string; headers: Record<string, string>; body: unknown }[] = []
let answer: () => Response

beforeEach(() => {
  asked.length = 0
  answer = () => Response.json({})
  vi.stubGlobal('fetch', (url: string, { method, headers, body }: RequestInit) => {
    asked.push({
      url,
      method: method ?? 'GET',
      headers: headers as Record<string, string>,
      body: typeof body === 'string' ? JSON.parse(body) : undefined,
    })
    return Promise.resolve(answer())
  })
  return () => vi.unstubAllGlobals()
})

describe('a call', () => {
  test('goes to the path of its operation, with parameters escaped', async () => {
    await call('editSandboxMessage', { params: { number: '5511', id: 'a/b c' }, body: { text: 'Hi' } })
    expect(asked).toMatchObject([
      { url: '/panel/v1/sandbox/phones/5511/messages/a%2Fb%20c/edit', method: 'POST', body: { text: 'Hi' } },
    ])
  })

  test('leaves undefined values out of the query', async () => {
    await call('listInstances', { query: { limit: 5, cursor: undefined } })
    expect(asked).toMatchObject([{ url: '/panel/v1/instances?limit=5', method: 'GET', body: undefined }])
  })

  test('sends the idempotency key as a header and the confirmation in the query', async () => {
    await call('createInstance', { body: { name: 'Front desk' }, idempotencyKey: 'k1' })
    await call('deleteInstance', { params: { id: 'i1' }, confirm: true })
    expect(asked[0]?.headers).toMatchObject({ 'idempotency-key': 'k1', 'content-type': 'application/json' })
    expect(asked[1]).toMatchObject({ url: '/panel/v1/instances/i1?confirm=true', method: 'DELETE' })
    expect(asked[1]?.headers).not.toHaveProperty('idempotency-key')
  })

  test('returns undefined for a response without a body', async () => {
    answer = () => new Response(null, { status: 204 })
    expect(await call('revokeApiKey', { params: { id: 'k1' } })).toBeUndefined()
  })

  test('throws the service’s error as a problem', async () => {
    answer = () => Response.json({ error: { code: 'not_found', message: 'No such instance.' } }, { status: 404 })
    await expect(call('getInstance', { params: { id: 'i1' } })).rejects.toMatchObject({
      code: 'not_found',
      status: 404,
    })
    answer = () => {
      throw new TypeError('Failed to fetch')
    }
    await expect(call('getService')).rejects.toBeInstanceOf(Problem)
  })

  test('is a URL for an operation that returns a file', () => {
    expect(fileUrl('getMedia', { params: { id: 'i1', media_id: 'm 1' } })).toBe('/panel/v1/instances/i1/media/m%201')
    expect(asked).toEqual([])
  })
})

/** Checked by the compiler alone. */
test('the types of a call come from its contract', () => {
  const typed = () => {
    const params = { id: 'i1' }
    expectTypeOf(call('getInstance', { params })).resolves.toEqualTypeOf<InstanceRecord>()
    expectTypeOf(call('revokeApiKey', { params })).resolves.toEqualTypeOf<undefined>()
    // @ts-expect-error no such operation
    void call('getNothing')
    // @ts-expect-error the parameters are missing
    void call('getInstance')
    // @ts-expect-error a parameter of another name
    void call('getInstance', { params: { instance: 'i1' } })
    // @ts-expect-error no such filter
    void call('listInstances', { query: { state: 'ready' } })
    // @ts-expect-error a field of the wrong type
    void call('createInstance', { body: { name: 1 } })
    // @ts-expect-error the operation takes no body
    void call('restartInstance', { params, body: {} })
    // @ts-expect-error the operation does not accept an idempotency key
    void call('restartInstance', { params, idempotencyKey: 'k1' })
    // @ts-expect-error the operation needs no confirmation
    void call('restartInstance', { params, confirm: true })
    // @ts-expect-error an irreversible operation needs a confirmation
    void call('deleteInstance', { params })
    // @ts-expect-error the operation answers with a file
    void call('getMedia', { params: { id: 'i1', media_id: 'm1' } })
    // @ts-expect-error the operation answers with JSON
    void fileUrl('getInstance', { params })
  }
  expect(typed).toBeTypeOf('function')
})
