/** A statement as PostgreSQL takes it: numbered parameters, in the order of `names`. */
export interface PostgresText {
  readonly text: string
  /** The parameter of `$1`, `$2` and so on. */
  readonly names: readonly string[]
}

/**
 * Translates the text of a statement (kernel/sql.ts) to PostgreSQL.
 * - `:name` becomes `$1`; a name that is used twice keeps its number.
 * - Names in camel case are quoted, because PostgreSQL folds unquoted names to lower case and rows would have other
 *   keys.
 *
 * Quoted text and comments are left alone.
 */
export function postgresText(sql: string): PostgresText {
  const names: string[] = []
  const text = sql.replaceAll(PARTS, (part, parameter: string | undefined, word: string | undefined) => {
    if (parameter !== undefined) {
      const known = names.indexOf(parameter)
      return `$${known === -1 ? names.push(parameter) : known + 1}`
    }
    return word === undefined ? part : `"${word}"`
  })
  return { text, names }
}

/** Quoted text, a quoted name, a comment, a parameter, or a word with lower and upper case letters. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|:([A-Za-z_]\w*)|\b([a-z][a-z0-9_]*[A-Z]\w*)\b/g
