import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LinkSignal } from '../../../main/capabilities/instances/index.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

let room: InstancesRoom

beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

const LOST: LinkSignal = { kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: null }
const BACK: LinkSignal = { kind: 'connected', number: '12025550123', name: 'Acme' }

const signal = (id: InstanceId, what: LinkSignal) => room.instances.onSignal(id, what)
const status = async (id: InstanceId) => (await room.instances.get(id)).status
const types = () => room.newEvents().map(({ type }) => type)

describe('pairing', () => {
  test('goes from created to connected with one event each', async () => {
    const { id } = await room.create()
    await room.instances.qr.read(id, undefined)
    await signal(id, { kind: 'qr', attempt: 1, expiresAtMs: room.clock.now() + 60_000 })
    expect(await status(id)).toBe('qr')
    await room.clock.advance(60_000)
    await signal(id, { kind: 'qr', attempt: 2, expiresAtMs: room.clock.now() + 20_000 })
    await signal(id, BACK)
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.created' },
      { type: 'instance.connecting', data: { reason: 'start', attempt: 1 } },
      { type: 'instance.qr.updated', data: { attempt: 1, expires_at: expect.any(String) } },
      { type: 'instance.qr.updated', data: { attempt: 2 } },
      {
        type: 'instance.connected',
        data: { number: '12025550123', name: 'Acme', reconnected: false, downtime_seconds: null },
      },
    ])
    expect(await room.instances.get(id)).toMatchObject({
      status: 'connected',
      connected: true,
      phone_number: '12025550123',
      profile_name: 'Acme',
      last_connected_at: new Date(room.clock.now()).toISOString(),
      last_disconnect_reason: null,
    })
  })

  test('ends disconnected without a retry when its codes have expired', async () => {
    const { id } = await room.create()
    await room.instances.qr.read(id, undefined)
    await signal(id, { kind: 'qr', attempt: 6, expiresAtMs: room.clock.now() })
    room.newEvents()
    await signal(id, { kind: 'qr_expired' })
    expect(room.newEvents()).toMatchObject([
      {
        type: 'instance.disconnected',
        data: { reason: 'qr_expired', code: null, will_retry: false, next_retry_at: null },
      },
    ])
    await signal(id, BACK)
    expect(await status(id)).toBe('disconnected')
    expect(types()).toEqual([])
  })

  test('that asks for a passkey changes the status without an event', async () => {
    const { id } = await room.create()
    await room.instances.qr.read(id, undefined)
    await signal(id, { kind: 'qr', attempt: 1, expiresAtMs: room.clock.now() })
    room.newEvents()
    await signal(id, { kind: 'passkey_required' })
    expect(await status(id)).toBe('passkey_required')
    expect(types()).toEqual([])
  })
})

describe('a lost connection', () => {
  test('that recovers within five seconds causes no event', async () => {
    const { id } = await room.connected()
    await signal(id, LOST)
    expect(await room.instances.get(id)).toMatchObject({
      status: 'connecting',
      connected: false,
      last_disconnect_reason: 'connection_lost',
    })
    await room.clock.advance(4_999)
    await signal(id, BACK)
    await room.clock.advance(60_000)
    expect(await status(id)).toBe('connected')
    expect(types()).toEqual([])
    expect(room.clock.waiting()).toBe(0)
  })

  test('that does not recover is reported once, five seconds after the loss', async () => {
    const { id } = await room.connected()
    const nextRetryAtMs = room.clock.now() + 8_000
    await signal(id, { ...LOST, nextRetryAtMs })
    await room.clock.advance(4_999)
    expect(types()).toEqual([])
    await room.clock.advance(1)
    expect(await status(id)).toBe('disconnected')
    expect(room.newEvents()).toMatchObject([
      {
        type: 'instance.disconnected',
        data: {
          reason: 'connection_lost',
          code: 428,
          will_retry: true,
          next_retry_at: new Date(nextRetryAtMs).toISOString(),
        },
      },
    ])
    await room.clock.advance(3_600_000)
    expect(types()).toEqual([])
  })

  test('that recovers after it was reported causes instance.connected with its downtime', async () => {
    const { id } = await room.connected()
    await signal(id, LOST)
    await room.clock.advance(12_700)
    room.newEvents()
    await signal(id, BACK)
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.connected', data: { reconnected: true, downtime_seconds: 12 } },
    ])
  })

  test('that is signaled repeatedly is reported once', async () => {
    const { id } = await room.connected()
    await signal(id, LOST)
    await room.clock.advance(3_000)
    await signal(id, LOST)
    await room.clock.advance(2_000)
    expect(types()).toEqual(['instance.disconnected'])
    await signal(id, LOST)
    await room.clock.advance(10_000)
    expect(types()).toEqual([])
  })

  test('that is lost again right after recovering has another five seconds', async () => {
    const { id } = await room.connected()
    await signal(id, LOST)
    await room.clock.advance(4_000)
    await signal(id, BACK)
    await signal(id, LOST)
    await room.clock.advance(4_000)
    expect(types()).toEqual([])
    await room.clock.advance(1_000)
    expect(types()).toEqual(['instance.disconnected'])
  })

  test('is reported on time even if the clock is changed', async () => {
    const { id } = await room.connected()
    await signal(id, LOST)
    room.clock.set(room.clock.now() - 86_400_000)
    await room.clock.advance(5_000)
    expect(types()).toEqual(['instance.disconnected'])
  })

  test('that turns out to be a logout causes only instance.auth_failed', async () => {
    const { id } = await room.connected()
    await signal(id, LOST)
    await signal(id, { kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null })
    await room.clock.advance(10_000)
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.auth_failed', data: { reason: 'logged_out', code: 401, until: null } },
    ])
    expect(await room.instances.connection(id)).toEqual({
      connected: false,
      logged_in: false,
      name: null,
      number: null,
    })
  })

  test('of hundreds of instances at the same time is reported for each', async () => {
    const ids: InstanceId[] = []
    for (let i = 0; i < 300; i++) ids.push((await room.connected(`1202555${1000 + i}`)).id)
    await Promise.all(ids.map((id) => signal(id, LOST)))
    await room.clock.advance(5_000)
    expect(types()).toEqual(ids.map(() => 'instance.disconnected'))
  })
})

