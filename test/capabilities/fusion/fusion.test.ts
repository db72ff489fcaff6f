import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFusion, type Fusion } from '../../../main/capabilities/fusion/index.ts'
import * as store from '../../../main/capabilities/fusion/store.ts'
import type { AccountId, InstanceId } from '../../../main/kernel/ids.ts'
import { settle } from '../../support/clock.ts'
import { instancesRoom, type InstancesRoom, type MadeInstance } from '../../support/instances.ts'
import { queryPlan } from '../../support/query-plan.ts'

const NUMBER = '12025550123'
const anybody = () => true

let room: InstancesRoom
let fusion: Fusion

beforeEach(async () => {
  room = await instancesRoom()
  fusion = createFusion({ db: room.database.db, clock: room.clock, instances: room.instances })
})
afterEach(() => room.close())

const official = (number = NUMBER) => room.connected(number, { engine: 'official' })
const phone = (number = NUMBER) => room.connected(number)
const fuse = (one: { id: InstanceId }, other: { id: string }, mayReach: (id: string) => boolean = anybody) =>
  fusion.fuse({ accountId: room.accountId, officialId: one.id, smv2Id: other.id, mayReach })
const read = ({ id }: { id: InstanceId }, mayReach: (id: string) => boolean = anybody) =>
  fusion.read({ accountId: room.accountId, id, mayReach })
const remove = ({ id }: { id: InstanceId }, mayReach: (id: string) => boolean = anybody) =>
  fusion.remove({ accountId: room.accountId, id, mayReach })
const partner = async (side: { id: InstanceId }) => (await read(side)).partner?.id ?? null
const recreate = async ({ id }: { id: InstanceId }) => {
  const subject = await room.instances.subject(room.accountId, id)
  if (subject) await room.instances.recreate.one(subject)
  await settle()
}

async function pair(): Promise<[MadeInstance, MadeInstance]> {
  const both: [MadeInstance, MadeInstance] = [await official(), await phone()]
  await fuse(...both)
  return both
}

