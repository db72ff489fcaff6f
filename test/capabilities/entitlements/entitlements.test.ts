import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createEntitlements, type Entitlements } from '../../../main/capabilities/entitlements/index.ts'
import { FEATURES } from '../../../main/contract/features.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'

const [ROOT, CHILD, SIBLING] = ['root', 'child', 'sibling'] as [AccountId, AccountId, AccountId]

let data: TestDatabase
let config: { slots: number; agencyOvercommit: boolean }
let entitlements: Entitlements

beforeEach(async () => {
  data = await testDatabase()
  config = { slots: 10, agencyOvercommit: false }
  entitlements = createEntitlements({ db: data.db, clock: fakeClock(), config })
  const add = data.raw.prepare(
    'INSERT INTO accounts (id, name, change_at, created_at, parent_account_id) VALUES (?, ?, 0, 0, ?)',
  )
  add.run(ROOT, 'Root', null)
  for (const id of [CHILD, SIBLING]) add.run(id, 'Child', ROOT)
})
afterEach(() => data.close())

const live = (id: AccountId, instances: number) =>
  data.raw.prepare('UPDATE accounts SET instances_live = ? WHERE id = ?').run(instances, id)
const grant = (wish: Parameters<Entitlements['grant']>[1]) => data.db.commit((tx) => entitlements.grant(tx, wish))
const allocate = (accountId: AccountId, slots: number) =>
  grant({ accountId, source: 'agency', sourceKey: accountId, slots, features: [] })
const addOne = (accountId: AccountId) => data.db.commit((tx) => entitlements.requireSlot(tx, accountId))

test('freezing or unfreezing an account notifies once with its sub-accounts, and not if the change is rolled back', async () => {
  const told: (readonly AccountId[])[] = []
  entitlements.onFrozenChanged((ids) => void told.push(ids.toSorted()))
  const owed = (frozen: boolean) => grant({ accountId: ROOT, source: 'billing', sourceKey: 'sub_1', slots: 5, frozen })
  await owed(false)
  await allocate(CHILD, 2)
  expect(told).toEqual([])
  await owed(true)
  await owed(true)
  expect(told).toEqual([[CHILD, ROOT, SIBLING]])
  const undone = data.db.commit(async (tx) => {
    await entitlements.revoke(tx, { source: 'billing', sourceKey: 'sub_1' })
    throw new Error('undone')
  })
  await undone.catch(() => {})
  expect(told).toHaveLength(1)
  for (let n = 0; n < 2; n++)
    await data.db.commit((tx) => entitlements.revoke(tx, { source: 'billing', sourceKey: 'sub_1' }))
  expect(told).toHaveLength(2)
})

describe('an account without a parent', () => {
  test('has the slots of the setting, every feature, and everything granted to it', async () => {
    expect(await entitlements.of(ROOT)).toEqual({ slots: 10, features: FEATURES, voicePackages: 0, frozen: false })
    await grant({ accountId: ROOT, source: 'billing', sourceKey: 'sub_1', slots: 5, voicePackages: 2 })
    expect(await entitlements.of(ROOT)).toMatchObject({ slots: 15, voicePackages: 2 })
    config.slots = 100
    expect(await entitlements.of(ROOT)).toMatchObject({ slots: 105 })
  })

  test('keeps only the latest grant with the same source and key', async () => {
    for (const slots of [5, 5, 7]) await grant({ accountId: ROOT, source: 'billing', sourceKey: 'sub_1', slots })
    expect(await entitlements.of(ROOT)).toMatchObject({ slots: 17 })
    const other = grant({ accountId: CHILD, source: 'billing', sourceKey: 'sub_1', slots: 1 })
    await expect(other).rejects.toThrow('another account')
  })

  test('loses what is revoked, but not if the revocation is rolled back', async () => {
    await grant({ accountId: ROOT, source: 'billing', sourceKey: 'sub_1', slots: 5, frozen: true })
    expect(await entitlements.of(ROOT)).toMatchObject({ slots: 15, frozen: true })
    const undone = data.db.commit(async (tx) => {
      await entitlements.revoke(tx, { source: 'billing', sourceKey: 'sub_1' })
      expect(await entitlements.of(ROOT, tx)).toMatchObject({ slots: 10, frozen: false })
      throw new Error('undone')
    })
    await undone.catch(() => {})
    expect(await entitlements.of(ROOT)).toMatchObject({ slots: 15, frozen: true })
    for (let n = 0; n < 2; n++)
      await data.db.commit((tx) => entitlements.revoke(tx, { source: 'billing', sourceKey: 'sub_1' }))
    expect(await entitlements.of(ROOT)).toMatchObject({ slots: 10, frozen: false })
  })
})

describe('a sub-account', () => {
  test('has only what its parent grants it, and is frozen with its parent', async () => {
    expect(await entitlements.of(CHILD)).toEqual({ slots: 0, features: [], voicePackages: 0, frozen: false })
    await grant({ accountId: CHILD, source: 'agency', sourceKey: CHILD, slots: 3, features: ['mcp', 'ai'] })
    expect(await entitlements.of(CHILD)).toMatchObject({ slots: 3, features: ['ai', 'mcp'] })
    await grant({ accountId: ROOT, source: 'billing', sourceKey: 'sub_1', frozen: true })
    expect(await entitlements.of(CHILD)).toMatchObject({ frozen: true })
  })

  test('cannot use more than its own slots', async () => {
    await allocate(CHILD, 2)
    live(CHILD, 2)
    await addOne(CHILD)
    live(CHILD, 3)
    await expect(addOne(CHILD)).rejects.toMatchObject({ code: 'no_free_slot' })
  })

  test('takes its granted slots from its parent, whether it uses them or not', async () => {
    await allocate(CHILD, 6)
    await allocate(SIBLING, 2)
    live(ROOT, 2)
    expect(await entitlements.slots(ROOT)).toEqual({ total: 10, used: 10, free: 0 })
    await addOne(ROOT)
    live(ROOT, 3)
    await expect(addOne(ROOT)).rejects.toMatchObject({ code: 'no_free_slot' })
  })

  test('with overcommit can add an instance only if its account and the pool both have a free slot', async () => {
    config.agencyOvercommit = true
    await allocate(CHILD, 8)
    await allocate(SIBLING, 8)
    live(CHILD, 8)
    live(ROOT, 1)
    live(SIBLING, 1)
    await addOne(SIBLING)
    live(SIBLING, 2)
    await expect(addOne(SIBLING)).rejects.toMatchObject({ code: 'no_free_slot' })
    await expect(addOne(ROOT)).rejects.toMatchObject({ code: 'no_free_slot' })
  })
})
