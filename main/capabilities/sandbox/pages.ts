import { LIMITS } from '../../contract/limits.ts'
import { convertLong, readLongPage } from '../../kernel/long-rows.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { PageQuery } from './contract/parts.ts'

export interface Page<T> {
  data: T[]
  next_cursor: string | null
  has_more: boolean
}

/**
 * A page of a list sorted by `seq`, newest first.
 * @param list account, operation and filters; a cursor is valid only for the same list.
 */
export async function page<Row extends { readonly seq: number }, T extends object>(
  cursors: Cursors,
  list: string,
  { limit = LIMITS.pageSizeDefault, cursor }: PageQuery,
  read: (beforeSeq: number, rows: number) => Promise<readonly Row[]>,
  toItem: (row: Row) => T,
): Promise<Page<T>> {
  const beforeSeq = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.decode(list, cursor)[0])
  const { shown, hasMore } = await readLongPage<Row>(limit, (rows, after) => read(after?.seq ?? beforeSeq, rows))
  const last = shown.at(-1)
  const next = hasMore && last !== undefined ? cursors.encode(list, [last.seq]) : null
  return { data: await convertLong(shown, toItem), next_cursor: next, has_more: hasMore }
}
