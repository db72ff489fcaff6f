import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { BlockedPage, PageRequest } from '../direct.ts'

type Pair = { accountId: string; owner: string; number: string }

const find = sql<Pair, { number: string }>(
  'SELECT number FROM sandbox_blocks WHERE account_id = :accountId AND owner = :owner AND number = :number',
)
const add = sql<Pair>(
  `INSERT INTO sandbox_blocks (account_id, owner, number) VALUES (:accountId, :owner, :number)
   ON CONFLICT (account_id, owner, number) DO NOTHING`,
)
const remove = sql<Pair>(
  'DELETE FROM sandbox_blocks WHERE account_id = :accountId AND owner = :owner AND number = :number',
)

const after = sql<{ accountId: string; owner: string; after: string; limit: number }, { number: string }>(
  `SELECT number FROM sandbox_blocks WHERE account_id = :accountId AND owner = :owner AND number > :after
   ORDER BY number LIMIT :limit`,
)

export type Blocks = ReturnType<typeof createBlocks>

/** Blocked numbers. A block belongs to the number, not to the instance. */
export function createBlocks(db: Pick<Db, 'read' | 'readOne'>) {
  return {
    async list(accountId: AccountId, owner: string, { limit, after: from }: PageRequest): Promise<BlockedPage> {
      const rows = await db.read(after, { accountId, owner, after: from ?? '', limit: limit + 1 })
      const people = rows.slice(0, limit).map(({ number }) => number)
      return { people, after: rows.length > limit ? (people.at(-1) ?? null) : null }
    },
    async set(tx: Tx, accountId: AccountId, owner: string, number: string, isBlocked: boolean): Promise<void> {
      await tx.run(isBlocked ? add : remove, { accountId, owner, number })
    },
    isBlocked: async (accountId: AccountId, owner: string, number: string): Promise<boolean> =>
      (await db.readOne(find, { accountId, owner, number })) !== undefined,
    has: async (tx: Tx, accountId: AccountId, owner: string, number: string): Promise<boolean> =>
      (await tx.one(find, { accountId, owner, number })) !== undefined,
  }
}
