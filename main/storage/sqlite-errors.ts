import Database from 'better-sqlite3'
import { ConstraintError, StorageError } from '../kernel/db.ts'
import { isDiskFull } from '../kernel/durable-file.ts'

/** Constraint errors that a caller's data can cause; NOT NULL and type errors are bugs and stay plain errors. */
const CONSTRAINTS = ['UNIQUE', 'PRIMARYKEY', 'ROWID', 'CHECK', 'FOREIGNKEY', 'TRIGGER'].map(
  (k) => `SQLITE_CONSTRAINT_${k}`,
)

/** Errors in a statement or parameter: the unit is wrong, and the storage works. */
const MISTAKES = [
  'SQLITE_ERROR',
  'SQLITE_CONSTRAINT',
  'SQLITE_MISMATCH',
  'SQLITE_RANGE',
  'SQLITE_TOOBIG',
  'SQLITE_MISUSE',
]

/**
 * Converts an SQLite error to one of the port. The message contains the statement's text but never its parameters,
 * which are customers' data.
 */
export function mapSqliteError(error: unknown, statement: string): Error {
  if (error instanceof StorageError || error instanceof ConstraintError) return error
  const detail = error instanceof Error ? error.message : String(error)
  const message = `${detail} in: ${oneLine(statement)}`
  if (!(error instanceof Database.SqliteError)) return new Error(message, { cause: error })
  const { code } = error
  if (CONSTRAINTS.includes(code)) return new ConstraintError(message, { cause: error })
  if (MISTAKES.some((known) => code === known || code.startsWith(`${known}_`)))
    return new Error(message, { cause: error })
  return asStorageError(error, message)
}

/** Like `mapSqliteError`, for cases in which every error is a fault of the storage. */
export function asStorageError(error: unknown, message: string): StorageError {
  if (error instanceof StorageError) return error
  return new StorageError(isDiskFull(error) ? 'full' : 'unknown', message, { cause: error })
}

/** Errors after which the file can no longer be trusted; all others leave the connection usable. */
const DISK = ['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN', 'SQLITE_READONLY']

/** Whether the disk or its data is faulty, so that this connection must not be used any longer. */
export function isDiskFault({ kind, cause }: StorageError): boolean {
  if (kind !== 'unknown' || !(cause instanceof Database.SqliteError)) return false
  return DISK.some((code) => cause.code.startsWith(code))
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
