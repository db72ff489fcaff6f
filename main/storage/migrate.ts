/** One numbered step of the schema. Steps are never edited once released; a change is a new step. */
export interface Migration {
  /** Equals the database's `user_version` once applied. */
  readonly version: number
  readonly name: string
  /** DDL of the SQLite adapter: STRICT tables, portable column types (TEXT, INTEGER, BLOB). */
  readonly sql: string
}
