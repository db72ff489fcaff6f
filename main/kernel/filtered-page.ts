import type { Db } from './db.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'
import type { Statement } from './sql.ts'

/** The part of a list, newest first, in which a page is looked for. */
export interface SeqRange {
  readonly beforeSeq: number
  readonly afterSeq: number
  /** Rows wanted at most. */
  readonly rows: number
}

/** A filter of a list whose index yields the list's rows in their order. */
export interface Filter<P extends SeqRange, R extends object> {
  /** What this filter yields within the span, narrowed by all that `P` says besides. */
  readonly page: Statement<P, R>
  /** Of what it yields within the span, the row after `skipped`: by the index alone. */
  readonly boundary: Statement<P & { readonly skipped: number }, { seq: number }>
  /** Its index yields more than its own rows: all of the list, of which it picks. */
  readonly isLookedThrough?: true
}

/** Fewer rows than this are read whole in 2 ms. */
const FEW = 1_000
/** 3 ms of a list that was read before, 20 ms of one that comes from the disk. */
const WINDOW = 2_000

/**
 * A page of a list with these filters set, of which no index holds two; of `all` of it where none is. One with few rows drives it, if there is one.
 * Else much may be read for little that matches, up to all of a long list: in windows, and whoever else waits has a turn
 * between two of them.
 * @param filters the one that usually has fewest rows first.
 */
export async function filteredPage<P extends SeqRange, R extends object>(
  db: Pick<Db, 'read' | 'readOne'>,
  { filters, all }: { readonly filters: readonly Filter<P, R>[]; readonly all: Statement<P, R> },
  params: P,
): Promise<R[]> {
  const [first] = filters
  if (first === undefined) return db.read(all, params)
  if (filters.length === 1 && first.isLookedThrough === undefined) return db.read(first.page, params)
  for (const filter of filters) {
    const boundary = await db.readOne(filter.boundary, { ...params, skipped: FEW - 1 })
    if (boundary === undefined) return db.read(filter.page, params)
  }
  return inWindows(db, first, params)
}

async function inWindows<P extends SeqRange, R extends object>(
  db: Pick<Db, 'read' | 'readOne'>,
  { page, boundary }: Filter<P, R>,
  params: P,
): Promise<R[]> {
  const found: R[] = []
  let { beforeSeq } = params
  for (;;) {
    const last = await db.readOne(boundary, { ...params, beforeSeq, skipped: WINDOW - 1 })
    const afterSeq = last === undefined ? params.afterSeq : last.seq - 1
    found.push(...(await db.read(page, { ...params, beforeSeq, afterSeq, rows: params.rows - found.length })))
    if (found.length >= params.rows || last === undefined) return found
    beforeSeq = last.seq
    await yieldToEventLoop()
  }
}
