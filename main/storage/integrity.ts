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

/** Throws when SQLite finds the file damaged. Takes about a second per gigabyte. */
export function checkIntegrity(connection: Database.Database): void {
  const verdict = connection.pragma('quick_check(1)', { simple: true })
  if (verdict !== 'ok') throw new DamagedDatabaseError(connection.name, String(verdict))
}

/** Damage may show before `quick_check` gets its turn. Other errors pass unchanged. */
export function explainDamage(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  const isDamage = error.code === 'SQLITE_NOTADB' || error.code.startsWith('SQLITE_CORRUPT')
  return isDamage ? new DamagedDatabaseError(file, error.message, { cause: error }) : error
}

/** Whether a file is a database that nothing is wrong with. */
export function isWhole(file: string): boolean {
  let connection: Database.Database | undefined
  try {
    connection = new Database(file, { readonly: true, fileMustExist: true })
    checkIntegrity(connection)
    return true
  } catch {
    return false
  } finally {
    connection?.close()
  }
}
