import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANA, cloudWorld, graphError } from './cloud-world.ts'
import { graphWorld, type GraphWorld } from './graph-world.ts'

let world: GraphWorld
beforeAll(async () => {
  world = await graphWorld()
})
afterAll(() => world.close())

test('a number that is also used in the app cannot call, and is told so before Meta is asked', async () => {
  const credentials = await world.number('12025550420')
  world.graph.useApp(credentials.phoneNumberId, true)
  const instance = await world.connect(credentials)
  const { calling } = world.official
  expect(() => calling.requireCallable(instance)).toThrow(/WhatsApp Business app/)
  // Meta would refuse it too.
  await expect(calling.permission(instance, ANA)).rejects.toMatchObject({ detail: { reason: 'calls_off' } })
  const other = await world.connect(await world.number('12025550421'))
  expect(() => calling.requireCallable(other)).not.toThrow()
  expect(await calling.permission(other, ANA)).toBe('missing')
})

test.each([
  [138_000, 'invalid_state', 'calls_off'],
  [138_002, 'invalid_state', 'calls_at_once'],
  [138_005, 'invalid_state', 'calls_too_many'],
  [138_012, 'invalid_state', 'calls_too_many'],
  [131_000, 'upstream_unavailable', 'meta_calling'],
])('says in words what Meta means by %d', async (code, error, reason) => {
  const cloud = await cloudWorld()
  const instance = await cloud.connected()
  cloud.answer((_request, path) => (path.endsWith('/call_permissions') ? graphError(code) : undefined))
  await expect(cloud.official.calling.permission(instance, ANA)).rejects.toMatchObject({
    ...{ code: error, detail: { reason } },
  })
  await cloud.close()
})
