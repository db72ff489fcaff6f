import { afterEach, beforeEach, expect, test } from 'vitest'
import { createIdempotency } from '../../main/kernel/idempotency.ts'
import { callOnce, createOnce, keyedRequest } from '../../main/kernel/keyed-request.ts'
import { fakeClock } from '../support/clock.ts'
import { testDatabase } from '../support/database.ts'

let home: Awaited<ReturnType<typeof testDatabase>>
let made: string[]
beforeEach(async () => {
  home = await testDatabase()
  made = []
})
afterEach(() => home.close())

function room() {
  const deps = { db: home.db, idempotency: createIdempotency({ clock: fakeClock() }) }
  const request = { operation: 'POST things', scopeId: 'account', key: 'one' as string | null, rawBody: { name: 'a' } }
  const create = (subjectId: string, change: Partial<typeof request> = {}) =>
    createOnce(deps, { ...request, ...change, subjectId }, async () => async () => {
      made.push(subjectId)
      return { id: subjectId }
    })
  return { deps, request, create }
}

test('a repeat returns the bytes of the first answer, and creates nothing', async () => {
  const { create } = room()
  const first = await create('thing_1')
  expect(first.replayed).toBe(false)
  expect(await create('thing_2')).toEqual({ bytes: first.bytes, replayed: true })
  expect(made).toEqual(['thing_1'])
})

test('of two concurrent requests one creates the resource, and the other gets its answer', async () => {
  const { create } = room()
  const answers = await Promise.all([create('thing_1'), create('thing_2')])
  expect(answers.map(({ replayed }) => replayed)).toEqual([false, true])
  expect(answers[1].bytes).toEqual(answers[0].bytes)
  expect(made).toEqual(['thing_1'])
})

test('without a key each request creates a new resource', async () => {
  const { create } = room()
  for (const id of ['thing_1', 'thing_2']) expect((await create(id, { key: null })).replayed).toBe(false)
  expect(made).toEqual(['thing_1', 'thing_2'])
})

test('the same key with another body conflicts, and creates nothing', async () => {
  const { create } = room()
  await create('thing_1')
  await expect(create('thing_2', { rawBody: { name: 'b' } })).rejects.toMatchObject({ code: 'idempotency_conflict' })
  expect(made).toEqual(['thing_1'])
})

test('a refused request leaves the key free', async () => {
  const { deps, request, create } = room()
  const refused = createOnce(deps, { ...request, subjectId: 'thing_1' }, async () => async () => {
    throw new Error('Too many.')
  })
  await expect(refused).rejects.toThrow('Too many.')
  expect((await create('thing_2')).replayed).toBe(false)
})

test('a key whose request still runs is in progress, and is free once it is released', async () => {
  const { deps, request, create } = room()
  const keyed = keyedRequest(deps, request)
  expect(await keyed.earlier()).toBeUndefined()
  expect(await home.db.commit((tx) => keyed.claim(tx, 'thing_1'))).toBeUndefined()
  await expect(create('thing_2')).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  await home.db.commit((tx) => keyed.release(tx, 'thing_1'))
  expect((await create('thing_2')).replayed).toBe(false)
})

/** Something outside, which is done or not, and whose answer is lost or not. */
function outside() {
  const { deps, request } = room()
  const call = (act: () => Promise<object>, isUndone = false) =>
    callOnce(deps, { ...request, subjectId: `act_${made.length}` }, act, () => isUndone)
  const doIt = async () => ({ id: made.push('done') })
  const doItAndLoseTheAnswer = async () => {
    made.push('done')
    throw new Error('The connection was lost.')
  }
  return { deps, request, call, doIt, doItAndLoseTheAnswer }
}

test('an external call that succeeded is replayed with the same bytes, and not repeated', async () => {
  const { call, doIt } = outside()
  const first = await call(doIt)
  expect(first.replayed).toBe(false)
  expect(await call(doIt)).toEqual({ bytes: first.bytes, replayed: true })
  expect(made).toEqual(['done'])
})

test('an external call with an unknown outcome is never repeated, and the error says that it may have been carried out', async () => {
  const { call, doIt, doItAndLoseTheAnswer } = outside()
  await expect(call(doItAndLoseTheAnswer)).rejects.toThrow('lost')
  for (let times = 0; times < 2; times++)
    await expect(call(doIt)).rejects.toMatchObject({
      code: 'idempotency_in_progress',
      message: expect.stringContaining('may have been carried out') as string,
    })
  expect(made).toEqual(['done'])
})

test('an external call that was refused is made again on a repeat', async () => {
  const { call, doIt } = outside()
  const refuse = async () => {
    throw new Error('Too many.')
  }
  await expect(call(refuse, true)).rejects.toThrow('Too many.')
  expect((await call(doIt)).replayed).toBe(false)
  expect(made).toEqual(['done'])
})

test('an external call that an earlier process started is not started again', async () => {
  const { deps, request, call, doIt } = outside()
  const { idempotency } = deps
  const fp = idempotency.fingerprint(request.operation, request.scopeId, request.rawBody)
  const left = { scopeId: request.scopeId, key: 'one', fp, subjectId: 'act_0', boot: 'boot_before' as never }
  await home.db.commit((tx) => idempotency.claim(tx, left))
  await expect(call(doIt)).rejects.toMatchObject({ message: expect.stringContaining('was interrupted') as string })
  expect(made).toEqual([])
})

test('two concurrent requests make one external call; the second is told that the first still runs', async () => {
  const { call, doIt } = outside()
  const { promise: gate, resolve: open } = Promise.withResolvers<undefined>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>()
  const slow = call(async () => {
    begin(undefined)
    await gate
    return doIt()
  })
  await begun
  await expect(call(doIt)).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  open(undefined)
  expect((await slow).replayed).toBe(false)
  expect(made).toEqual(['done'])
})
