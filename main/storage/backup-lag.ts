import Database from 'better-sqlite3'

/** Changes that a backup does not contain. */
export interface BackupLag {
  /** Time of the first such change. */
  readonly fromMs: number
  /** Number of clock hours with such changes. */
  readonly hours: number
}

/**
 * Compares the events of both. @returns null if the backup has all of them. @throws Error if one of the two cannot be
 * read.
 */
export function findBackupLag(database: string, copy: string): BackupLag | null {
  const seq = reading(copy, (connection) => connection.prepare('SELECT MAX(seq) FROM events').pluck().get() ?? 0)
  const found = reading(database, (connection) =>
    connection
      .prepare(
        'SELECT MIN(created_at) AS fromMs, COUNT(DISTINCT created_at / 3600000) AS hours FROM events WHERE seq > ?',
      )
      .get(seq),
  ) as { fromMs: number | null; hours: number }
  const { fromMs, hours } = found
  return fromMs === null ? null : { fromMs, hours }
}

function reading<T>(file: string, read: (connection: Database.Database) => T): T {
  const connection = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return read(connection)
  } finally {
    connection.close()
  }
}
