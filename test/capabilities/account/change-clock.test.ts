import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  accountState,
  createAccounts,
  freeSlot,
  nextChange,
  occupySlot,
} from '../../../main/capabilities/account/index.ts'
import { createIds, type AccountId } from '../../../main/kernel/ids.ts'
import { createKeyDerivation } from '../../../main/kernel/key-derivation.ts'
import { fakeClock, START_MS, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

let clock: FakeClock
let database: TestDatabase
let accountId: AccountId

beforeEach(async () => {
  clock = fakeClock()
  database = await testDatabase(undefined, { clock })
  const random = seededRandom()
  const accounts = createAccounts({
    keyDerivation: createKeyDerivation(),
    db: database.db,
    clock,
    ids: createIds(clock, random),
    random,
    ratePerMinute: 1,
    knownInstances: async () => new Set(),
  })
  accountId = (await accounts.ensureOperatorAccount()).id
})
afterEach(() => database.close())

const tick = () => database.db.commit((tx) => nextChange(tx, accountId, clock.now()))

test('the change clock follows the wall clock', async () => {
  await clock.advance(1_500)
  expect(await tick()).toBe(START_MS + 1_500)
})

test('the change clock never repeats a value within a millisecond', async () => {
  const values = await Promise.all(Array.from({ length: 200 }, tick))
  expect(new Set(values).size).toBe(200)
  expect(values).toEqual(values.toSorted((a, b) => a - b))
})

test('the change clock rises even if the wall clock is set back', async () => {
  const before = await tick()
  clock.set(START_MS - 86_400_000)
  const [first, second] = [await tick(), await tick()]
  expect([first, second]).toEqual([before + 1, before + 2])
  clock.set(START_MS + 60_000)
  expect(await tick()).toBe(START_MS + 60_000)
})

test('a transaction that is rolled back takes no clock value and no slot', async () => {
  const before = await accountState(database.db, accountId)
  const failing = database.db.commit(async (tx) => {
    await occupySlot(tx, accountId, clock.now())
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await accountState(database.db, accountId)).toEqual(before)
})

test('the slot count covers existing instances, and instance numbers are never reused', async () => {
  const occupy = () => database.db.commit((tx) => occupySlot(tx, accountId, clock.now()))
  expect(await occupy()).toMatchObject({ number: 1, inUse: 1 })
  expect(await occupy()).toMatchObject({ number: 2, inUse: 2 })
  await database.db.commit((tx) => freeSlot(tx, accountId, clock.now()))
  expect((await accountState(database.db, accountId)).instancesLive).toBe(1)
  expect(await occupy()).toMatchObject({ number: 3, inUse: 2 })
})
