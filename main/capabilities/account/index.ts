import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Ids, Random } from '../../kernel/ids.ts'
import type { KeyDerivation } from '../../kernel/key-derivation.ts'
import { insertMeta } from '../../kernel/meta.ts'
import { createAuthentication, type Authentication } from './authenticate.ts'
import { createFirstRun, type FirstRun } from './first-run.ts'
import { createEndedAccesses, type EndedAccesses } from './ended-access.ts'
import { createKeys, type Keys } from './keys.ts'
import { createLastUse } from './last-use.ts'
import { createRemoval, type Removal } from './removal.ts'
import { createSuspension, type Suspension } from './suspension.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { requireStanding, type Standing } from './standing.ts'
import { createTimeZones, type TimeZones } from './time-zones.ts'
import { firstAccount, insertAccount, OPERATOR_ACCOUNT, operatorAccount, renameAccount, type Account } from './store.ts'

export { accountState, freeSlot, nextChange, occupySlot } from './change-clock.ts'
export type { CredentialSource } from './sessions.ts'
export type { ApiKey } from './store.ts'
export type { NewKey } from './keys.ts'
export { consolePrincipal, type Session, type Sessions } from './sessions.ts'

export interface AccountsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'account' | 'key'>
  readonly random: Random
  readonly keyDerivation: KeyDerivation
  /** Default requests per minute of a key; read on each use. */
  readonly ratePerMinute: number
  /** Which of the ids are instances of the account; used when a key is restricted to some. */
  readonly knownInstances: Parameters<typeof createKeys>[0]['knownInstances']
  /** Default time zone of accounts; read on each use. */
  readonly timeZone?: string
}

export interface Accounts
  extends
    Keys,
    Sessions,
    FirstRun,
    TimeZones,
    Suspension,
    Removal,
    EndedAccesses,
    Standing,
    Pick<Authentication, 'authenticate' | 'principalOf'> {
  /** The account of the person who owns this computer, created with the home. */
  readonly ensureOperatorAccount: () => Promise<Account>
  /** Creates another account in this home. The operator's settings and backups cover all accounts. */
  readonly createAccount: (name: string) => Promise<Account>
  readonly renameAccount: (id: AccountId, name: string) => Promise<Account>
  readonly rename: (tx: Tx, id: AccountId, name: string) => Promise<void>
  /** Writes pending updates. */
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
  const insert = async (tx: Tx, name: string): Promise<Account> => {
    const made: Account = { id: ids.account(), name }
    await tx.run(insertAccount, { ...made, now: clock.now() })
    return made
  }
  const rename = async (tx: Tx, id: AccountId, name: string) => {
    await tx.run(renameAccount, { id, name })
    // Cached principals still carry the old name.
    tx.afterCommit(clearCache)
  }
  const createOperatorAccount = () =>
    db.commit(async (tx) => {
      const found = (await tx.one(operatorAccount, {})) ?? (await tx.one(firstAccount, {}))
      const account = found ?? (await insert(tx, FIRST_NAME))
      await insertMeta(tx, OPERATOR_ACCOUNT, account.id)
      return account
    })
  const sessions = createSessions(deps)
  const endedAccesses = createEndedAccesses()
  const { endAccess } = endedAccesses
  return {
    ...endedAccesses,
    ...createKeys({ ...deps, onChanged: clearCache, endAccess }),
    ...sessions,
    ...createSuspension(db),
    ...createRemoval({ endAccess, onKeysChanged: clearCache, endSessionsOf: sessions.endSessionsOf }),
    ...createFirstRun(db),
    ...createTimeZones(() => deps.timeZone ?? 'UTC'),
    authenticate,
    principalOf,
    requireStanding,
    ensureOperatorAccount: async () => (await db.readOne(operatorAccount, {})) ?? (await createOperatorAccount()),
    createAccount: (name) => db.commit((tx) => insert(tx, name)),
    rename,
    renameAccount: (id, name) =>
      db.commit(async (tx) => {
        await rename(tx, id, name)
        return { id, name }
      }),
    close: lastUse.close,
  }
}
