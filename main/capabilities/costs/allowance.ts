import type { Db } from '../../kernel/db.ts'
import { allowanceOf } from './rate-card.ts'
import { chargedOfNumber, type CountRow } from './store.ts'

/**
 * The counts that the monthly allowance of a number covers, with the covered messages of each. All accounts that use
 * a number share its allowance. It is used up day by day; on the same day, messages outside campaigns come first.
 */
export async function allowanceShare(
  db: Pick<Db, 'read'>,
  numberId: string,
  category: string,
  month: string,
): Promise<{ readonly row: CountRow; readonly taken: number }[]> {
  const shares: { row: CountRow; taken: number }[] = []
  let left = allowanceOf(category, month)
  if (left === 0) return shares
  const rows = await db.read(chargedOfNumber, { numberId, category, from: `${month}-01`, to: `${month}-31` })
  for (const row of rows) {
    const taken = Math.min(left, Math.max(0, row.messages))
    if (taken > 0) shares.push({ row, taken })
    left -= taken
    if (left === 0) break
  }
  return shares
}
