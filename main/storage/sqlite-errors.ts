import Database from 'better-sqlite3'
import { ConstraintError, StorageError } from '../kernel/db.ts'
import { isDiskFull } from '../kernel/durable-file.ts'

/** Refusals that a caller can cause with data; NOT NULL and type refusals are mistakes of ours and stay plain errors. */
const CONSTRAINTS = ['UNIQUE', 'PRIMARYKEY', 'ROWID', 'CHECK', 'FOREIGNKEY', 'TRIGGER'].map(
  (k) => `SQLITE_CONSTRAINT_${k}`,
)

/** A wrong statement or parameter: the unit is at fault, the storage is well. */
const MISTAKES = [
  'SQLITE_ERROR',
  'SQLITE_CONSTRAINT',
  'SQLITE_MISMATCH',
  'SQLITE_RANGE',
  'SQLITE_TOOBIG',
  'SQLITE_MISUSE',
]

/**
 * What SQLite reported, in the words of the port. The statement's text is part of the message, its parameters never
 * are: they hold what customers wrote.
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

/** Like `translate`, where any failure at all means that the transaction's fate is the storage's fault. */
export function asStorageError(error: unknown, message: string): StorageError {
  if (error instanceof StorageError) return error
  return new StorageError(isDiskFull(error) ? 'full' : 'unknown', message, { cause: error })
}

/** What only a file that can no longer be trusted causes; everything else leaves the connection as good as before. */
const DISK = ['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN', 'SQLITE_READONLY']

/** Whether the disk, or what is on it, is at fault, so that nothing may be built on this connection any more. */
export function isDiskFault({ kind, cause }: StorageError): boolean {
  if (kind !== 'unknown' || !(cause instanceof Database.SqliteError)) return false
  return DISK.some((code) => cause.code.startsWith(code))
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
