import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InstanceListener } from '../../../main/capabilities/instances/index.ts'
import { LIMITS } from '../../../main/contract/limits.ts'
import { createCheck } from '../../../main/faces/validation.ts'
import { instancesContract } from '../../../main/capabilities/instances/contract.ts'
import type { AccountId, InstanceId } from '../../../main/kernel/ids.ts'
import { settle } from '../../support/clock.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

const UNKNOWN = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'
const BACK = { kind: 'connected', number: '12025550123', name: 'Acme' } as const

let room: InstancesRoom

beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

const verbs = () => room.smv2.calls.splice(0).map((call) => call.split(' ')[0])
const types = () => room.newEvents().map(({ type }) => type)
const status = async (id: InstanceId) => (await room.instances.get(id)).status
const row = (id: InstanceId) =>
  room.database.raw.prepare('SELECT * FROM instances WHERE id = ?').get(id) as Record<string, unknown>

async function recreate(id: InstanceId) {
  const subject = await room.instances.subject(room.accountId, id)
  if (subject === undefined) throw new Error(`there is no instance ${id}`)
  return room.instances.recreate.one(subject)
}

/** An instance whose engine cannot wipe it. */
async function stuck(): Promise<InstanceId> {
  const { id } = await room.connected()
  room.smv2.script.failing.add('wipe')
  await recreate(id)
  await settle()
  verbs()
  return id
}

describe('a recreated instance', () => {
  test('is recreating first, and connecting once the engine has wiped it', async () => {
    const { id } = await room.connected()
    verbs()
    let seen: string | undefined
    room.smv2.script.during = async (call) => {
      if (call === 'wipe') seen = await status(id)
    }
    expect(await recreate(id)).toEqual({ id, status: 'recreating' })
    expect(types()).toEqual([])
    await settle()
    expect(seen).toBe('recreating')
    expect(verbs()).toEqual(['logout', 'stop', 'wipe', 'start'])
    expect(await status(id)).toBe('connecting')
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.connecting', instance: { id }, data: { reason: 'start', attempt: 1 } },
    ])
    expect(room.clock.waiting()).toBe(0)
  })

  test('keeps its names, external_ref, metadata and event sequence, and loses everything else', async () => {
    const wish = { name: 'Shop', external_ref: 'ref', metadata: { plan: 'gold' } }
    const made = await room.connected('12025550123', wish)
    await room.instances.onSignal(made.id, { kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs: 9e12 })
    const before = row(made.id)
    room.newEvents()
    await room.clock.advance(1_000)
    await recreate(made.id)
    await settle()
    const after = await room.instances.get(made.id)
    expect(after).toEqual({
      ...made,
      ...{ status: 'connecting', connected: false, logged_in: false, phone_number: null, profile_name: null },
      status_since: new Date(room.clock.now()).toISOString(),
      ...{ last_connected_at: null, last_disconnect_reason: null, updated_at: after.updated_at },
    })
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(made.updated_at))
    expect(row(made.id)).toMatchObject({ logged_in: 0, blocked_until: null, disconnect_code: null, discard: null })
    expect(room.newEvents()).toMatchObject([{ data: { sequence: Number(before['event_sequence']) + 1 } }])
    expect(await room.instances.connection(made.id)).toEqual({
      ...{ connected: false, logged_in: false, name: null, number: null },
    })
  })

  test('keeps its slot', async () => {
    const small = await instancesRoom({ slots: 1 })
    const { id } = await small.create()
    const subject = await small.instances.subject(small.accountId, id)
    if (subject) await small.instances.recreate.one(subject)
    await settle()
    await expect(small.create()).rejects.toMatchObject({ code: 'no_free_slot' })
    await small.close()
  })

  test('is paired like a new one, and its first login is not a reconnect', async () => {
    const { id } = await room.connected()
    await room.instances.onSignal(id, { kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: null })
    await recreate(id)
    await settle()
    room.newEvents()
    await room.clock.advance(10_000)
    expect(types()).toEqual([])
    await room.instances.onSignal(id, { ...BACK, number: '12025550177' })
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.connected', data: { number: '12025550177', reconnected: false, downtime_seconds: null } },
    ])
    expect((await room.instances.health(id)).reconnects_24h).toBe(0)
  })

  test('of the official engine gets a new onboarding_url after it is wiped, and has none before', async () => {
    const { id } = await room.connected('12025550123', { engine: 'official' })
    let seen: string | undefined = 'not looked'
    room.official.script.during = async (call) => {
      if (call === 'wipe') seen = (await room.instances.get(id)).onboarding_url
    }
    room.official.calls.length = 0
    await recreate(id)
    await settle()
    expect(seen).toBeUndefined()
    expect(room.official.calls.map((call) => call.split(' ')[0])).toEqual(['logout', 'stop', 'wipe', 'start'])
    expect(await room.instances.get(id)).toMatchObject({ status: 'connecting', onboarding_url: expect.any(String) })
    expect(types()).toEqual(['instance.connecting'])
    await room.instances.onSignal(id, BACK)
    expect(types()).toEqual(['instance.connected'])
  })

  test('is not found if it was deleted, and stays deleted if it is deleted while it is wiped', async () => {
    const { id } = await room.connected()
    const subject = await room.instances.subject(room.accountId, id)
    room.smv2.script.during = async (call) => {
      if (call === 'stop') await settle(1)
    }
    await recreate(id)
    await room.instances.remove(id)
    await settle()
    expect(types().filter((type) => type !== 'instance.connecting')).toEqual(['instance.deleted'])
    expect(row(id)).toMatchObject({ discard: null })
    if (subject) await expect(room.instances.recreate.one(subject)).rejects.toMatchObject({ code: 'not_found' })
    expect(types()).toEqual([])
  })
})

