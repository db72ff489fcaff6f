/**
 * Translates the schema text of a migration, which is written for SQLite, to PostgreSQL.
 *
 * The portable subset (storage/migrate.ts) leaves few differences:
 * - `INTEGER` is 64 bits wide in SQLite, so it becomes `BIGINT`; `BLOB` becomes `BYTEA`, `ANY` becomes `TEXT`.
 * - `STRICT` is what every PostgreSQL table is.
 * - Text is compared by bytes in SQLite, so every text column gets `COLLATE "C"`. Paging by key depends on it, and the
 *   database may have any locale, also after it was restored elsewhere.
 *
 * Quoted text and comments are left alone.
 */
export function postgresSchema(text: string): string {
  return text
    .split(QUOTED)
    .map((part, at) => (at % 2 === 1 ? part : translated(part)))
    .join('')
}

/** A quoted text, a quoted name or a comment. */
const QUOTED = /('(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/)/

const translated = (part: string): string =>
  part
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(/\bBLOB\b/g, 'BYTEA')
    .replaceAll(/\b(?:TEXT|ANY)\b/g, 'TEXT COLLATE "C"')
    .replaceAll(/\)\s*STRICT\b/g, ')')