describe('fusing', () => {
  test('connects two instances; each shows the other, without events or changes to their records', async () => {
    const [one, two] = [await official(), await phone()]
    expect(await fuse(one, two)).toMatchObject({ instance: { id: one.id }, partner: { id: two.id } })
    expect(await read(one)).toMatchObject({ instance: { id: one.id }, partner: { id: two.id, engine: 'smv2' } })
    expect(await read(two)).toMatchObject({ instance: { id: two.id }, partner: { id: one.id, engine: 'official' } })
    expect(room.newEvents()).toEqual([])
    expect(await room.instances.get(one.id)).toEqual({ ...one, onboarding_url: undefined })
    expect(await room.instances.get(two.id)).toEqual(two)
  })

  test.each([
    ['5511998765432', '551198765432'],
    ['551198765432', '5511998765432'],
  ])('accepts %s and %s as the same number', async (here, there) => {
    await expect(fuse(await official(here), await phone(there))).resolves.toBeDefined()
  })

  test('refuses instances with different numbers', async () => {
    const [one, two] = [await official(), await phone('12025550124')]
    await expect(fuse(one, two)).rejects.toMatchObject({ code: 'phone_mismatch', status: 400 })
    expect([await partner(one), await partner(two)]).toEqual([null, null])
  })

  test('refuses two instances of the same engine, and an instance with itself', async () => {
    const [one, two] = [await official(), await official()]
    await expect(fuse(one, two)).rejects.toMatchObject({ code: 'engine_mismatch', status: 400 })
    await expect(fuse(one, one)).rejects.toMatchObject({ code: 'engine_mismatch' })
    const swapped = await phone()
    await expect(fuse(swapped, one)).rejects.toMatchObject({ code: 'engine_mismatch' })
  })

  test('refuses an instance that is already fused, with the same partner or another', async () => {
    const [one, two] = await pair()
    const [three, four] = [await official(), await phone()]
    for (const sides of [[one, two] as const, [one, four] as const, [three, two] as const]) {
      await expect(fuse(...sides)).rejects.toMatchObject({ code: 'already_fused', status: 409 })
    }
    expect(await partner(one)).toBe(two.id)
    await expect(fuse(three, four)).resolves.toBeDefined()
  })

  test('refuses instances of different networks', async () => {
    const [one, two] = [await official(), await phone()]
    room.database.raw.prepare("UPDATE instances SET network = 'live' WHERE id = ?").run(two.id)
    await expect(fuse(one, two)).rejects.toMatchObject({ code: 'invalid_state', status: 409 })
  })

  test('refuses an instance whose number is not known yet, and accepts one that is only disconnected', async () => {
    const [one, two] = [await official(), await phone()]
    const [newOfficial, newPhone] = [await room.create({ engine: 'official' }), await room.create()]
    await expect(fuse(newOfficial, two)).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('official'),
    })
    await expect(fuse(one, newPhone)).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('smv2'),
    })
    await room.instances.disconnect(two.id, false)
    await expect(fuse(one, two)).resolves.toBeDefined()
  })

  test('gives the same error for an instance that is unknown, deleted, of another account or not allowed for the key', async () => {
    const [one, two, deleted] = [await official(), await phone(), await phone()]
    await room.instances.remove(deleted.id)
    const refusals = await Promise.all(
      [
        fuse(one, { id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60' }),
        fuse(one, deleted),
        fuse(one, two, (id) => id === one.id),
        fuse(one, { id: 'nonsense' }),
      ].map((refused) => refused.catch((error: unknown) => error)),
    )
    expect(new Set(refusals.map(String)).size).toBe(1)
    expect(refusals[0]).toMatchObject({ code: 'not_found', status: 404 })
    const stranger = { accountId: 'another' as AccountId, mayReach: anybody }
    await expect(fusion.fuse({ ...stranger, officialId: one.id, smv2Id: two.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await partner(one)).toBeNull()
  })

  test('one instance with two others at the same time succeeds only once', async () => {
    const [one, two, three] = [await official(), await phone(), await phone()]
    const outcomes = await Promise.allSettled([fuse(one, two), fuse(one, three)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('leaves no fusion if one instance is deleted at the same time', async () => {
    const [one, two] = [await official(), await phone()]
    await Promise.allSettled([room.instances.remove(two.id), fuse(one, two)])
    await Promise.allSettled([fuse(one, two), room.instances.remove(two.id)])
    expect(await partner(one)).toBeNull()
  })
})

describe('a fusion', () => {
  test('is removed for both instances, and can be removed repeatedly', async () => {
    const [one, two] = await pair()
    expect(await remove(one)).toMatchObject({ instance: { id: one.id }, partner: null })
    expect(await remove(one)).toMatchObject({ instance: { id: one.id }, partner: null })
    expect([await partner(one), await partner(two)]).toEqual([null, null])
    expect(room.newEvents()).toEqual([])
    await expect(fuse(one, two)).resolves.toBeDefined()
  })

  test('hides its partner from a key without access to it, and cannot be removed with that key', async () => {
    const [one, two] = await pair()
    for (const [side, other] of [
      [one, two],
      [two, one],
    ] as const) {
      const mine = (id: string) => id !== other.id
      expect(await read(side, mine)).toMatchObject({ fused: true, partner: null })
      await expect(remove(side, mine)).rejects.toMatchObject({ code: 'not_found' })
    }
    expect(await partner(one)).toBe(two.id)
  })

  test.each([0, 1] as const)('ends when either instance is deleted (%i)', async (which) => {
    const both = await pair()
    await room.instances.remove(both[which].id)
    expect(await partner(both[1 - which] as MadeInstance)).toBeNull()
    expect(room.newEvents().map(({ type }) => type)).toEqual(['instance.deleted'])
  })

  test.each([0, 1] as const)('ends for both when either instance is recreated (%i)', async (which) => {
    const both = await pair()
    await recreate(both[which])
    expect([await partner(both[0]), await partner(both[1])]).toEqual([null, null])
    expect(room.newEvents().map(({ type }) => type)).toEqual(['instance.connecting'])
  })

  test('survives a disconnect, a logout and a new login with the same number in another spelling', async () => {
    const [one, two] = [await official('5511998765432'), await phone('5511998765432')]
    await fuse(one, two)
    await room.instances.disconnect(two.id, true)
    expect(await read(one)).toMatchObject({ partner: { id: two.id, phoneNumber: null } })
    await room.instances.restart(two.id)
    await room.instances.onSignal(two.id, { kind: 'connected', number: '551198765432', name: null })
    expect(await partner(one)).toBe(two.id)
    room.restarted()
    expect(await partner(two)).toBe(one.id)
  })

  test('ends when either instance is connected with another number', async () => {
    const [one, two] = await pair()
    await room.instances.disconnect(two.id, true)
    await room.instances.restart(two.id)
    await room.instances.onSignal(two.id, { kind: 'connected', number: '12025550177', name: null })
    expect([await partner(one), await partner(two)]).toEqual([null, null])
  })
})

test('a database constraint refuses an instance in two fusions', async () => {
  const [one, two] = await pair()
  const [three, four] = [await official(), await phone()]
  const insert = room.database.raw.prepare('INSERT INTO fusions VALUES (?, ?, ?, 0)')
  expect(() => insert.run(one.id, four.id, NUMBER)).toThrow('UNIQUE')
  expect(() => insert.run(three.id, two.id, NUMBER)).toThrow('UNIQUE')
  expect(() => insert.run(three.id, 'nobody', NUMBER)).toThrow('FOREIGN KEY')
})

const { insertFusion: _insert, ...queries } = store
test.each(Object.entries(queries))('%s uses the indexes of both instances', (_name, statement) => {
  const plan = queryPlan(room.database.raw, statement)
  expect(plan.join('\n')).not.toMatch(/SCAN|TEMP B-TREE/)
  expect(plan.filter((step) => /^SEARCH fusions USING INDEX .*\((official|smv2)_id=\?\)$/.test(step))).toHaveLength(2)
})
