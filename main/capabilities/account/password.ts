import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { requireRole, type Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import type { KeyDerivation } from '../../kernel/key-derivation.ts'
import { SCRYPT_COST } from '../../kernel/scrypt.ts'
import { upsertPassword, passwordOf, removePassword } from './session-store.ts'
import { operatorAccount } from './store.ts'

export interface Passwords {
  readonly isPasswordSet: (accountId: AccountId) => Promise<boolean>
  /**
   * The operator's password. It signs in to the operator's own account; members have their own passwords.
   * @param password null: only codes can sign in.
   * @throws ApiError insufficient_scope, invalid_state, rate_limited
   */
  readonly setPassword: (person: PasswordOwner, password: string | null) => Promise<void>
}

type PasswordOwner = Pick<Principal, 'accountId' | 'role' | 'sessionId'>

interface Verifying extends Passwords {
  /**
   * @param network the network of the client.
   * @returns undefined if the password is wrong; otherwise a function that checks that it is still the password.
   * @throws ApiError rate_limited
   */
  readonly verify: (
    accountId: AccountId,
    text: string,
    network: string,
  ) => Promise<((tx: Tx) => Promise<boolean>) | undefined>
}

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly keyDerivation: KeyDerivation
  /** Runs in the commit that changes the password, and ends sessions that used the old one. */
  readonly onChanged: (tx: Tx, person: PasswordOwner) => Promise<void>
}

/** The operator's password for the console in a browser. */
export function createPasswords({ db, clock, random, keyDerivation, onChanged }: Deps): Verifying {
  return {
    isPasswordSet: async (accountId) => (await db.readOne(passwordOf, { accountId })) !== undefined,
    async setPassword(person, password) {
      const { accountId, role } = person
      requireRole({ role }, 'operator')
      // Everybody who ever worked in a client's account would know its password, even after they were removed.
      if ((await db.readOne(operatorAccount, {}))?.id !== accountId)
        throw new ApiError(
          'invalid_state',
          'A client account has no password: its members have their own. Set yours in your own account, or invite a member.',
        ).because('client_has_no_password')
      const salt = random.bytes(16)
      const hash = password === null ? null : await keyDerivation.forAccount(accountId, password, salt, SCRYPT_COST)
      await db.commit(async (tx) => {
        if (hash === null) await tx.run(removePassword, { accountId })
        else await tx.run(upsertPassword, { accountId, salt, hash, cost: SCRYPT_COST, now: clock.now() })
        await onChanged(tx, person)
      })
    },
    async verify(accountId, text, network) {
      const stored = await db.readOne(passwordOf, { accountId })
      // Takes the same time without a password, so that an outsider cannot tell whether one is set.
      const { salt = Buffer.alloc(16), cost = SCRYPT_COST } = stored ?? {}
      const hash = await keyDerivation.forSignIn(network, text, salt, cost)
      if (stored === undefined || !timingSafeEqual(hash, stored.hash)) return undefined
      return async (tx) => {
        const now = await tx.one(passwordOf, { accountId })
        return now !== undefined && Buffer.from(now.hash).equals(hash)
      }
    },
  }
}