describe.each(['created', 'qr', 'disconnected', 'auth_failed', 'passkey_required'])('from the status %s', (from) => {
  test('a recreate takes the same steps', async () => {
    const { id } = await room.create()
    const steps = {
      created: async () => {},
      qr: async () => {
        await room.instances.qr.read(id, undefined)
        await room.instances.onSignal(id, { kind: 'qr', attempt: 1, expiresAtMs: 1 })
      },
      disconnected: async () => {
        await steps.qr()
        await room.instances.disconnect(id, false)
      },
      auth_failed: async () => {
        await room.instances.restart(id)
        await room.instances.onSignal(id, { kind: 'auth_failed', reason: 'banned', code: 403, untilMs: null })
      },
      passkey_required: async () => {
        await steps.qr()
        await room.instances.onSignal(id, { kind: 'passkey_required' })
      },
    }
    await steps[from as keyof typeof steps]()
    expect(await status(id)).toBe(from)
    room.newEvents()
    verbs()
    await recreate(id)
    await settle()
    expect(verbs()).toEqual(['logout', 'stop', 'wipe', 'start'])
    expect(room.newEvents()).toMatchObject([{ type: 'instance.connecting', data: { reason: 'start', attempt: 1 } }])
  })
})

describe('while an instance is recreating', () => {
  test('no signal and no call changes its status', async () => {
    const id = await stuck()
    const before = row(id)
    const signals = [
      BACK,
      { kind: 'qr', attempt: 1, expiresAtMs: 1 },
      { kind: 'qr_expired' },
      { kind: 'passkey_required' },
      { kind: 'link_lost', reason: 'x', code: null, nextRetryAtMs: null },
      { kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null },
    ] as const
    for (const signal of signals) await room.instances.onSignal(id, signal)
    for (const call of [
      () => room.instances.restart(id),
      () => room.instances.qr.refresh(id),
      () => room.instances.disconnect(id, false),
      () => room.instances.disconnect(id, true),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'invalid_state' })
    }
    expect(row(id)).toEqual(before)
    expect(types()).toEqual([])
    expect(verbs()).toEqual([])
  })

  test('an official instance is not connected by a late login', async () => {
    const { id } = await room.connected('12025550123', { engine: 'official' })
    room.official.script.failing.add('wipe')
    await recreate(id)
    await settle()
    await room.instances.onSignal(id, BACK)
    expect(await status(id)).toBe('recreating')
    expect(types()).toEqual([])
  })

  test('reading the QR reports a pending code without asking the engine', async () => {
    const id = await stuck()
    expect(await room.instances.qr.read(id, '12025550123')).toEqual({
      ...{ qr: null, pairing_code: null, state: 'pending', expires_at: null, attempt: 0 },
    })
    expect(verbs()).toEqual([])
  })

  test('repeated recreates have no further effect', async () => {
    const { id } = await room.connected()
    verbs()
    const before = await Promise.all([recreate(id), recreate(id), recreate(id)])
    expect(new Set(before.map((answer) => answer.status))).toEqual(new Set(['recreating']))
    await settle(8)
    expect(types()).toEqual(['instance.connecting'])
    expect(verbs()).toEqual(['logout', 'stop', 'wipe', 'start'])
  })
})

