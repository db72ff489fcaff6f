import Database from 'better-sqlite3'
import { oneLine } from './faults.ts'

/** The file cannot be trusted any more. */
class DamagedDatabaseError extends Error {
  constructor(file: string, detail: string, options?: ErrorOptions) {
    super(
      `The database ${file} is damaged (${oneLine(detail)}). ` +
        'Move it aside and put the newest copy from the backups folder beside it in its place.',
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
