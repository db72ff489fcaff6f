import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { slugOf } from '../../../main/capabilities/instances/slug.ts'
import { START_MS } from '../../support/clock.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

let room: InstancesRoom

beforeEach(async () => {
  room = await instancesRoom({ slots: 3 })
})
afterEach(() => room.close())

const at = (ms: number) => new Date(ms).toISOString()

describe('a new instance', () => {
  test('has every field of the record, in order, with its defaults', async () => {
    const made = await room.create()
    expect(JSON.stringify(made)).toBe(
      JSON.stringify({
        id: made.id,
        name: 'Instance 1',
        instance_name: 'instance-1',
        engine: 'smv2',
        status: 'created',
        status_since: at(START_MS + 1),
        connected: false,
        logged_in: false,
        network: 'sandbox',
        phone_number: null,
        profile_name: null,
        external_ref: null,
        metadata: null,
        created_at: at(START_MS + 1),
        updated_at: at(START_MS + 1),
        last_connected_at: null,
        last_disconnect_reason: null,
        banned_until: null,
      }),
    )
    expect(made.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(await room.instances.get(made.id)).toEqual(made)
  })

  test('causes only the event instance.created, with the given values', async () => {
    const made = await room.create({ name: 'Shop', external_ref: 'ref-1', metadata: { b: '2', a: '1' } })
    expect(room.newEvents()).toMatchObject([
      {
        type: 'instance.created',
        account_id: room.accountId,
        instance: { id: made.id, external_ref: 'ref-1', metadata: { b: '2', a: '1' }, engine: 'smv2' },
        data: { name: 'Shop', engine: 'smv2', status: 'created', occurred_at: at(START_MS), sequence: 1 },
      },
    ])
    expect(room.smv2.calls).toEqual([])
  })

  test('on official has an onboarding_url', async () => {
    const made = await room.create({ engine: 'official' })
    const url = `http://127.0.0.1:4780/onboard/token-of-${made.id}`
    expect(made).toMatchObject({ engine: 'official', onboarding_url: url })
    expect(Object.keys(made).indexOf('onboarding_url')).toBe(Object.keys(made).indexOf('metadata') + 1)
    expect(await room.instances.get(made.id)).toMatchObject({ onboarding_url: url })
  })

  test('gets the next number in its name even if earlier instances were deleted', async () => {
    const first = await room.create()
    await room.instances.remove(first.id)
    expect(await room.create()).toMatchObject({ name: 'Instance 2', instance_name: 'instance-2' })
  })

  test('on a network without an engine is refused, and nothing is stored', async () => {
    await expect(room.create({ network: 'live' })).rejects.toMatchObject({ code: 'service_unavailable' })
    await expect(room.create({ network: 'live', engine: 'official' })).rejects.toMatchObject({
      code: 'service_unavailable',
    })
    expect(room.newEvents()).toEqual([])
    expect(await room.create()).toMatchObject({ name: 'Instance 1' })
  })
})

describe('instance_name', () => {
  test.each([
    ['Acme Support', 'acme-support'],
    ['  Ação & Cia. -- São Paulo ', 'acao-cia-sao-paulo'],
    ['Ünïcödé №5', 'unicode-no5'],
    ['サポート', 'instance'],
    ['---', 'instance'],
    ['A', 'a'],
  ])('of %j is %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug)
  })

  test('is unique even if names are not', async () => {
    const names = [
      await room.create({ name: 'Shop' }),
      await room.create({ name: 'shop!' }),
      await room.create({ name: 'Shop' }),
    ]
    expect(names.map(({ instance_name }) => instance_name)).toEqual(['shop', 'shop-2', 'shop-3'])
    expect(names.map(({ name }) => name)).toEqual(['Shop', 'shop!', 'Shop'])
  })

  test('differs from names that look like a generated one', async () => {
    await room.create({ name: 'shop' })
    await room.create({ name: 'shop 3' })
    expect(await room.create({ name: 'shop' })).toMatchObject({ instance_name: 'shop-3-2' })
  })

  test('never changes and is never reused', async () => {
    const made = await room.create({ name: 'Shop' })
    expect(await room.instances.update(made.id, { name: 'Store' })).toMatchObject({
      name: 'Store',
      instance_name: 'shop',
    })
    await room.instances.remove(made.id)
    expect(await room.create({ name: 'Shop' })).toMatchObject({ instance_name: 'shop-2' })
  })
})

