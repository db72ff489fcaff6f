import type { InstanceStatus } from '../../contract/shapes.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

const countByStatus = sql<{ accountId: string }, { status: InstanceStatus; count: number }>(
  `SELECT status, COUNT(*) AS count FROM instances WHERE account_id = :accountId AND deleted_at IS NULL GROUP BY status`,
)

/** How many instances the account has in each status that occurs. */
export async function tally(db: Pick<Db, 'read'>, accountId: AccountId): Promise<ReadonlyMap<InstanceStatus, number>> {
  const rows = await db.read(countByStatus, { accountId })
  return new Map(rows.map(({ status, count }) => [status, count]))
}