describe('a recreate with an unreachable engine', () => {
  test('is retried at growing intervals until the engine has wiped the instance', async () => {
    const id = await stuck()
    await room.clock.advance(1_000)
    expect(verbs()).toEqual(['logout', 'stop', 'wipe'])
    await room.clock.advance(1_000)
    expect(verbs()).toEqual([])
    await room.clock.advance(1_000)
    expect(verbs()).toEqual(['logout', 'stop', 'wipe'])
    room.smv2.script.failing.clear()
    await room.clock.advance(4_000)
    expect(verbs()).toEqual(['logout', 'stop', 'wipe', 'start'])
    expect(types()).toEqual(['instance.connecting'])
    await room.clock.advance(10_000)
    expect(verbs()).toEqual([])
    expect(room.clock.waiting()).toBe(0)
    expect(await status(id)).toBe('connecting')
  })

  test('succeeds if only the logout fails', async () => {
    const { id } = await room.connected()
    room.smv2.script.failing.add('logout')
    await recreate(id)
    await settle()
    expect(await status(id)).toBe('connecting')
  })

  test('starts pairing at the next read of the QR if the start failed', async () => {
    const { id } = await room.connected()
    room.smv2.script.failing.add('start')
    await recreate(id)
    await settle()
    room.smv2.script.failing.clear()
    verbs()
    expect(await room.instances.qr.read(id, undefined)).toMatchObject({ state: 'pending' })
    expect(verbs()).toEqual(['start', 'qr'])
    expect(types()).toEqual(['instance.connecting'])
  })
})

describe('a recreate that is interrupted by a stop of the service', () => {
  test('continues at the next start', async () => {
    const id = await stuck()
    room.smv2.script.failing.clear()
    await room.restarted().resumeAll()
    expect(await status(id)).toBe('recreating')
    expect(verbs()).toEqual([])
    await room.instances.start()
    await settle()
    expect(verbs()).toEqual(['logout', 'stop', 'wipe', 'start'])
    expect(types()).toEqual(['instance.connecting'])
    await room.restarted().resumeAll()
    await room.instances.start()
    await settle()
    expect(verbs()).toEqual(['resume'])
  })

  test('leaves no timer', async () => {
    await stuck()
    room.instances.close()
    expect(room.clock.waiting()).toBe(0)
    await room.clock.advance(5_000)
    expect(verbs()).toEqual([])
  })
})

