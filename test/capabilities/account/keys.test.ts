import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAccounts, type Accounts, type NewKey } from '../../../main/capabilities/account/index.ts'
import { keysOfAccount, usableKey } from '../../../main/capabilities/account/store.ts'
import { createIds, type AccountId } from '../../../main/kernel/ids.ts'
import { createKeyDerivation } from '../../../main/kernel/key-derivation.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { queryPlan } from '../../support/query-plan.ts'
import { seededRandom } from '../../support/random.ts'

const INSTANCE = '019b8d40-5c1e-7d2a-a6f3-0e9b8c7d6a51'

let clock: FakeClock
let database: TestDatabase
let accounts: Accounts
let accountId: AccountId

function open(): Accounts {
  const random = seededRandom(clock.mono() + 1)
  const knownInstances = async (_account: AccountId, ids: readonly string[]) =>
    new Set(ids.filter((id) => id === INSTANCE))
  return createAccounts({
    keyDerivation: createKeyDerivation(),
    db: database.db,
    clock,
    ids: createIds(clock, random),
    random,
    ratePerMinute: 600,
    knownInstances,
  })
}

const wish = (more: Partial<NewKey> = {}): NewKey => ({
  accountId,
  name: 'CRM',
  scopes: ['instances:read'],
  allowedInstanceIds: null,
  expiresAtMs: null,
  ...more,
})

beforeEach(async () => {
  clock = fakeClock()
  database = await testDatabase(undefined, { clock })
  accounts = open()
  accountId = (await accounts.ensureOperatorAccount()).id
})

afterEach(async () => {
  await accounts.close()
  await database.close()
})

const keysOnDisk = () => database.raw.prepare('SELECT * FROM api_keys').all() as Record<string, unknown>[]

describe('the first account', () => {
  test('is created once and found again', async () => {
    expect(await accounts.ensureOperatorAccount()).toEqual({ id: accountId, name: 'My agency' })
    expect(await open().ensureOperatorAccount()).toEqual({ id: accountId, name: 'My agency' })
  })

  test('is only read once it exists, because each request of the desktop window reads it', async () => {
    let commits = 0
    const commit: typeof database.db.commit = (work) => (commits++, database.db.commit(work))
    const counting = { ...database.db, commit }
    const random = seededRandom(7)
    const own = createAccounts({
      keyDerivation: createKeyDerivation(),
      ...{ db: counting, clock, ids: createIds(clock, random), random, ratePerMinute: 600 },
      knownInstances: async () => new Set(),
    })
    await own.ensureOperatorAccount()
    expect(commits).toBe(0)
    await own.close()
  })

  test('is created once if several callers request it at the same time', async () => {
    const asked = await Promise.all([
      open().ensureOperatorAccount(),
      accounts.ensureOperatorAccount(),
      accounts.ensureOperatorAccount(),
    ])
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1)
  })
})

describe('a new key', () => {
  test('authenticates its account with exactly the given permissions', async () => {
    const made = await accounts.createKey(
      wish({ scopes: ['instances:manage', 'messages:send'], allowedInstanceIds: [INSTANCE], ratePerMinute: 30 }),
    )
    expect(await accounts.authenticate(made.key.open())).toEqual({
      kind: 'key',
      role: null,
      accountId,
      accountName: 'My agency',
      key: { id: made.id, name: 'CRM', last4: made.key.open().slice(-4), expiresAtMs: null, approval: 'none' },
      scopes: ['instances:manage', 'messages:send'],
      allowedInstanceIds: [INSTANCE],
      ratePerMinute: 30,
      source: 'api',
    })
  })

  test('has the default rate limit if none is given', async () => {
    const made = await accounts.createKey(wish())
    expect((await accounts.authenticate(made.key.open()))?.ratePerMinute).toBe(600)
  })

  test('is stored only as its SHA-256 hash', async () => {
    const made = await accounts.createKey(wish())
    const stored = JSON.stringify(keysOnDisk())
    expect(stored).not.toContain(made.key.open())
    expect(stored).not.toContain(made.key.open().slice(4, 20))
    expect(JSON.stringify(made)).not.toContain(made.key.open())
  })

  test.each([
    [
      'an unknown instance',
      { allowedInstanceIds: [INSTANCE, '019b0000-0000-7000-8000-000000000000'] },
      '019b0000-0000-7000-8000-000000000000',
    ],
    ['an empty restriction', { allowedInstanceIds: [] }, 'null means all'],
    ['no scope', { scopes: [] }, 'at least one scope'],
    ['no name', { name: '' }, '1 to 100'],
    ['an expiry that has passed', { expiresAtMs: 1 }, 'future'],
  ])('is refused with %s, and nothing is stored', async (_what, more, words) => {
    const refusal = accounts.createKey(wish(more))
    await expect(refusal).rejects.toMatchObject({ code: 'validation_error', message: expect.stringContaining(words) })
    expect(keysOnDisk()).toEqual([])
  })

  test('stores each scope and instance once, with ids in their stored form', async () => {
    const made = await accounts.createKey(
      wish({ scopes: ['ai:read', 'ai:read'], allowedInstanceIds: [INSTANCE.toUpperCase(), INSTANCE] }),
    )
    expect(made).toMatchObject({ scopes: ['ai:read'], allowedInstanceIds: [INSTANCE] })
  })
})