describe('after a disconnect by the user', () => {
  test('no late signal reconnects the instance', async () => {
    const { id } = await room.connected()
    await room.instances.disconnect(id, false)
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.disconnected', data: { reason: 'user', code: null, will_retry: false, next_retry_at: null } },
    ])
    const before = await room.instances.get(id)
    for (const late of [
      BACK,
      LOST,
      { kind: 'qr', attempt: 1, expiresAtMs: 1 },
      { kind: 'qr_expired' },
      { kind: 'passkey_required' },
    ] as const) {
      await signal(id, late)
    }
    await room.clock.advance(10_000)
    expect(await room.instances.get(id)).toEqual(before)
    expect(types()).toEqual([])
  })

  test('during a short outage nothing is reported a second time', async () => {
    const { id } = await room.connected()
    await signal(id, LOST)
    await room.instances.disconnect(id, false)
    await room.clock.advance(10_000)
    expect(room.newEvents()).toMatchObject([{ type: 'instance.disconnected', data: { reason: 'user' } }])
  })

  test('during retries, the retries end without a second event', async () => {
    const { id } = await room.connected()
    await signal(id, LOST)
    await room.clock.advance(5_000)
    room.newEvents()
    expect(await room.instances.disconnect(id, false)).toEqual({ status: 'disconnected' })
    await signal(id, BACK)
    expect(await room.instances.get(id)).toMatchObject({ status: 'disconnected', last_disconnect_reason: 'user' })
    expect(types()).toEqual([])
  })
})

describe('an official instance', () => {
  test('is connected by its onboarding page, with the events of both statuses, and the page is closed', async () => {
    const { id } = await room.create({ engine: 'official' })
    room.newEvents()
    await signal(id, BACK)
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.connecting', data: { reason: 'start', attempt: 1, sequence: 2 } },
      { type: 'instance.connected', data: { reconnected: false, sequence: 3 } },
    ])
    expect(await room.instances.get(id)).not.toHaveProperty('onboarding_url')
  })

  test('whose token was revoked reconnects through a new onboarding page', async () => {
    const { id } = await room.connected('12025550123', { engine: 'official' })
    await signal(id, { kind: 'auth_failed', reason: 'token_revoked', code: 190, untilMs: null })
    expect(await room.instances.get(id)).toMatchObject({
      status: 'auth_failed',
      onboarding_url: expect.stringContaining('/onboard/'),
    })
    room.newEvents()
    await signal(id, BACK)
    expect(types()).toEqual(['instance.connecting', 'instance.connected'])
  })

  test('that reconnects automatically after an outage causes no instance.connecting', async () => {
    const { id } = await room.connected('12025550123', { engine: 'official' })
    await signal(id, LOST)
    await room.clock.advance(5_000)
    await signal(id, BACK)
    expect(types()).toEqual(['instance.disconnected', 'instance.connected'])
  })
})

describe('updated_at', () => {
  test('changes with the visible fields only', async () => {
    const made = await room.connected()
    const seen = async () => (await room.instances.get(made.id)).updated_at
    const before = await seen()
    await signal(made.id, BACK)
    await signal(made.id, { kind: 'qr_expired' })
    expect(await seen()).toBe(before)
    await signal(made.id, { ...BACK, name: 'Acme Ltd' })
    const renamed = await seen()
    expect(Date.parse(renamed)).toBeGreaterThan(Date.parse(before))
    await signal(made.id, LOST)
    expect(Date.parse(await seen())).toBeGreaterThan(Date.parse(renamed))
    expect(types()).toEqual([])
  })
})

test('the sequence rises by one with every event of an instance, from any room', async () => {
  const [one, two] = [await room.create(), await room.create()]
  await room.instances.update(one.id, { name: 'Store' })
  const { db } = room.database
  const data = { message_id: 'm', chat: 'c', from: '12025550100', from_me: false, emoji: '👍' }
  await db.commit((tx) => room.instances.announce(tx, one.id, 'message.reaction', data, 1_000))
  await room.instances.remove(one.id)
  await room.instances.update(two.id, { name: 'Other' })
  const events = room.newEvents()
  expect(
    events.map(({ type, instance, data: { sequence } }) => [type, instance.id === one.id ? 'one' : 'two', sequence]),
  ).toEqual([
    ['instance.created', 'one', 1],
    ['instance.created', 'two', 1],
    ['instance.updated', 'one', 2],
    ['message.reaction', 'one', 3],
    ['instance.deleted', 'one', 4],
    ['instance.updated', 'two', 2],
  ])
  expect(events[3]?.data).toEqual({ ...data, occurred_at: '1970-01-01T00:00:01.000Z', sequence: 3 })
})

test('an event and its state change are rolled back together', async () => {
  const { id } = await room.create()
  room.newEvents()
  const failing = room.database.db.commit(async (tx) => {
    await room.instances.announce(tx, id, 'instance.deleted', { name: 'x', deleted_at: 'y' })
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await room.instances.update(id, { name: 'Store' })
  expect(room.newEvents()).toMatchObject([{ type: 'instance.updated', data: { sequence: 2 } }])
})
