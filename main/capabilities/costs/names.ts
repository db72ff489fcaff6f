import type { CostGroup } from '../../contract/costs.ts'
import type { Db } from '../../kernel/db.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'

interface Named {
  readonly id: string
  readonly name: string
  readonly accountId: string
  readonly accountName: string
}

const ofAccounts = (table: 'instances' | 'campaigns', list: string) =>
  `SELECT o.id, o.name, a.id AS accountId, a.name AS accountName FROM ${table} o JOIN accounts a ON a.id = o.account_id
   WHERE o.id IN (${list})`

const NAMES = {
  instance: sqlOfList<string, object, Named>((list) => ofAccounts('instances', list)),
  account: sqlOfList<string, object, Named>(
    (list) => `SELECT id, name, id AS accountId, name AS accountName FROM accounts WHERE id IN (${list})`,
  ),
  campaign: sqlOfList<string, object, Named>((list) => ofAccounts('campaigns', list)),
}

/** Names of the subjects of cost rows, and the accounts that own them. Deleted subjects have no name. */
export async function namesOf(
  db: Pick<Db, 'read'>,
  group: CostGroup,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Named>> {
  if (group !== 'instance' && group !== 'account' && group !== 'campaign') return new Map()
  const found = await NAMES[group].over(keys, {}, (statement, params) => db.read(statement, params))
  return new Map(found.flat().map((named) => [named.id, named]))
}