describe('recreating several instances at the same time', () => {
  const batch = (
    instanceIds: readonly string[],
    mayReach: (id: string) => boolean = () => true,
    accountId: AccountId = room.accountId,
  ) => room.instances.recreate.batch({ accountId, instanceIds, mayReach })

  test('returns a result for each, in the requested order', async () => {
    const [one, gone, two] = [await room.connected(), await room.create(), await room.create({ engine: 'official' })]
    await room.instances.remove(gone.id)
    room.newEvents()
    const error = { code: 'not_found', message: 'There is no instance with this id.' }
    const { batchId, results } = await batch([two.id, UNKNOWN, gone.id, one.id.toUpperCase()])
    expect(batchId).toMatch(/^[0-9a-f-]{36}$/)
    expect(results).toEqual([
      { id: two.id, status: 'recreating' },
      { id: UNKNOWN, error },
      { id: gone.id, error },
      { id: one.id.toUpperCase(), status: 'recreating' },
    ])
    await settle()
    expect(room.newEvents().map(({ type, instance }) => [type, instance.id])).toEqual(
      expect.arrayContaining([
        ['instance.connecting', one.id],
        ['instance.connecting', two.id],
      ]),
    )
    expect([await status(one.id), await status(two.id)]).toEqual(['connecting', 'connecting'])
  })

  test('returns the same error for inaccessible and unknown instances, and does not change them', async () => {
    const [mine, other] = [await room.connected('12025550101'), await room.connected('12025550102')]
    const before = row(other.id)
    const { results } = await batch([other.id, mine.id, UNKNOWN], (id) => id === mine.id)
    const [outside, reached, unknown] = results
    expect(reached).toEqual({ id: mine.id, status: 'recreating' })
    expect({ ...outside, id: '' }).toEqual({ ...unknown, id: '' })
    const foreign = await batch([other.id], undefined, 'another' as AccountId)
    expect({ ...foreign.results[0], id: '' }).toEqual({ ...unknown, id: '' })
    await settle()
    expect(row(other.id)).toEqual(before)
  })

  test('works for a full batch', async () => {
    const ids = []
    for (let i = 0; i < LIMITS.batchRecreate; i++) ids.push((await room.create()).id)
    room.newEvents()
    const { results } = await batch(ids)
    expect(results).toEqual(ids.map((id) => ({ id, status: 'recreating' })))
    await settle(20)
    expect(types()).toEqual(ids.map(() => 'instance.connecting'))
  })

  test('refuses a repeated id, in any case', async () => {
    const { id } = await room.create()
    room.newEvents()
    await expect(batch([id, id.toUpperCase()])).rejects.toMatchObject({ code: 'validation_error' })
    expect(await status(id)).toBe('created')
  })

  test.each([
    ['none', []],
    ['one too many', Array.from({ length: 51 }, (_, i) => UNKNOWN.slice(0, -2) + String(10 + i))],
    ['one twice', [UNKNOWN, UNKNOWN]],
    ['what is no id', ['batch']],
  ])('refuses a body with %s', (_what, instance_ids) => {
    const check = createCheck('body', instancesContract.recreateInstances.body)
    expect(() => check({ instance_ids })).toThrow(expect.objectContaining({ code: 'validation_error' }))
  })
})

describe('rooms with data of an instance', () => {
  const heard = () => {
    const changes: Parameters<InstanceListener>[1][] = []
    room.instances.subscribe(async (_tx, change) => void changes.push(change))
    return changes
  }

  test('are notified of a recreate, a deletion and each new number', async () => {
    const changes = heard()
    const { id } = await room.connected('12025550101')
    await room.instances.onSignal(id, { ...BACK, number: '12025550101', name: 'Another name' })
    await room.instances.onSignal(id, { ...BACK, number: '12025550102' })
    await recreate(id)
    await settle()
    await room.instances.remove(id)
    await room.instances.remove(id)
    expect(changes).toEqual([
      { kind: 'number', id, number: '12025550101' },
      { kind: 'number', id, number: '12025550102' },
      { kind: 'recreated', id },
      { kind: 'deleted', id },
    ])
  })

  test('roll the change back if they fail', async () => {
    const { id } = await room.connected()
    const before = row(id)
    room.instances.subscribe(async () => {
      throw new Error('no')
    })
    await expect(recreate(id)).rejects.toThrow('no')
    await expect(room.instances.remove(id)).rejects.toThrow('no')
    expect(row(id)).toEqual(before)
    expect(types()).toEqual([])
  })
})
