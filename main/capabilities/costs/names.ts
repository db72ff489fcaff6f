import type { CostGroup } from '../../contract/costs.ts'
import type { Db } from '../../kernel/db.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'

interface Named {
  readonly id: string
  readonly name: string
}

const NAMES = {
  instance: sqlOfList<string, object, Named>((list) => `SELECT id, name FROM instances WHERE id IN (${list})`),
  account: sqlOfList<string, object, Named>((list) => `SELECT id, name FROM accounts WHERE id IN (${list})`),
  campaign: sqlOfList<string, object, Named>((list) => `SELECT id, name FROM campaigns WHERE id IN (${list})`),
}

/** Names of what rows of costs are about. What was deleted has none. */
export async function namesOf(
  db: Pick<Db, 'read'>,
  group: CostGroup,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (group !== 'instance' && group !== 'account' && group !== 'campaign') return new Map()
  const found = await NAMES[group].over(keys, {}, (statement, params) => db.read(statement, params))
  return new Map(found.flat().map(({ id, name }) => [id, name]))
}
