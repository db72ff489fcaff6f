import { afterEach, beforeEach, expect, test } from 'vitest'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

let room: InstancesRoom
beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

const lines = (network: 'live' | 'sandbox' | null = null) =>
  room.instances.attention({ accountId: room.accountId, role: 'operator', network })
const codes = async () => (await lines()).map(({ code, count }) => `${code} ${count}`).toSorted()

test('numbers that are connected, new or disconnected by a person need no attention', async () => {
  await room.create()
  const { id } = await room.connected()
  await room.instances.disconnect(id, false)
  await room.connected('12025550124')
  expect(await lines()).toEqual([])
})

test('banned, signed-out and lost numbers are listed separately, and a single number by its name', async () => {
  const banned = await room.connected('12025550101', { name: 'Front desk' })
  await room.instances.onSignal(banned.id, { kind: 'auth_failed', reason: 'banned', code: 403, untilMs: null })
  const signedOut: string[] = []
  for (const number of ['12025550102', '12025550103']) {
    const { id } = await room.connected(number)
    signedOut.push(id)
    await room.instances.onSignal(id, { kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null })
  }
  const lost = await room.connected('12025550104')
  await room.instances.onSignal(lost.id, {
    ...{ kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: null },
  })
  expect(await codes()).toEqual(['banned 1', 'lost 1', 'signed_out 2'])
  expect((await lines()).find(({ code }) => code === 'banned')).toMatchObject({
    ...{ severity: 'error', subject: { id: banned.id, name: 'Front desk' }, sinceMs: room.clock.now() },
  })
  expect((await lines()).find(({ code }) => code === 'signed_out')).toMatchObject({ subject: null, ids: signedOut })
  expect(await lines('live')).toEqual([])
})

test('a temporary ban needs attention until it ends', async () => {
  const { id } = await room.connected()
  const untilMs = room.clock.now() + 60_000
  await room.instances.onSignal(id, { kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs })
  expect(await codes()).toEqual(['banned 1'])
  await room.clock.advance(61_000)
  expect(await codes()).not.toContain('banned 1')
})
