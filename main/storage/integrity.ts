import Database from 'better-sqlite3'
import { oneLine } from './sqlite-errors.ts'

/** The file can no longer be trusted. */
export class DamagedDatabaseError extends Error {
  constructor(file: string, detail: string, options?: ErrorOptions) {
    super(
      `The database ${file} is damaged (${oneLine(detail)}). ` +
        'The backups folder next to it has no intact backup. Copy one there and start again.',
      options,
    )
    this.name = 'DamagedDatabaseError'
  }
}

/** The database was closed cleanly and is missing, and there is no backup of it. */
export class MissingDatabaseError extends DamagedDatabaseError {
  constructor(file: string) {
    super(file, 'it is missing')
    this.message = missingWithoutCopyMessage(file)
    this.name = 'MissingDatabaseError'
  }
}

export const missingWithoutCopyMessage = (file: string): string =>
  `${file} is missing, and there is no backup of it. Put a copy of it in its place and start again. If you have none, ` +
  `delete ${file}.closed: Switchboard then starts with a new database and what the folder facts notes, such as opt-outs and payments.`

/**
 * `quickly`: every page, about a second for a gigabyte. `closely`: whether indexes and rows agree as well, which takes
 * several times that.
 */
export type CheckDepth = 'quickly' | 'closely'

/** @throws DamagedDatabaseError when SQLite finds the file damaged. */
export function checkIntegrity(connection: Database.Database, care: CheckDepth = 'quickly'): void {
  const verdict = connection.pragma(care === 'closely' ? 'integrity_check(1)' : 'quick_check(1)', { simple: true })
  if (verdict !== 'ok') throw new DamagedDatabaseError(connection.name, String(verdict))
}

const MAX_PROBLEMS = 5
/** Problems found by a close check, in SQLite's messages, which contain no data of rows. */
export function findDamage(connection: Database.Database): string[] {
  const rows = connection.pragma(`integrity_check(${MAX_PROBLEMS})`) as { integrity_check: string }[]
  // One row reports damaged pages in several lines, with a headline.
  const lines = rows.flatMap((row) => row.integrity_check.split('\n'))
  return lines.filter((line) => line !== 'ok' && line !== '' && !line.startsWith('***')).slice(0, MAX_PROBLEMS)
}

/** Damage may show before `quick_check` runs. Errors that do not come from SQLite are passed on unchanged. */
export function explainOpenError(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  if (isCorruption(error)) return new DamagedDatabaseError(file, error.message, { cause: error })
  return new CannotOpenError(`The database ${cannotOpenMessage(file, error)}`, { cause: error })
}

/** The cause is not in the file itself. */
export class CannotOpenError extends Error {}

/** Not a mistake or damage: access rights, a read-only folder, a failing or full disk. */
export const cannotOpenMessage = (file: string, error: Error): string =>
  `${file} cannot be opened (${error.message}). Check file permissions, disk health and free space.`

/** SQLite's error codes for a file that is no longer a database. */
export const isCorruption = (error: unknown): error is Error =>
  error instanceof Database.SqliteError && (error.code === 'SQLITE_NOTADB' || error.code.startsWith('SQLITE_CORRUPT'))

/** Whether a file is an undamaged database. */
export function isIntact(file: string, care: CheckDepth = 'quickly'): boolean {
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
