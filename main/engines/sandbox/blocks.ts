import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

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

export type Blocks = ReturnType<typeof createBlocks>

/** Blocked numbers. A block belongs to the number, not to the instance. */
export function createBlocks() {
  return {
    async set(tx: Tx, accountId: AccountId, owner: string, number: string, isBlocked: boolean): Promise<void> {
      await tx.run(isBlocked ? add : remove, { accountId, owner, number })
    },
    has: async (tx: Tx, accountId: AccountId, owner: string, number: string): Promise<boolean> =>
      (await tx.one(find, { accountId, owner, number })) !== undefined,
  }
}
