import Database from 'better-sqlite3'

/** When the first and the last happened of what a copy does not hold. */
export interface Uncopied {
  readonly fromMs: number
  readonly untilMs: number
}

/** By the events of both. @returns null where the copy holds them all. @throws where one of the two cannot be read. */
export function uncopiedIn(database: string, copy: string): Uncopied | null {
  const seq = reading(copy, (connection) => connection.prepare('SELECT MAX(seq) FROM events').pluck().get() ?? 0)
  const found = reading(database, (connection) =>
    connection
      .prepare('SELECT MIN(created_at) AS fromMs, MAX(created_at) AS untilMs FROM events WHERE seq > ?')
      .get(seq),
  ) as { [K in keyof Uncopied]: number | null }
  const { fromMs, untilMs } = found
  return fromMs === null || untilMs === null ? null : { fromMs, untilMs }
}

function reading<T>(file: string, read: (connection: Database.Database) => T): T {
  const connection = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return read(connection)
  } finally {
    connection.close()
  }
}
