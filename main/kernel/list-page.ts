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

type Position = readonly (string | number | null)[]

interface Listed<Row, T> {
  /** The next rows after a position, at most so many; undefined: from the beginning. */
  readonly read: (page: { readonly after: Position | undefined; readonly rows: number }) => Promise<readonly Row[]>
  /** The position of a row: the values that the list is ordered by. */
  readonly at: (row: Row) => Position
  readonly show: (rows: readonly Row[]) => readonly T[] | Promise<readonly T[]>
}

/**
 * A page of a list. One row more than it has is read, to know whether there are more.
 * @param list names account, operation and filters, as for `cursors`.
 * @throws ApiError invalid_cursor
 */
export async function listPage<Row, T>(
  cursors: Cursors,
  list: string,
  { limit = LIMITS.pageSizeDefault, cursor }: PageWish,
  { read, at, show }: Listed<Row, T>,
): Promise<ListReply<T>> {
  const after = cursor === undefined ? undefined : cursors.decode(list, cursor)
  const found = await read({ after, rows: limit + 1 })
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return {
    data: [...(await show(shown))],
    next_cursor: last === undefined ? null : cursors.encode(list, at(last)),
    has_more: last !== undefined,
  }
}

/** A page of numbered rows, newest first. */
export const seqPage = <Row extends { readonly seq: number }, T>(
  cursors: Cursors,
  list: string,
  wish: PageWish,
  read: (page: { readonly before: number; readonly rows: number }) => Promise<readonly Row[]>,
  show: (row: Row) => T | Promise<T>,
): Promise<ListReply<T>> =>
  listPage<Row, T>(cursors, list, wish, {
    read: ({ after: [before = Number.MAX_SAFE_INTEGER] = [], rows }) => read({ before: Number(before), rows }),
    at: ({ seq }) => [seq],
    show: (rows) => Promise.all(rows.map(show)),
  })
