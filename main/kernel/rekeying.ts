import type { Db, Tx } from './db.ts'
import { personKey } from './phone-number.ts'
import { sql } from './sql.ts'

/** Tables whose rows are still to be looked at; `storage/migrations/047-person-keys.ts` names them. */
const isDue = sql<{ name: string }, { name: string }>('SELECT name FROM person_rekeyings WHERE name = :name')
const finish = sql<{ name: string }>('DELETE FROM person_rekeyings WHERE name = :name')

/** How the rows of a table, whose column `number` an earlier version wrote, get the key of today. */
export interface Rekeying<Row extends { readonly number: string }> {
  readonly table: string
  /** The rows after this one in the order of their primary key, or the first. */
  page(after: Row | undefined): Promise<readonly Row[]>
  /** Moves the row to `number`, or unites it with the row that has that key, in a commit of its own. */
  move(tx: Tx, row: Row, number: string): Promise<unknown>
}

/**
 * Once after an upgrade, before the service listens: two rows that turn out to be one person become one. A start that is
 * interrupted begins again, and finds what it has moved in its place.
 * @returns how many rows were moved.
 */
export async function rekey<Row extends { readonly number: string }>(
  db: Pick<Db, 'commit' | 'readOne'>,
  { table, page, move }: Rekeying<Row>,
): Promise<number> {
  if ((await db.readOne(isDue, { name: table })) === undefined) return 0
  let moved = 0
  for (let rows = await page(undefined); rows.length > 0; rows = await page(rows.at(-1))) {
    const late = rows.flatMap((row) => {
      const number = personKey(row.number)
      return number === row.number ? [] : [db.commit((tx) => move(tx, row, number))]
    })
    moved += (await Promise.all(late)).length
  }
  await db.commit((tx) => tx.run(finish, { name: table }))
  return moved
}

export const REKEYING_PORTION = 2_000
