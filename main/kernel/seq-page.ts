import { LIMITS } from '../contract/limits.ts'
import type { Cursors } from './page.ts'

interface PageWish {
  readonly limit?: number
  readonly cursor?: string
}

interface ListReply<T> {
  data: T[]
  next_cursor: string | null
  has_more: boolean
}

/**
 * A page of numbered rows, newest first.
 * @param list names account, operation and filters, as for `cursors`.
 * @throws ApiError invalid_cursor
 */
export async function seqPage<Row extends { readonly seq: number }, T>(
  cursors: Cursors,
  list: string,
  { limit = LIMITS.pageSizeDefault, cursor }: PageWish,
  read: (page: { readonly before: number; readonly rows: number }) => Promise<readonly Row[]>,
  show: (row: Row) => T | Promise<T>,
): Promise<ListReply<T>> {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.decode(list, cursor)[0])
  const found = await read({ before, rows: limit + 1 })
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return {
    data: await Promise.all(shown.map(show)),
    next_cursor: last === undefined ? null : cursors.encode(list, [last.seq]),
    has_more: last !== undefined,
  }
}
