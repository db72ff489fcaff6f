import { expect, test } from 'vitest'
import { createAccounts } from '../../../main/capabilities/account/index.ts'
import { ApiError } from '../../../main/contract/errors.ts'
import { createIds } from '../../../main/kernel/ids.ts'
import { createKeyDerivation } from '../../../main/kernel/key-derivation.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

test('the operator can sign in while strangers try passwords endlessly', async () => {
  const clock = fakeClock()
  const random = seededRandom(1)
  const database = await testDatabase()
  const accounts = createAccounts({
    ...{ db: database.db, clock, ids: createIds(clock, random), random, ratePerMinute: 600 },
    keyDerivation: createKeyDerivation(),
    knownInstances: async () => new Set(),
  })
  const { id: accountId } = await accounts.ensureOperatorAccount()
  const password = 'correct horse battery'
  await accounts.setPassword({ accountId, role: 'operator' }, password)

  let wrong = 0
  const refused: unknown[] = []
  const strangers = Array.from({ length: 200 }, (_, n) =>
    accounts
      .signIn({ password: `guess ${n}`, accountId: null }, { address: `198.51.100.${n % 40}`, browser: null })
      .then(
        () => wrong++,
        (error: unknown) => refused.push(error),
      ),
  )
  const token = await accounts.signIn({ password, accountId: null }, { address: '203.0.113.7', browser: null })
  expect(token).toBeDefined()
  // The operator did not wait for all of them, and most do not wait at all.
  expect(wrong).toBeLessThan(60)
  await Promise.all(strangers)
  expect(refused.length).toBeGreaterThan(130)
  expect(refused.every((error) => error instanceof ApiError && error.code === 'rate_limited')).toBe(true)
  await accounts.close()
  await database.close()
})
