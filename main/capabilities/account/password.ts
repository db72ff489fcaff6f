import { timingSafeEqual } from 'node:crypto'
import { requireRole, type Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { SCRYPT_COST, stretched } from '../../kernel/scrypt.ts'
import { upsertPassword, passwordOf, removePassword } from './session-store.ts'
import { operatorAccount } from './store.ts'

export interface Passwords {
  readonly isPasswordSet: (accountId: AccountId) => Promise<boolean>
  /** @param password null: from now on only codes sign in. @throws ApiError insufficient_scope */
  readonly setPassword: (person: Pick<Principal, 'accountId' | 'role'>, password: string | null) => Promise<void>
}

interface Verifying extends Passwords {
  readonly isPassword: (accountId: AccountId, text: string) => Promise<boolean>
}

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
}

/** The password of the console in a browser. Deriving takes memory, so only one is derived at a time. */
export function createPasswords({ db, clock, random }: Deps): Verifying {
  let turn: Promise<unknown> = Promise.resolve()
  const derive = (text: string, salt: Uint8Array, cost: number): Promise<Buffer> => {
    const mine = turn.then(() => stretched(text, salt, cost))
    turn = mine.catch(() => {})
    return mine
  }
  return {
    isPasswordSet: async (accountId) => (await db.readOne(passwordOf, { accountId })) !== undefined,
    async setPassword({ accountId, role }, password) {
      // It signs in as the operator.
      const isOperators = (await db.readOne(operatorAccount, {}))?.id === accountId
      requireRole({ role }, isOperators ? 'operator' : 'member')
      if (password === null) {
        await db.commit((tx) => tx.run(removePassword, { accountId }))
        return
      }
      const salt = random.bytes(16)
      const hash = await derive(password, salt, SCRYPT_COST)
      await db.commit((tx) => tx.run(upsertPassword, { accountId, salt, hash, cost: SCRYPT_COST, now: clock.now() }))
    },
    async isPassword(accountId, text) {
      const stored = await db.readOne(passwordOf, { accountId })
      // Where none is set it takes as long, so that nobody learns that from outside.
      const hash = await derive(text, stored?.salt ?? Buffer.alloc(16), stored?.cost ?? SCRYPT_COST)
      return stored !== undefined && timingSafeEqual(hash, stored.hash)
    },
  }
}
