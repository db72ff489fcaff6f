import { sql } from '../../main/kernel/sql.ts'
import type { Migration } from '../../main/storage/migrate.ts'
import { ledger } from '../../main/storage/migrations/001-ledger.ts'

/** A schema for tests of the storage itself: one table with a constraint, and one whose constraint shows at COMMIT. */
export const notebook: readonly Migration[] = [
  ledger,
  {
    version: 2,
    name: 'notebook',
    sql: `
CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, body BLOB) STRICT;
CREATE TABLE replies (
  seq INTEGER PRIMARY KEY,
  note INTEGER NOT NULL REFERENCES notes (seq) DEFERRABLE INITIALLY DEFERRED
) STRICT;
`,
  },
]

export const putNote = sql<{ seq: number; text: string }>('INSERT INTO notes (seq, text) VALUES (:seq, :text)')

export const putReply = sql<{ seq: number; note: number }>('INSERT INTO replies (seq, note) VALUES (:seq, :note)')

export const noteTexts = sql<Record<never, never>, { text: string }>('SELECT text FROM notes ORDER BY seq')

export const countNotes = sql<Record<never, never>, { count: number }>('SELECT count(*) AS count FROM notes')

export const putBody = sql<{ seq: number; text: string; body: Buffer }>(
  'INSERT INTO notes (seq, text, body) VALUES (:seq, :text, :body)',
)
