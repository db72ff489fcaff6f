/** What a named parameter may be. Flags are 0/1, times epoch milliseconds, JSON is text. */
type SqlValue = string | number | bigint | null | Uint8Array

type SqlParams = Readonly<Record<string, SqlValue>>

/**
 * A statement: plain SQL text with named parameters (`:name`), its parameter and row types written by hand.
 * The types are claims about the SQL; a test of the store that owns the statement proves them.
 */
export interface Statement<P extends object = SqlParams, R extends object = object> {
  readonly text: string
  /** Type-level only: what the statement takes and gives. Never present at run time. */
  readonly types?: { readonly params: P; readonly row: R }
}

const declared = new Set<Statement>()

/**
 * Declares a statement. Every declared statement is prepared when the database opens, so a typo fails at start.
 * Portable subset only: `ON CONFLICT`, `RETURNING`, keyset paging; no `rowid`, `LIKE`, date or JSON functions. What else
 * is refused, and what to write instead, is in test/storage/portable.test.ts.
 * @example const byId = sql<{ id: string }, MessageRow>('SELECT * FROM messages WHERE id = :id')
 */
export function sql<P extends object = Record<never, never>, R extends object = Record<never, never>>(
  text: string,
): Statement<P, R> {
  const statement: Statement<P, R> = { text }
  declared.add(statement as unknown as Statement)
  return statement
}

/** All statements of the modules loaded so far; the storage adapter prepares them at start. */
export function declaredStatements(): readonly Statement[] {
  return [...declared]
}
