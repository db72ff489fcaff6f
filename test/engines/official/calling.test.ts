import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANA, cloudWorld, graphError } from './cloud-world.ts'
import { graphWorld, type GraphWorld } from './graph-world.ts'

const SDP = 'v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=rtpmap:111 opus/48000/2\r\na=fingerprint:sha-256 00:11\r\n'

let world: GraphWorld
beforeAll(async () => {
  world = await graphWorld()
})
afterAll(() => world.close())

test('a number that is also used in the Business app cannot call, and gets an error before Meta is asked', async () => {
  const credentials = await world.number('12025550420', { messagingLimit: 'TIER_2K' })
  world.graph.useApp(credentials.phoneNumberId, true)
  const instance = await world.connect(credentials)
  const { calling } = world.official
  expect(() => calling.requireCallable(instance)).toThrow(/WhatsApp Business app/)
  // Meta would refuse it too.
  await expect(calling.permission(instance, ANA)).rejects.toMatchObject({ detail: { reason: 'calls_off' } })
  const other = await world.connect(await world.number('12025550421', { messagingLimit: 'TIER_2K' }))
  expect(() => calling.requireCallable(other)).not.toThrow()
  expect(await calling.permission(other, ANA)).toBe('missing')
})

test('a number below the messaging limit for calls gets advice to raise it, and can call after it is raised', async () => {
  const credentials = await world.number('12025550422')
  const instance = await world.connect(credentials)
  const { calling } = world.official
  await expect(calling.permission(instance, ANA)).rejects.toMatchObject({
    ...{ code: 'invalid_state', detail: { reason: 'calls_need_limit', params: { limit: 250, needed: 2_000 } } },
    message: expect.stringContaining('at least 2000 people'),
  })
  await expect(calling.connect(instance, { number: ANA, sdp: SDP, callId: 'call_1' })).rejects.toMatchObject({
    reason: 'calls_not_offered',
  })
  await world.graph.limit(credentials.phoneNumberId, 'TIER_2K')
  await expect.poll(() => calling.permission(instance, ANA), { timeout: 5_000 }).toBe('missing')
})

test('a number of a country without business calls gets an error that says so', async () => {
  const instance = await world.connect(await world.number('905301234567', { messagingLimit: 'TIER_2K' }))
  const { calling } = world.official
  expect(await calling.permission(instance, ANA)).toBe('missing')
  await expect(calling.connect(instance, { number: ANA, sdp: SDP, callId: 'call_2' })).rejects.toMatchObject({
    reason: 'calls_not_offered',
  })
})

test.each([
  // The number has a limit of 1,000 people.
  [138_000, 'invalid_state', 'calls_need_limit'],
  [138_002, 'invalid_state', 'calls_at_once'],
  [138_005, 'invalid_state', 'calls_too_many'],
  [138_012, 'invalid_state', 'calls_too_many'],
  [138_013, 'invalid_state', 'calls_not_in_country'],
  [131_000, 'upstream_unavailable', 'meta_calling'],
])('the error %d of Meta is explained', async (code, error, reason) => {
  const cloud = await cloudWorld()
  const instance = await cloud.connected()
  cloud.answer((_request, path) => (path.endsWith('/call_permissions') ? graphError(code) : undefined))
  await expect(cloud.official.calling.permission(instance, ANA)).rejects.toMatchObject({
    ...{ code: error, detail: { reason } },
  })
  await cloud.close()
})