describe('a token', () => {
  test.each(['', 'swb_', 'nonsense', 'Bearer swb_x'])(
    'that is malformed (%j) is refused without reading the database',
    async (token) => {
      await database.db.close()
      expect(await accounts.authenticate(token)).toBeUndefined()
    },
  )

  test('with one changed character is refused', async () => {
    const token = (await accounts.createKey(wish())).key.open()
    for (let i = 4; i < token.length; i++) {
      const other = token[i] === 'A' ? 'B' : 'A'
      expect(await accounts.authenticate(token.slice(0, i) + other + token.slice(i + 1))).toBeUndefined()
    }
  })

  test('from another data directory is refused', async () => {
    const foreign = await testDatabase(undefined, { clock })
    const random = seededRandom(99)
    const others = createAccounts({
      keyDerivation: createKeyDerivation(),
      db: foreign.db,
      clock,
      ids: createIds(clock, random),
      random,
      ratePerMinute: 1,
      knownInstances: async () => new Set(),
    })
    const { id } = await others.ensureOperatorAccount()
    const token = (await others.createKey({ ...wish(), accountId: id })).key.open()
    expect(await others.authenticate(token)).toBeDefined()
    expect(await accounts.authenticate(token)).toBeUndefined()
    await foreign.close()
  })

  test('expires when its time has passed, also while it is cached', async () => {
    const token = (await accounts.createKey(wish({ expiresAtMs: clock.now() + 10_000 }))).key.open()
    expect(await accounts.authenticate(token)).toBeDefined()
    await clock.advance(9_999)
    expect(await accounts.authenticate(token)).toBeDefined()
    await clock.advance(1)
    expect(await accounts.authenticate(token)).toBeUndefined()
  })

  test('is looked up in memory after the first use', async () => {
    const token = (await accounts.createKey(wish())).key.open()
    const first = await accounts.authenticate(token)
    database.raw.exec("UPDATE api_keys SET name = 'changed behind our back'")
    expect(await accounts.authenticate(token)).toBe(first)
  })
})

describe('a revoked key', () => {
  test('is invalid from the next request on', async () => {
    const made = await accounts.createKey(wish())
    expect(await accounts.authenticate(made.key.open())).toBeDefined()
    await accounts.revokeKey(accountId, made.id)
    expect(await accounts.authenticate(made.key.open())).toBeUndefined()
  })

  test('is refused even if it was authenticated while it was being revoked', async () => {
    const made = await accounts.createKey(wish())
    const [revoked] = await Promise.all([
      accounts.revokeKey(accountId, made.id),
      ...Array.from({ length: 20 }, () => accounts.authenticate(made.key.open())),
    ])
    expect(revoked.revokedAtMs).toBe(clock.now())
    expect(await accounts.authenticate(made.key.open())).toBeUndefined()
  })

  test('keeps the time of the first revocation', async () => {
    const made = await accounts.createKey(wish())
    const first = await accounts.revokeKey(accountId, made.id)
    await clock.advance(5_000)
    expect(await accounts.revokeKey(accountId, made.id)).toEqual(first)
  })

  test('leaves other keys valid', async () => {
    const [gone, stays] = [await accounts.createKey(wish()), await accounts.createKey(wish())]
    await accounts.revokeKey(accountId, gone.id)
    expect(await accounts.authenticate(stays.key.open())).toBeDefined()
  })

  test('is not found if it does not exist in this account', async () => {
    const made = await accounts.createKey(wish())
    await expect(accounts.revokeKey(accountId, INSTANCE)).rejects.toMatchObject({ code: 'not_found' })
    await expect(accounts.revokeKey(INSTANCE as AccountId, made.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await accounts.authenticate(made.key.open())).toBeDefined()
  })
})

describe('the list of keys', () => {
  test('is newest first and contains everything except the key', async () => {
    const older = await accounts.createKey(wish({ name: 'older' }))
    await clock.advance(1_000)
    const newer = await accounts.createKey(wish({ name: 'newer', allowedInstanceIds: [INSTANCE] }))
    await accounts.revokeKey(accountId, older.id)
    expect(await accounts.listKeys(accountId)).toMatchObject([
      {
        id: newer.id,
        name: 'newer',
        last4: newer.last4,
        allowedInstanceIds: [INSTANCE],
        revokedAtMs: null,
        lastUsedAtMs: null,
      },
      { id: older.id, name: 'older', last4: older.last4, allowedInstanceIds: null, revokedAtMs: clock.now() },
    ])
  })
})

describe('the last use of a key', () => {
  const lastUse = async () => (await accounts.listKeys(accountId))[0]?.lastUsedAtMs

  test('is stored a second later, then at most once a minute', async () => {
    const token = (await accounts.createKey(wish())).key.open()
    const first = clock.now()
    await accounts.authenticate(token)
    expect(await lastUse()).toBeNull()
    await clock.advance(1_000)
    expect(await lastUse()).toBe(first)

    await accounts.authenticate(token)
    await clock.advance(30_000)
    await accounts.authenticate(token)
    await clock.advance(10_000)
    expect(await lastUse()).toBe(first)

    await clock.advance(20_000)
    await accounts.authenticate(token)
    await clock.advance(1_000)
    expect(await lastUse()).toBe(first + 61_000)
  })

  test('is stored when the service stops, and no timer remains', async () => {
    const token = (await accounts.createKey(wish())).key.open()
    await accounts.authenticate(token)
    await accounts.close()
    expect(await lastUse()).toBe(clock.now())
    expect(clock.waiting()).toBe(0)
  })
})

test('looking up a key uses the index on its hash, and listing keys uses the index on the account', () => {
  const lookup = queryPlan(database.raw, usableKey)
  expect(lookup[0]).toMatch(/^SEARCH k USING INDEX .*\(hash=\?\)$/)
  expect(lookup[1]).toMatch(/^SEARCH a USING INDEX .*\(id=\?\)$/)
  expect(queryPlan(database.raw, keysOfAccount)).toEqual(['SEARCH k USING INDEX api_keys_by_account (account_id=?)'])
})
