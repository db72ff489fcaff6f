import { scrypt, timingSafeEqual } from 'node:crypto'
import { requireRole, type Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
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

/** N of scrypt with r = 8: 32 MB and about a tenth of a second for each guess. */
const COST = 2 ** 15
const BLOCK = 8
const HASH_BYTES = 32

/** The password of the console in a browser. Deriving takes memory, so only one is derived at a time. */
export function createPasswords({ db, clock, random }: Deps): Verifying {
  let turn: Promise<unknown> = Promise.resolve()
  const derive = (text: string, salt: Uint8Array, cost: number): Promise<Buffer> => {
    const mine = turn.then(() => scrypted(text, salt, cost))
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
      const hash = await derive(password, salt, COST)
      await db.commit((tx) => tx.run(upsertPassword, { accountId, salt, hash, cost: COST, now: clock.now() }))
    },
    async isPassword(accountId, text) {
      const stored = await db.readOne(passwordOf, { accountId })
      // Where none is set it takes as long, so that nobody learns that from outside.
      const hash = await derive(text, stored?.salt ?? Buffer.alloc(16), stored?.cost ?? COST)
      return stored !== undefined && timingSafeEqual(hash, stored.hash)
    },
  }
}

function scrypted(text: string, salt: Uint8Array, cost: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parameters = { N: cost, r: BLOCK, p: 1, maxmem: 256 * BLOCK * cost }
    // The same letters can be typed as different code points.
    scrypt(text.normalize('NFKC'), salt, HASH_BYTES, parameters, (error, hash) => {
      if (error) reject(error)
      else resolve(hash)
    })
  })
}
