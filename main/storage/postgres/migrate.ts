import type { Migration } from '../migrate.ts'
import type { Connection } from './connection.ts'
import { LOCK_WRITERS } from './group-commit.ts'
import { postgresSchema } from './schema-text.ts'

/** Tables that only a database on PostgreSQL has: the version of its schema, and the last commit of each process. */
const OWN_TABLES = `
  CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS commit_marks (
    boot TEXT COLLATE "C" PRIMARY KEY,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL
  ) WITH (fillfactor = 50)`
const DAY_MS = 86_400_000

/**
 * Brings the schema up to date in one transaction, under the lock of all writers: an upgrade that fails leaves a
 * database that the previous version can still open, and of several processes that start together, one upgrades.
 * @returns the applied steps.
 * @throws Error with a sentence for the person at the terminal.
 */
export async function migrate(connection: Connection, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  await connection.query({ text: 'BEGIN' })
  try {
    await connection.query(LOCK_WRITERS)
    await connection.query({ text: OWN_TABLES })
    await connection.query({
      text: `DELETE FROM commit_marks WHERE at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ${DAY_MS}`,
    })
    const applied = await applyDue(connection, migrations)
    await connection.query({ text: 'COMMIT' })
    return applied
  } catch (error) {
    if (connection.isUsable()) await connection.query({ text: 'ROLLBACK' })
    throw error
  }
}

async function applyDue(connection: Connection, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  const { rows } = await connection.query({ text: 'SELECT version FROM schema_version' })
  const at = (rows as { version: number }[])[0]?.version ?? 0
  const newest = migrations.at(-1)?.version ?? 0
  if (at > newest) {
    throw new Error(
      `The database was written by a newer Switchboard (schema ${at}, this version supports ${newest}). Install the newer version.`,
    )
  }
  const due = migrations.filter((step) => step.version > at)
  if (due.length === 0) return due
  for (const step of due) await apply(connection, step)
  await connection.query({ text: 'DELETE FROM schema_version' })
  await connection.query({ text: 'INSERT INTO schema_version (version) VALUES ($1)', values: [newest] })
  return due
}

async function apply(connection: Connection, { version, name, sql, postgres }: Migration): Promise<void> {
  try {
    await connection.query({ text: postgresSchema(postgres ?? sql) })
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    throw new Error(`The database upgrade failed at schema step ${version} (${name}) and was undone: ${detail}.`, {
      cause: error,
    })
  }
}
