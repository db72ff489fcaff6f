import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Ids, Random } from '../../kernel/ids.ts'
import { createAuthentication, type Authentication } from './authenticate.ts'
import { createFirstRun, type FirstRun } from './first-run.ts'
import { createKeys, type Keys } from './keys.ts'
import { createLastUse } from './last-use.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { firstAccount, insertAccount, renameAccount, type Account } from './store.ts'

export { accountState, freeSlot, nextChange, occupySlot } from './change-clock.ts'
export type { NewKey } from './keys.ts'
export { consolePrincipal, type Session, type Sessions } from './sessions.ts'

export interface AccountsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'account' | 'key'>
  readonly random: Random
  /** Requests per minute of a key without a rate of its own; looked at each time. */
  readonly ratePerMinute: number
  /** Which of the ids are instances of the account; asked when a key is restricted to some. */
  readonly knownInstances: Parameters<typeof createKeys>[0]['knownInstances']
}

export interface Accounts extends Keys, Sessions, FirstRun, Pick<Authentication, 'authenticate' | 'principalOf'> {
  /** The home's first account, made when the home is fresh. */
  readonly ensureAccount: () => Promise<Account>
  readonly renameAccount: (id: AccountId, name: string) => Promise<Account>
  /** Writes what waits. */
  readonly close: () => Promise<void>
}

const FIRST_NAME = 'My agency'

export function createAccounts(deps: AccountsDeps): Accounts {
  const { db, clock, ids } = deps
  const lastUse = createLastUse({ db, clock })
  const { authenticate, principalOf, clearCache } = createAuthentication({
    ...{ db, clock, onUsed: lastUse.record },
    defaultRate: () => deps.ratePerMinute,
  })
  const createAccount = () =>
    db.commit(async (tx) => {
      const found = await tx.one(firstAccount, {})
      if (found) return found
      const made: Account = { id: ids.account(), name: FIRST_NAME }
      await tx.run(insertAccount, { ...made, now: clock.now() })
      return made
    })
  return {
    ...createKeys({ ...deps, onChanged: clearCache }),
    ...createSessions(deps),
    ...createFirstRun(db),
    authenticate,
    principalOf,
    ensureAccount: async () => (await db.readOne(firstAccount, {})) ?? (await createAccount()),
    renameAccount: (id, name) =>
      db.commit(async (tx) => {
        await tx.run(renameAccount, { id, name })
        // Who was checked before carries the old name.
        tx.afterCommit(clearCache)
        return { id, name }
      }),
    close: lastUse.close,
  }
}
