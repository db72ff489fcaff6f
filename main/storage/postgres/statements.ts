import type { QueryResult } from 'pg'
import { parameterFault } from '../parameters.ts'
import { oneLine } from '../sqlite-errors.ts'
import type { Connection } from './connection.ts'
import { mapPostgresError } from './errors.ts'
import { postgresText } from './statement-text.ts'

interface Translated {
  /** Under which the server keeps the statement's plan. */
  readonly name: string
  readonly text: string
  readonly names: readonly string[]
  readonly isReadonly: boolean
}

const known = new WeakMap<object, Translated>()
let translations = 0

/** The translation of a statement. The object itself is the key, which avoids comparing texts for every query. */
export function translate(statement: { readonly text: string }): Translated {
  let translated = known.get(statement)
  if (!translated) {
    const { text, names } = postgresText(statement.text)
    translated = { name: `s${++translations}`, text, names, isReadonly: /^\s*SELECT\b/i.test(text) }
    known.set(statement, translated)
  }
  return translated
}

/** @throws an error of the port (errors.ts). */
export async function execute(
  connection: Connection,
  statement: { readonly text: string },
  params: object,
): Promise<QueryResult> {
  const { name, text, names } = translate(statement)
  const values = valuesOf(names, params, statement.text)
  try {
    return await connection.query({ name, text, values })
  } catch (error) {
    throw mapPostgresError(error, statement.text)
  }
}

function valuesOf(names: readonly string[], params: object, text: string): unknown[] {
  // A parameter object is declared as a record (kernel/sql.ts); its type is only narrower.
  const given = params as Readonly<Record<string, unknown>>
  return names.map((name) => {
    const value = given[name]
    const fault = parameterFault(name, value)
    if (fault !== undefined) throw new Error(`${fault} in: ${oneLine(text)}`)
    return typeof value === 'string' ? storable(value) : value
  })
}

/** PostgreSQL cannot store U+0000. It becomes U+FFFD, as half of a surrogate pair does in both databases. */
const storable = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text)
