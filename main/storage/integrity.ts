import Database from 'better-sqlite3'
import { oneLine } from './faults.ts'

/** The file cannot be trusted any more. */
export class DamagedDatabaseError extends Error {
  constructor(file: string, detail: string, options?: ErrorOptions) {
    super(
      `The database ${file} is damaged (${oneLine(detail)}). ` +
        'No whole copy of it lies in the backups folder beside it. Put one there, from wherever you keep them, and start again.',
      options,
    )
    this.name = 'DamagedDatabaseError'
  }
}

/**
 * `quickly`: every page, about a second for a gigabyte. `closely`: whether indexes and rows agree as well, which takes
 * several times that.
 */
export type Care = 'quickly' | 'closely'

/** @throws DamagedDatabaseError when SQLite finds the file damaged. */
export function checkIntegrity(connection: Database.Database, care: Care = 'quickly'): void {
  const verdict = connection.pragma(care === 'closely' ? 'integrity_check(1)' : 'quick_check(1)', { simple: true })
  if (verdict !== 'ok') throw new DamagedDatabaseError(connection.name, String(verdict))
}

const FOUND_AT_MOST = 5
/** More or less: it is their numbers that are looked at. */
const PAGES_AT_ONCE = 500

/**
 * What `integrity_check` looks at in each table and its indexes, in parts, because SQLite cannot be interrupted in one.
 * Before a table its pages are read, a few at a time: what takes long is the disk. Pages of no table are looked at by
 * a start, where it looks.
 * @returns for each part what is wrong there, in SQLite's words; no row's content is among them.
 */
export function* lookThrough(connection: Database.Database): Generator<string[]> {
  const treesOf = connection.prepare('SELECT name FROM sqlite_schema WHERE tbl_name = ? AND rootpage > 0').pluck()
  const pagesOf = connection.prepare('SELECT pageno FROM dbstat WHERE name = ?').pluck()
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  for (const table of tables) {
    for (const tree of treesOf.all(table)) {
      for (const page of pagesOf.iterate(tree)) if (Number(page) % PAGES_AT_ONCE === 0) yield []
    }
    yield wrongIn(connection, `integrity_check('${String(table)}')`)
  }
}

/** All that SQLite finds wrong, in one go. */
export const damageOf = (connection: Database.Database): string[] =>
  wrongIn(connection, `integrity_check(${FOUND_AT_MOST})`)

/** The answer has one column, named for the question. */
function wrongIn(connection: Database.Database, question: string): string[] {
  const lines = (connection.pragma(question) as object[]).map((row) => String(Object.values(row)[0]))
  return lines.filter((line) => line !== 'ok').slice(0, FOUND_AT_MOST)
}

/** Damage may show before `quick_check` gets its turn. Other errors pass unchanged. */
export function explainDamage(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  return isDamage(error) ? new DamagedDatabaseError(file, error.message, { cause: error }) : error
}

/** What SQLite answers to a question about a file that is none of its own any more. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Database.SqliteError && (error.code === 'SQLITE_NOTADB' || error.code.startsWith('SQLITE_CORRUPT'))

/** Whether a file is a database that nothing is wrong with. */
export function isWhole(file: string, care: Care = 'quickly'): boolean {
  let connection: Database.Database | undefined
  try {
    connection = new Database(file, { readonly: true, fileMustExist: true })
    checkIntegrity(connection, care)
    return true
  } catch {
    return false
  } finally {
    connection?.close()
  }
}
