import { sql, type Statement } from './sql.ts'

/** A text for many values binds in vain for a few; one for a few is run too often for many. */
const SIZES = [1, 8, 64] as const
const LARGEST = 64

/** A statement about the rows of a list of values. */
export interface ListStatement<V, P extends object, R extends object> {
  /**
   * Runs it for all values, in as few turns as they need, one after another.
   * @param rest every parameter besides the list
   * @returns what each turn gave
   */
  over<T>(values: readonly V[], rest: P, run: (statement: Statement<P, R>, params: P) => Promise<T>): Promise<T[]>
}

/**
 * Declares a statement with a list, in one text for each of a few sizes: portable SQL has no list parameter, so each
 * value has a name of its own. What a list leaves over of a size is null, which equals nothing.
 * @param write gives the text, with the names where the list stands
 * @example const byIds = sqlOfList<string, { account: string }, Row>((ids) => `SELECT … WHERE id IN (${ids}) AND …`)
 */
export function sqlOfList<
  V extends string | number,
  P extends object = Record<never, never>,
  R extends object = Record<never, never>,
>(write: (list: string) => string): ListStatement<V, P, R> {
  const sizes = SIZES.map((size) => {
    const names = Array.from({ length: size }, (_, i) => `value${i}`)
    return { names, statement: sql<P, R>(write(names.map((name) => `:${name}`).join(', '))) }
  })

  return {
    async over<T>(values: readonly V[], rest: P, run: (statement: Statement<P, R>, params: P) => Promise<T>) {
      const results: T[] = []
      for (let from = 0; from < values.length; from += LARGEST) {
        const part = values.slice(from, from + LARGEST)
        const fitting = sizes.find(({ names }) => names.length >= part.length)
        if (!fitting) throw new Error(`A part has ${part.length} values`)
        const listed = Object.fromEntries(fitting.names.map((name, i) => [name, part[i] ?? null]))
        results.push(await run(fitting.statement, { ...rest, ...listed }))
      }
      return results
    },
  }
}