describe('slots', () => {
  test('cannot be exceeded, and deleting an instance frees one', async () => {
    const [first] = [await room.create(), await room.create(), await room.create()]
    await expect(room.create()).rejects.toMatchObject({ code: 'no_free_slot' })
    await room.instances.remove(first.id)
    await room.instances.remove(first.id)
    await room.create()
    await expect(room.create()).rejects.toMatchObject({ code: 'no_free_slot' })
  })

  test('cannot be exceeded by concurrent requests', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 10 }, () => room.create()))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(room.newEvents()).toHaveLength(3)
  })
})

describe('an external_ref', () => {
  test('belongs to only one existing instance of the account', async () => {
    const holder = await room.create({ external_ref: 'ref' })
    await expect(room.create({ external_ref: 'ref' })).rejects.toMatchObject({
      code: 'external_ref_conflict',
      message: expect.stringContaining('"ref"'),
    })
    await room.instances.remove(holder.id)
    expect(await room.create({ external_ref: 'ref' })).toMatchObject({ external_ref: 'ref' })
  })

  test('is given to only one of several concurrent requests', async () => {
    const asked = await Promise.allSettled([1, 2, 3].map(() => room.create({ external_ref: 'ref' })))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(room.newEvents()).toHaveLength(1)
  })

  test('is compared exactly, with case and spaces', async () => {
    await room.create({ external_ref: 'Ref' })
    await room.create({ external_ref: 'ref' })
    await room.create({ external_ref: 'ref ' })
  })
})

describe('an Idempotency-Key', () => {
  const call = (wish: object, key = 'k') =>
    room.instances.create({ accountId: room.accountId, createdBy: null, wish, rawBody: wish, idempotencyKey: key })

  test('returns the first response unchanged for a repeat, and creates nothing', async () => {
    const first = await call({ name: 'Shop', metadata: { a: '1' } })
    await room.clock.advance(60_000)
    const repeat = await call({ metadata: { a: '1' }, name: 'Shop' })
    expect([first.replayed, repeat.replayed]).toEqual([false, true])
    expect(JSON.stringify(repeat.record)).toBe(JSON.stringify(first.record))
    expect(room.newEvents()).toHaveLength(1)
  })

  test('gives concurrent requests the same instance', async () => {
    const asked = await Promise.all([1, 2, 3, 4, 5].map(() => call({ name: 'Shop' })))
    expect(new Set(asked.map(({ record }) => JSON.stringify(record))).size).toBe(1)
    expect(room.newEvents()).toHaveLength(1)
  })

  test('with another body is a conflict', async () => {
    await call({ name: 'Shop' })
    await expect(call({ name: 'Store' })).rejects.toMatchObject({ code: 'idempotency_conflict' })
    expect(room.newEvents()).toHaveLength(1)
  })

  test('of a refused request can be used again', async () => {
    const holder = await room.create({ external_ref: 'ref' })
    await expect(call({ external_ref: 'ref' })).rejects.toMatchObject({ code: 'external_ref_conflict' })
    await room.instances.remove(holder.id)
    expect((await call({ external_ref: 'ref' })).replayed).toBe(false)
  })

  test('replays the response even if no slot is free', async () => {
    const first = await call({ name: 'Shop' })
    await room.create()
    await room.create()
    expect((await call({ name: 'Shop' })).record).toEqual(first.record)
  })

  test('creates only one onboarding page at the official engine', async () => {
    await call({ engine: 'official' })
    await call({ engine: 'official' })
    expect(room.official.calls).toHaveLength(1)
  })

  test('leaves nothing at the official engine for concurrent requests that came second', async () => {
    const asked = await Promise.all([1, 2, 3].map(() => call({ engine: 'official' })))
    expect(new Set(asked.map(({ record }) => JSON.stringify(record))).size).toBe(1)
    const idsOf = (act: string) =>
      room.official.calls.flatMap((one) => (one.startsWith(`${act} `) ? [one.split(' ')[1]] : []))
    const id = asked[0]?.record.id
    expect(idsOf('wipe').toSorted()).toEqual(
      idsOf('token')
        .filter((one) => one !== id)
        .toSorted(),
    )
    expect(idsOf('wipe')).toHaveLength(2)
  })
})

test('data that the official engine prepared for a refused instance is wiped', async () => {
  await room.create({ external_ref: 'ref' })
  await expect(room.create({ engine: 'official', external_ref: 'ref' })).rejects.toMatchObject({
    code: 'external_ref_conflict',
  })
  expect(room.official.calls.map((call) => call.split(' ')[0])).toEqual(['token', 'wipe'])
})
