import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { instancesRoom, type InstancesRoom, type MadeInstance } from '../../support/instances.ts'

let room: InstancesRoom
let made: MadeInstance

beforeEach(async () => {
  room = await instancesRoom()
  made = await room.create({ name: 'Shop', external_ref: 'ref', metadata: { plan: 'gold', seat: '1' } })
  room.newEvents()
  await room.clock.advance(1_000)
})
afterEach(() => room.close())

describe('a PATCH that changes something', () => {
  test('changes updated_at and the given field only, and causes instance.updated with the change', async () => {
    const changed = await room.instances.update(made.id, { name: 'Store' })
    expect(changed).toEqual({ ...made, name: 'Store', updated_at: new Date(room.clock.now()).toISOString() })
    expect(await room.instances.get(made.id)).toEqual(changed)
    expect(room.newEvents()).toMatchObject([
      {
        type: 'instance.updated',
        data: { changes: ['name'], previous: { name: 'Shop' }, current: { name: 'Store' }, sequence: 2 },
      },
    ])
  })

  test('replaces all of metadata', async () => {
    expect(await room.instances.update(made.id, { metadata: { seat: '2' } })).toMatchObject({ metadata: { seat: '2' } })
    expect(room.newEvents()).toMatchObject([
      {
        instance: { metadata: { seat: '2' } },
        data: {
          changes: ['metadata'],
          previous: { metadata: { plan: 'gold', seat: '1' } },
          current: { metadata: { seat: '2' } },
        },
      },
    ])
  })

  test('clears fields with null', async () => {
    const changed = await room.instances.update(made.id, { external_ref: null, metadata: null })
    expect(changed).toMatchObject({ external_ref: null, metadata: null })
    expect(room.newEvents()).toMatchObject([
      {
        instance: { external_ref: null, metadata: null },
        data: { changes: ['external_ref', 'metadata'], current: { external_ref: null, metadata: null } },
      },
    ])
  })

  test('distinguishes an empty object from null', async () => {
    expect(await room.instances.update(made.id, { metadata: {} })).toMatchObject({ metadata: {} })
    expect(await room.instances.update(made.id, { metadata: null })).toMatchObject({ metadata: null })
    expect(room.newEvents()).toHaveLength(2)
  })

  test('reports only the fields that differ', async () => {
    await room.instances.update(made.id, { name: 'Shop', external_ref: 'ref-2', metadata: { seat: '1', plan: 'gold' } })
    expect(room.newEvents()).toMatchObject([{ data: { changes: ['external_ref'] } }])
  })
})

describe('a PATCH that changes nothing', () => {
  test.each([
    ['is empty', {}],
    ['repeats the values', { name: 'Shop', external_ref: 'ref', metadata: { plan: 'gold', seat: '1' } }],
    ['repeats metadata in another order', { metadata: { seat: '1', plan: 'gold' } }],
  ])('because it %s returns the same record and causes no event', async (_how, patch) => {
    expect(await room.instances.update(made.id, patch)).toEqual(made)
    expect(room.newEvents()).toEqual([])
  })
})

describe('an external_ref', () => {
  test('of another instance is refused, and nothing is changed', async () => {
    const other = await room.create({ external_ref: 'other' })
    room.newEvents()
    await expect(room.instances.update(made.id, { name: 'Store', external_ref: 'other' })).rejects.toMatchObject({
      code: 'external_ref_conflict',
    })
    expect(await room.instances.get(made.id)).toEqual(made)
    expect(room.newEvents()).toEqual([])
    await room.instances.update(other.id, { external_ref: null })
    expect(await room.instances.update(made.id, { external_ref: 'other' })).toMatchObject({ external_ref: 'other' })
  })

  test('is given to only one of two concurrent requests', async () => {
    const others = [await room.create(), await room.create()]
    const asked = await Promise.allSettled(
      others.map(({ id }) => room.instances.update(id, { external_ref: 'wanted' })),
    )
    expect(asked.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})

test('a deleted instance cannot be changed', async () => {
  await room.instances.remove(made.id)
  room.newEvents()
  await expect(room.instances.update(made.id, { name: 'Store' })).rejects.toMatchObject({ code: 'not_found' })
  expect(room.newEvents()).toEqual([])
})

test('updated_at rises with every change of the account, even if the clock is set back', async () => {
  const other = await room.create()
  let last = Date.parse(other.updated_at)
  for (let i = 0; i < 50; i++) {
    room.clock.set(room.clock.now() - 10_000)
    const { updated_at } = await room.instances.update(i % 2 ? made.id : other.id, { name: `Name ${i}` })
    expect(Date.parse(updated_at)).toBeGreaterThan(last)
    last = Date.parse(updated_at)
  }
})
