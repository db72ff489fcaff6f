import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../kernel/clock.ts'
import type { Db, StorageError } from '../kernel/db.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { declaredStatements, type Statement } from '../kernel/sql.ts'
import { checkIntegrity } from './backup.ts'
import { createGroups } from './groups.ts'
import { migrate, type Migration } from './migrate.ts'
import { createStatements, type Prepare } from './statements.ts'

export interface StorageNeeds {
  /** Path of the database; `backups/` lies beside it. The caller owns the folder (lock.ts). */
  readonly file: string
  readonly migrations: readonly Migration[]
  readonly ids: Pick<Ids, 'boot'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Prepared at once, so that a typo fails here. Default: every statement of the modules loaded so far. */
  readonly statements?: readonly Statement[]
  /** Told after the callers of a failed group were: the service decides whether to go on. */
  readonly onFault?: (fault: StorageError) => void
}

/** The storage port, with what only the composition root uses. */
export interface Storage extends Db {
  /** Writes the log back into the database file and empties it. */
  checkpoint(): Promise<void>
}

/** 3.7.0 to 3.51.2 can damage a file that two connections use (WAL reset). */
const OLDEST_SQLITE = [3, 51, 3] as const

/**
 * Opens the database, brings it up to date and prepares every statement.
 * @throws with a sentence for the person at the terminal: damaged, newer than this build, wrong SQLite, wrong SQL.
 */
export async function openStorage(needs: StorageNeeds): Promise<Storage> {
  const { file, migrations, ids, clock, log } = needs
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const opened: Database.Database[] = []
  try {
    const writer = new Database(file)
    opened.push(writer)
    setUp(writer)
    checkIntegrity(writer)
    const applied = await migrate({
      connection: writer,
      migrations,
      backupsFolder: join(dirname(file), 'backups'),
      nowMs: clock.now(),
    })
    if (applied.length > 0) log.info({ event: 'storage.migrated', steps: applied.map((step) => step.name) })
    const reader = new Database(file, { readonly: true, fileMustExist: true })
    opened.push(reader)
    setUpReader(reader)
    const [prepareWrite, prepareRead] = [createStatements(writer), createStatements(reader)]
    prepareAll(needs.statements ?? declaredStatements(), prepareWrite, prepareRead)
    const groups = createGroups({ connection: writer, prepare: prepareWrite, log, onFault: needs.onFault ?? (() => {}) })
    return connect(writer, reader, prepareRead, groups, ids.boot())
  } catch (error) {
    for (const connection of opened) connection.close()
    throw error
  }
}

function connect(
  writer: Database.Database,
  reader: Database.Database,
  prepareRead: Prepare,
  groups: ReturnType<typeof createGroups>,
  boot: Db['boot'],
): Storage {
  let closing: Promise<void> | undefined

  async function checkpoint(): Promise<void> {
    writer.pragma('wal_checkpoint(TRUNCATE)')
  }

  async function shut(): Promise<void> {
    await groups.stop()
    await checkpoint()
    reader.close()
    writer.close()
  }

  function outsideUnits(): void {
    const refusal = groups.refuseInsideUnit('db.read')
    if (refusal) throw refusal
  }

  return {
    boot,
    commit: groups.commit,
    // Row types are claims written beside the SQL (kernel/sql.ts); the stores' tests prove them.
    async read<R>(statement: { text: string }, params: object) {
      outsideUnits()
      return prepareRead(statement).all(params) as R[]
    },
    async readOne<R>(statement: { text: string }, params: object) {
      outsideUnits()
      return prepareRead(statement).one(params) as R | undefined
    },
    checkpoint,
    close: () => (closing ??= shut()),
  }
}

/** Order and values: auto_vacuum only takes effect before the first table, journal_mode before synchronous. */
function setUp(connection: Database.Database): void {
  refuseOldSqlite(connection)
  const pragmas = [
    'auto_vacuum = INCREMENTAL',
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    'busy_timeout = 5000',
    'journal_size_limit = 67108864',
    'mmap_size = 0',
    'trusted_schema = OFF',
    // Plain fsync leaves the data in the drive's cache there.
    ...(process.platform === 'darwin' ? ['fullfsync = ON', 'checkpoint_fullfsync = ON'] : []),
  ]
  for (const pragma of pragmas) connection.pragma(pragma)
  expectPragma(connection, 'journal_mode', 'wal')
  expectPragma(connection, 'synchronous', 2)
  expectPragma(connection, 'foreign_keys', 1)
}

function setUpReader(connection: Database.Database): void {
  for (const pragma of ['query_only = ON', 'busy_timeout = 5000', 'mmap_size = 0', 'trusted_schema = OFF']) {
    connection.pragma(pragma)
  }
}

function expectPragma(connection: Database.Database, name: string, wanted: string | number): void {
  const found: unknown = connection.pragma(name, { simple: true })
  if (found !== wanted) throw new Error(`SQLite answers ${name} = ${String(found)} where ${wanted} was asked for.`)
}

function refuseOldSqlite(connection: Database.Database): void {
  const version = String(connection.prepare('SELECT sqlite_version()').pluck().get())
  const parts = version.split('.').map(Number)
  const difference = OLDEST_SQLITE.map((least, i) => (parts[i] ?? 0) - least).find((d) => d !== 0) ?? 0
  if (difference < 0) {
    throw new Error(`SQLite ${version} can damage the database; Switchboard needs ${OLDEST_SQLITE.join('.')} or newer.`)
  }
}

function prepareAll(statements: readonly Statement[], prepareWrite: Prepare, prepareRead: Prepare): void {
  for (const statement of statements) {
    if (prepareWrite(statement).isReadonly) prepareRead(statement)
  }
}
