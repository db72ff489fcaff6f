import { afterEach, beforeEach, expect, test } from 'vitest'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

let room: InstancesRoom

beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

const verbs = () => room.smv2.calls.map((call) => call.split(' ')[0])

test('deleting causes only the event instance.deleted, with the metadata of the instance', async () => {
  const made = await room.connected('12025550123', { name: 'Shop', external_ref: 'ref', metadata: { a: '1' } })
  const { deletedAtMs } = await room.instances.remove(made.id)
  expect(room.newEvents()).toMatchObject([
    {
      type: 'instance.deleted',
      instance: { id: made.id, external_ref: 'ref', metadata: { a: '1' } },
      data: { name: 'Shop', deleted_at: new Date(deletedAtMs).toISOString() },
    },
  ])
})

test('a repeated delete returns the same response and causes no event', async () => {
  const { id } = await room.create()
  const first = await room.instances.remove(id)
  room.newEvents()
  await room.clock.advance(60_000)
  expect(await Promise.all([room.instances.remove(id), room.instances.remove(id)])).toEqual([first, first])
  expect(room.newEvents()).toEqual([])
})

test('concurrent deletes have one effect', async () => {
  const { id } = await room.create()
  room.newEvents()
  const answers = await Promise.all([1, 2, 3].map(() => room.instances.remove(id)))
  expect(new Set(answers.map(({ deletedAtMs }) => deletedAtMs)).size).toBe(1)
  expect(room.newEvents()).toHaveLength(1)
})

test('deleting logs the session out and wipes it, once', async () => {
  const { id } = await room.connected()
  room.smv2.calls.length = 0
  await room.instances.remove(id)
  expect(verbs()).toEqual(['logout', 'stop', 'wipe'])
  await room.instances.remove(id)
  expect(verbs()).toEqual(['logout', 'stop', 'wipe'])
})

test('an instance can be deleted while its engine is unreachable, and is wiped at the next start', async () => {
  const { id } = await room.connected()
  room.smv2.script.failing = new Set(['logout', 'stop', 'wipe'])
  await room.instances.remove(id)
  expect(await room.instances.subject(room.accountId, id)).toMatchObject({ deleted: true })

  room.smv2.script.failing.clear()
  room.smv2.calls.length = 0
  await room.restarted().resumeAll()
  expect(verbs()).toEqual(['logout', 'stop', 'wipe'])
  room.smv2.calls.length = 0
  await room.restarted().resumeAll()
  expect(verbs()).toEqual([])
})

test('a deleted instance is not found, and late signals for it are ignored', async () => {
  const { id } = await room.connected()
  await room.instances.remove(id)
  room.newEvents()
  await expect(room.instances.get(id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(room.instances.connection(id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(room.instances.restart(id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await room.instances.subject(room.accountId, id)).toEqual({
    id,
    accountId: room.accountId,
    engine: 'smv2',
    network: 'sandbox',
    connected: false,
    reconnecting: false,
    deleted: true,
  })
  await room.instances.onSignal(id, { kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: null })
  await room.instances.onSignal(id, { kind: 'connected', number: '12025550123', name: null })
  expect(room.newEvents()).toEqual([])
})

test('an outage that was not reported yet ends when its instance is deleted', async () => {
  const { id } = await room.connected()
  await room.instances.onSignal(id, { kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: null })
  await room.instances.remove(id)
  room.newEvents()
  await room.clock.advance(10_000)
  expect(room.newEvents()).toEqual([])
  expect(room.clock.waiting()).toBe(0)
})
