import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { isDiskFull } from '../kernel/durable-file.ts'
import { copyInProcess, writeBackup } from './backup.ts'
import { copiesMadeFor } from './backups.ts'

/** One numbered step of the schema. Steps are never edited once released; a change is a new step. */
export interface Migration {
  /** Equals the database's `user_version` once applied. */
  readonly version: number
  readonly name: string
  /** DDL of the SQLite adapter: STRICT tables, portable column types (TEXT, INTEGER, BLOB). */
  readonly sql: string
  /**
   * Used instead of the translated `sql` on PostgreSQL (storage/postgres/schema-text.ts), for a step that converts rows
   * with functions of SQLite. A database on PostgreSQL is younger than such a step and has no rows to convert.
   */
  readonly postgres?: string
}

interface MigrateDeps {
  readonly connection: Database.Database
  readonly migrations: readonly Migration[]
  /** Folder for the backup made before an existing database is changed; null for a database that is a copy itself. */
  readonly backupsFolder: string | null
  readonly nowMs: number
}

/**
 * Brings the schema up to date in one transaction: an upgrade that is interrupted or fails leaves a database that the
 * previous version can still open.
 * @returns the applied steps.
 */
export async function migrate({ connection, migrations, backupsFolder, nowMs }: MigrateDeps): Promise<Migration[]> {
  const at = versionOf(connection)
  const newest = migrations.at(-1)?.version ?? 0
  if (at > newest) {
    throw new Error(
      `The database ${connection.name} was written by a newer Switchboard (schema ${at}, this version supports ${newest}). ` +
        'Install the newer version, go back to a backup from before the upgrade with npm run restore, or use another --home.',
    )
  }
  const due = migrations.filter((step) => step.version > at)
  if (at > 0 && due.length > 0 && backupsFolder !== null) await copyBefore(connection, backupsFolder, newest, nowMs)
  if (due.length > 0) apply(connection, due)
  return due
}

async function copyBefore(connection: Database.Database, folder: string, newest: number, nowMs: number): Promise<void> {
  try {
    const reason = `before-schema-${newest}`
    // A service that restarts repeatedly while its upgrade fails would fill the disk with backups.
    await writeBackup(folder, reason, nowMs, copyInProcess(connection), copiesMadeFor(folder, reason))
  } catch (error) {
    if (!isDiskFull(error)) throw error
    const megabytes = Math.ceil(statSync(connection.name).size / 1_000_000)
    throw new NoRoomToMigrateError(
      `The disk is too full to upgrade the database ${connection.name}: a copy of ${megabytes} MB is made first. ` +
        'Nothing was changed. Free disk space and start again, or start the version you had before.',
      { cause: error },
    )
  }
}

/** The message says how much space is needed. */
export class NoRoomToMigrateError extends Error {}

/**
 * Whether its tables match its version; unknown versions are assumed to match. A changed letter in their text or in
 * the version does not damage the file's structure, so no integrity check finds it.
 */
export function hasExpectedSchema(connection: Database.Database, migrations: readonly Migration[]): boolean {
  const at = versionOf(connection)
  if (at > (migrations.at(-1)?.version ?? 0)) return true
  return schemaOf(connection) === expectedSchema(migrations, at)
}

/** Made once for each version: a damaged home is compared with it several times, and so is each of its backups. */
const expected = new WeakMap<readonly Migration[], Map<number, string>>()

function expectedSchema(migrations: readonly Migration[], version: number): string {
  const known = expected.get(migrations) ?? new Map<number, string>()
  expected.set(migrations, known)
  const before = known.get(version)
  if (before !== undefined) return before
  const made = new Database(':memory:')
  try {
    for (const step of migrations) if (step.version <= version) made.exec(step.sql)
    const schema = schemaOf(made)
    known.set(version, schema)
    return schema
  } finally {
    made.close()
  }
}

const schemaOf = (connection: Database.Database) =>
  JSON.stringify(connection.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all())

export function versionOf(connection: Database.Database): number {
  return Number(connection.pragma('user_version', { simple: true }))
}

function apply(connection: Database.Database, steps: readonly Migration[]): void {
  let at = steps[0]
  const applySteps = connection.transaction(() => {
    for (const step of steps) {
      at = step
      connection.exec(step.sql)
      connection.pragma(`user_version = ${step.version}`)
    }
  })
  try {
    applySteps.immediate()
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    const advice = isDiskFull(error) ? ' Free disk space and start again, or start the version you had before.' : ''
    throw new Error(
      `The database upgrade failed at schema step ${at?.version} (${at?.name}) and was undone: ${detail}.${advice}`,
      { cause: error },
    )
  }
}
