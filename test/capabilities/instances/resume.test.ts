import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LinkSignal } from '../../../main/capabilities/instances/index.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { settle } from '../../support/clock.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

let room: InstancesRoom

beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

const LOST: LinkSignal = { kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: null }
const types = () => room.newEvents().map(({ type }) => type)
const row = (id: InstanceId) => room.database.raw.prepare('SELECT * FROM instances WHERE id = ?').get(id)
const start = (id: InstanceId, link: 'connected' | 'connecting' | 'no_session') => {
  room.smv2.script.links.set(id, link)
  room.smv2.calls.length = 0
  return room.restarted().resumeAll()
}

describe('after a restart of the service', () => {
  test('an instance that is still connected is not changed', async () => {
    const { id } = await room.connected()
    const before = row(id)
    await room.clock.advance(3_600_000)
    await start(id, 'connected')
    expect(row(id)).toEqual(before)
    expect(types()).toEqual([])
    expect(room.clock.waiting()).toBe(0)
  })

  test('an instance that is still connecting may recover silently within five seconds', async () => {
    const { id } = await room.connected()
    await start(id, 'connecting')
    expect((await room.instances.get(id)).status).toBe('connecting')
    await room.clock.advance(4_000)
    await room.instances.onSignal(id, { kind: 'connected', number: '12025550123', name: 'Acme' })
    await room.clock.advance(10_000)
    expect(types()).toEqual([])
  })

  test('an instance that does not reconnect is reported after five seconds', async () => {
    const { id } = await room.connected()
    await start(id, 'connecting')
    await room.clock.advance(5_000)
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.disconnected', data: { reason: 'service_restarted', will_retry: true } },
    ])
  })

  test('an instance whose session is gone is disconnected permanently', async () => {
    const { id } = await room.connected()
    await start(id, 'no_session')
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.disconnected', data: { reason: 'session_lost', will_retry: false } },
    ])
    expect(await room.instances.connection(id)).toMatchObject({ connected: false, logged_in: false })
  })

  test('a pairing that was in progress is over', async () => {
    const { id } = await room.create()
    await room.instances.qr.read(id, undefined)
    await room.instances.onSignal(id, { kind: 'qr', attempt: 1, expiresAtMs: 1 })
    room.newEvents()
    await start(id, 'no_session')
    expect(room.newEvents()).toMatchObject([{ type: 'instance.disconnected', data: { reason: 'pairing_interrupted' } }])
  })

  test('a connection lost before the restart has the rest of its five seconds', async () => {
    const { id } = await room.connected()
    await room.instances.onSignal(id, LOST)
    await room.clock.advance(3_000)
    await start(id, 'connecting')
    await room.clock.advance(1_999)
    expect(types()).toEqual([])
    await room.clock.advance(1)
    expect(room.newEvents()).toMatchObject([{ type: 'instance.disconnected', data: { reason: 'connection_lost' } }])
  })

  test('a connection lost longer than five seconds ago is reported before its recovery', async () => {
    const { id } = await room.connected()
    await room.instances.onSignal(id, LOST)
    room.instances.close()
    await room.clock.advance(60_000)
    expect(types()).toEqual([])
    await start(id, 'connected')
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.disconnected', data: { reason: 'connection_lost' } },
      { type: 'instance.connected', data: { reconnected: true, downtime_seconds: 60 } },
    ])
  })

  test('a lost connection is reported on time even if the clock was set back', async () => {
    const { id } = await room.connected()
    await room.instances.onSignal(id, LOST)
    room.clock.set(room.clock.now() - 86_400_000)
    await start(id, 'connecting')
    await room.clock.advance(5_000)
    expect(types()).toEqual(['instance.disconnected'])
  })

  test('an outage that was reported before continues, ends or is given up without another report', async () => {
    const ids = [
      (await room.connected('12025550101')).id,
      (await room.connected('12025550102')).id,
      (await room.connected('12025550103')).id,
    ] as const
    for (const id of ids) await room.instances.onSignal(id, LOST)
    await room.clock.advance(5_000)
    room.newEvents()
    room.smv2.script.links = new Map([
      [ids[0], 'connecting'],
      [ids[1], 'connected'],
      [ids[2], 'no_session'],
    ])
    await room.restarted().resumeAll()
    const [first, second, third] = await Promise.all(ids.map((id) => room.instances.get(id)))
    expect([first?.status, second?.status, third?.status]).toEqual(['disconnected', 'connected', 'disconnected'])
    expect(third?.last_disconnect_reason).toBe('session_lost')
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.connected', instance: { id: ids[1] }, data: { reconnected: true } },
    ])
    await room.instances.onSignal(ids[2], { kind: 'connected', number: '12025550103', name: null })
    expect(types()).toEqual([])
  })

  test('engines are not asked about instances that should not be connected', async () => {
    const created = await room.create()
    const stopped = await room.connected('12025550101')
    await room.instances.disconnect(stopped.id, false)
    const refused = await room.connected('12025550102')
    await room.instances.onSignal(refused.id, { kind: 'auth_failed', reason: 'banned', code: 403, untilMs: null })
    const deleted = await room.connected('12025550103')
    await room.instances.remove(deleted.id)
    room.newEvents()
    await start(created.id, 'connected')
    expect(room.smv2.calls).toEqual([])
    expect(types()).toEqual([])
  })

  test('an engine that fails to resume counts as a lost connection', async () => {
    const { id } = await room.connected()
    room.smv2.script.failing.add('resume')
    await start(id, 'connected')
    expect((await room.instances.get(id)).status).toBe('connecting')
  })

  test('an unfinished logout is completed first', async () => {
    const { id } = await room.connected()
    room.smv2.script.failing.add('logout')
    await room.instances.disconnect(id, true)
    room.smv2.script.failing.clear()
    await start(id, 'connected')
    expect(room.smv2.calls).toEqual([`logout ${id}`])
    await start(id, 'connected')
    expect(room.smv2.calls).toEqual([])
  })
})

test('ten thousand connected instances resume without a single write', async () => {
  const { raw } = room.database
  const { id } = await room.connected()
  const insert = raw.prepare(
    `INSERT INTO instances SELECT @id, account_id, name, @id, engine, network, external_ref, metadata, event_sequence, status, status_at,
       logged_in, phone_number, profile_name, will_retry, next_retry_at, link_lost_at, down_at, attempts, qr_attempt, qr_expires_at,
       last_connected_at, last_disconnect_reason, disconnect_code, blocked_until, discard, created_at, @at, deleted_at, created_by
     FROM instances WHERE id = @from`,
  )
  raw.transaction(() => {
    for (let i = 1; i < 10_000; i++) {
      const copy = `copy-${i}`
      insert.run({ id: copy, from: id, at: i })
      room.smv2.script.links.set(copy as InstanceId, 'connected')
    }
  })()
  room.smv2.script.links.set(id, 'connected')
  const version = () => raw.pragma('data_version', { simple: true })
  const before = version()
  room.smv2.calls.length = 0
  await settle()
  await room.restarted().resumeAll()
  expect(room.smv2.calls).toHaveLength(10_000)
  expect(version()).toBe(before)
})
