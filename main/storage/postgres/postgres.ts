import { systemClock } from '../../kernel/clock.ts'
import type { StorageError } from '../../kernel/db.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { Migration } from '../migrate.ts'
import type { Storage } from '../sqlite.ts'
import { connect } from './connection.ts'
import { createGroupCommit } from './group-commit.ts'
import { migrate } from './migrate.ts'
import { createReads } from './reads.ts'

export interface PostgresDeps {
  /** `postgres://user:password@host:port/database`. Never logged. */
  readonly url: string
  readonly migrations: readonly Migration[]
  readonly ids: Pick<Ids, 'boot'>
  readonly log: Log
  /** Called when a group of units failed because of the server. */
  readonly onFault?: (fault: StorageError) => void
}

const READING_CONNECTIONS = 4
const OLDEST_VERSION = 15

/**
 * Opens the database and updates its schema.
 * @throws Error with a sentence for the person at the terminal: unreachable, a replica, too old, newer than this build.
 */
export async function openPostgres({ url, migrations, ids, log, onFault = () => {} }: PostgresDeps): Promise<Storage> {
  const boot = ids.boot()
  const { engine, bytes } = await prepareServer(url, migrations, log)
  const open = () => connect(url)
  const { sleep } = systemClock
  const groups = createGroupCommit({ connect: open, boot, log, onFault, sleep })
  const reads = createReads({ connect: open, connections: READING_CONNECTIONS, sleep })
  let closing: Promise<void> | undefined
  return {
    boot,
    engine,
    commit: groups.commit,
    // Row types are claims written beside the SQL (kernel/sql.ts); the stores' tests prove them.
    read: (statement, params) => reads.read(statement, params) as Promise<never>,
    readOne: async (statement, params) => (await reads.read(statement, params))[0] as never,
    revision: groups.revision,
    bytes: () => bytes,
    // The server does these itself.
    checkpoint: async () => {},
    shrink: async () => false,
    noteClockSet() {},
    writeBackup: () => Promise.reject(new Error('Backups of a database on PostgreSQL are made with its own tools.')),
    close: () =>
      (closing ??= (async () => {
        await groups.stop()
        await reads.close()
      })()),
  }
}

async function prepareServer(url: string, migrations: readonly Migration[], log: Log) {
  const connection = await connect(url).catch((error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error)
    throw new Error(`The database server of database_url can't be used: ${detail}.`, { cause: error })
  })
  try {
    const { rows } = await connection.query({
      text: `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major,
        pg_is_in_recovery() AS "isReplica", pg_database_size(current_database()) AS bytes`,
    })
    const [server] = rows as { version: string; major: number; isReplica: boolean; bytes: number }[]
    if (server === undefined) throw new Error('The database server did not say which version it is.')
    if (server.major < OLDEST_VERSION)
      throw new Error(`PostgreSQL ${server.version} is too old. Switchboard needs ${OLDEST_VERSION} or newer.`)
    if (server.isReplica) throw new Error('The database server is a replica. Set database_url to the primary server.')
    const applied = await migrate(connection, migrations)
    if (applied.length > 0) log.info({ event: 'storage.migrated', steps: applied.map((step) => step.name) })
    return { engine: `PostgreSQL ${server.version}`, bytes: server.bytes }
  } finally {
    await connection.close()
  }
}
