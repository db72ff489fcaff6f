import Database from 'better-sqlite3'

/** Tables from which something is carried over into the state that follows, and which of their rows. */
const RECOVERED_ROWS = {
  counters: 'true',
  console_sessions: 'true',
  console_passwords: 'true',
  api_keys: 'true',
  // Of a day; who held the others once is not needed, and they are many.
  idempotency_keys: 'expires_at > 0',
} as const
type Table = keyof typeof RECOVERED_ROWS
/** Carried over also without rows: open deliveries go on behind their attempts, and who was signed in signs in again. */
const CREATED_EMPTY = ['deliveries', 'console_sessions'] as const

/** Far more numbers than an hour gives out: behind it nothing can have been given out before. */
const SKIPPED_NUMBERS = 1_000_000

/**
 * Puts into a file of its own what a damaged database still shows of the tables that are carried over.
 * @param damaged null: nothing can be taken from it.
 * @param copy the state that follows; what cannot be read is guessed from it, on the safe side.
 */
export function recoverRows(damaged: string | null, copy: Database.Database, into: string) {
  const source = damaged === null ? undefined : tryOpen(damaged)
  const rescued = new Database(into)
  try {
    rescued.pragma('foreign_keys = OFF')
    const readable = new Set<string>(
      Object.keys(RECOVERED_ROWS).filter((table) => copyRows(source, copy, rescued, table as Table)),
    )
    for (const table of CREATED_EMPTY) if (!readable.has(table)) createTableLike(copy, rescued, table)
    if (!readable.has('counters')) skipAhead(copy, rescued)
    return {
      events: countNewer(source, copy, 'events'),
      messages: countNewer(source, copy, 'messages'),
      keysUnknown: !readable.has('api_keys'),
    }
  } finally {
    rescued.close()
    source?.close()
  }
}

function tryOpen(file: string): Database.Database | undefined {
  try {
    return new Database(file, { readonly: true, fileMustExist: true })
  } catch {
    return undefined
  }
}

/** As the state that follows has it; nothing where it has none. */
function createTableLike(copy: Database.Database, rescued: Database.Database, table: string): void {
  const find = copy.prepare(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`).pluck()
  const create = find.get(table)
  if (typeof create === 'string') rescued.exec(create)
}

/** All rows or none: half of a table would look like the whole of it. @returns whether it could be read. */
function copyRows(
  source: Database.Database | undefined,
  copy: Database.Database,
  rescued: Database.Database,
  table: Table,
): boolean {
  if (source === undefined) return false
  const copyAll = rescued.transaction(() => {
    createTableLike(copy, rescued, table)
    const rows = source.prepare(`SELECT * FROM ${table} WHERE ${RECOVERED_ROWS[table]}`).raw()
    const put = rescued.prepare(
      `INSERT INTO ${table} VALUES (${rows
        .columns()
        .map(() => '?')
        .join(', ')})`,
    )
    for (const row of rows.iterate() as IterableIterator<unknown[]>) put.run(...row)
  })
  try {
    copyAll()
    return true
  } catch {
    return false
  }
}

function skipAhead(copy: Database.Database, rescued: Database.Database): void {
  const rows = copy.prepare('SELECT name, value FROM counters').all() as { name: string; value: number }[]
  createTableLike(copy, rescued, 'counters')
  const put = rescued.prepare('INSERT OR REPLACE INTO counters (name, value) VALUES (?, ?)')
  for (const { name, value } of rows) put.run(name, value + SKIPPED_NUMBERS)
}

/** How many rows came after the newest one of the copy; null where the damaged file does not say. */
function countNewer(source: Database.Database | undefined, copy: Database.Database, table: string): number | null {
  try {
    const newest = copy.prepare(`SELECT COALESCE(MAX(seq), 0) FROM ${table}`).pluck().get()
    const count = source?.prepare(`SELECT COUNT(*) FROM ${table} WHERE seq > ?`).pluck().get(newest)
    return typeof count === 'number' ? count : null
  } catch {
    return null
  }
}
