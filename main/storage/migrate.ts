import Database from 'better-sqlite3'
import { writeBackup, copyInProcess } from './backup.ts'

/** One numbered step of the schema. Steps are never edited once released; a change is a new step. */
export interface Migration {
  /** Equals the database's `user_version` once applied. */
  readonly version: number
  readonly name: string
  /** DDL of the SQLite adapter: STRICT tables, portable column types (TEXT, INTEGER, BLOB). */
  readonly sql: string
}

interface MigrateDeps {
  readonly connection: Database.Database
  readonly migrations: readonly Migration[]
  /** Where the copy goes that is made before an existing database is changed; null for one that is a copy itself. */
  readonly backupsFolder: string | null
  readonly nowMs: number
}

/**
 * Brings the schema up to date, each step in a transaction of its own.
 * @returns the steps that were applied.
 */
export async function migrate({ connection, migrations, backupsFolder, nowMs }: MigrateDeps): Promise<Migration[]> {
  const at = versionOf(connection)
  const newest = migrations.at(-1)?.version ?? 0
  if (at > newest) {
    throw new Error(
      `The database ${connection.name} was written by a newer Switchboard (schema ${at}, this version supports ${newest}). ` +
        'Install the newer version, or use another --home.',
    )
  }
  const due = migrations.filter((step) => step.version > at)
  if (at > 0 && due.length > 0 && backupsFolder !== null)
    await writeBackup(backupsFolder, `before-schema-${newest}`, nowMs, copyInProcess(connection))
  for (const step of due) apply(connection, step)
  return due
}

/**
 * Whether its tables are those of its version; of a version that is not known here they are taken for that. A letter
 * that changed inside their text, or inside the version, is no fault of the file's structure: no look at that finds it.
 */
export function hasExpectedSchema(connection: Database.Database, migrations: readonly Migration[]): boolean {
  const at = versionOf(connection)
  if (at > (migrations.at(-1)?.version ?? 0)) return true
  const made = new Database(':memory:')
  try {
    for (const step of migrations) if (step.version <= at) made.exec(step.sql)
    return schemaOf(connection) === schemaOf(made)
  } finally {
    made.close()
  }
}

const schemaOf = (connection: Database.Database) =>
  JSON.stringify(connection.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all())

function versionOf(connection: Database.Database): number {
  return Number(connection.pragma('user_version', { simple: true }))
}

function apply(connection: Database.Database, step: Migration): void {
  const applyStep = connection.transaction(() => {
    connection.exec(step.sql)
    connection.pragma(`user_version = ${step.version}`)
  })
  try {
    applyStep.immediate()
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    throw new Error(`Schema step ${step.version} (${step.name}) failed and was undone: ${detail}`, { cause: error })
  }
}
