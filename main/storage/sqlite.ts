import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../kernel/clock.ts'
import { StorageError, type Db } from '../kernel/db.ts'
import type { Ids } from '../kernel/ids.ts'
import { cause, type Log } from '../kernel/log.ts'
import { declaredStatements, type Statement } from '../kernel/sql.ts'
import type { ClockChange } from '../kernel/steady-clock.ts'
import type { MaintenanceProcess } from './maintenance-process.ts'
import { removeIncomplete } from './backup.ts'
import { backupsFolderOf } from './backups.ts'
import {
  hasShutdownNote,
  isCleanShutdown,
  markCleanShutdown,
  removeShutdownNote,
  spoilShutdownNote,
} from './clean-shutdown.ts'
import { createOnlineBackups } from './online-backups.ts'
import { isDiskFault } from './sqlite-errors.ts'
import { factsFolderOf, openFactLog, type FactLog } from './fact-log.ts'
import { watchFacts } from './fact-triggers.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { checkIntegrity, DamagedDatabaseError, explainOpenError, type CheckDepth } from './integrity.ts'
import { hasExpectedSchema, migrate, type Migration } from './migrate.ts'
import { NEW_FILE_PRAGMAS } from './replace-database.ts'
import { createSnapshot, type Snapshot } from './snapshot.ts'
import { createStatements, type Prepare } from './statements.ts'

export interface StorageDeps {
  /** Path of the database; `backups/` is beside it. The caller owns the folder (lock.ts). */
  readonly file: string
  readonly migrations: readonly Migration[]
  readonly ids: Pick<Ids, 'boot'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /**
   * How the database is checked when it is opened. Default: quickly, and not at all if it is large and was closed
   * cleanly.
   */
  readonly checkDepth?: CheckDepth
  /** Smaller databases are always checked. Default: 256 MiB, a quarter of a second. */
  readonly largeBytes?: number
  /**
   * Statements prepared immediately, so that a typo fails here. Default: every statement of the modules loaded so
   * far.
   */
  readonly statements?: readonly Statement[]
  /** Called after the callers of a failed group were rejected; the service decides whether to continue. */
  readonly onFault?: (fault: StorageError) => void
  /** Called when the disk is full. @returns whether space was freed. */
  readonly freeSpace?: () => boolean
  /** Makes backups in a separate process. Default: here, between two commits. */
  readonly maintenanceProcess?: MaintenanceProcess
}

/** The storage port, with what only the composition root uses. */
export interface Storage extends Db {
  /** Writes the log back into the database file and empties it, as far as readers allow. */
  checkpoint(): Promise<void>
  /**
   * Call it in a unit of work before it moves due times, so that the times in the file of facts move as well.
   * @param movedMs total change.
   */
  noteClockSet(change: ClockChange, movedMs: number): void
  /** A checked copy of everything committed, in `backups/`. @param reason part of its name. @throws StorageError */
  writeBackup(reason: string): Promise<{ file: string; bytes: number }>
  /** The version of SQLite. */
  readonly engine: string
  bytes(): number
  /** Changes with every commit that wrote something. */
  revision(): number
  /** Returns some of the space of removed rows to the disk. @returns whether there is more to return. */
  shrink(): Promise<boolean>
}

export type OpenStorage = (deps: StorageDeps) => Promise<Storage>

interface Connections {
  readonly writer: Database.Database
  readonly reader: Database.Database
  /** null: the database has none of the tables with facts. */
  readonly facts: FactLog | null
}

/** For another process, such as a command beside the service. */
const BUSY_TIMEOUT = 'busy_timeout = 5000'
/** Pages returned in one step: a few milliseconds. */
const SHRINK_PAGES = 200
/** Free pages kept for new rows: 16 MB. */
const SPARE_PAGES = 2_000

const LARGE_BYTES = 268_435_456

/** Versions 3.7.0 to 3.51.2 can damage a file that two connections use (WAL reset). */
const OLDEST_SQLITE = [3, 51, 3] as const

/**
 * Opens the database, updates its schema and prepares every statement.
 * @throws Error with a sentence for the person at the terminal: damaged, newer than this build, wrong SQLite, wrong
 * SQL.
 */
export async function openStorage(deps: StorageDeps): Promise<Storage> {
  const { file } = deps
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const opened: Database.Database[] = []
  try {
    const writer = new Database(file)
    opened.push(writer)
    refuseOldSqlite(writer)
    if (!canSkipCheck(deps)) checkIntegrity(writer, deps.checkDepth)
    if (hasShutdownNote(file)) spoilShutdownNote(file)
    setUpWriter(writer)
    removeIncomplete(backupsFolderOf(file))
    await bringUpToDate(writer, deps)
    const reader = new Database(file, { readonly: true, fileMustExist: true })
    opened.push(reader)
    setUpReader(reader)
    const connections = { writer, reader, facts: openFacts(writer, deps) }
    const parts = partsOf(connections, deps)
    removeShutdownNote(file)
    return connect(connections, parts, deps)
  } catch (error) {
    const reason = findSchemaDamage(opened[0], deps, error) ?? explainOpenError(error, file)
    for (const connection of opened) connection.close()
    // The note is valid for one start, because an interrupted start is not a clean shutdown.
    if (existsSync(file)) spoilShutdownNote(file)
    throw reason
  }
}

function openFacts(writer: Database.Database, { file, clock, log }: StorageDeps): FactLog | null {
  let facts: FactLog | null = null
  const current = () => {
    if (facts === null) throw new Error('A fact was noted before the file of facts was open')
    return facts
  }
  if (!watchFacts(writer, current)) return null
  facts = openFactLog({
    folder: factsFolderOf(file),
    now: clock.now,
    onProblem: (error) => log.error({ event: 'storage.facts_not_synced', cause: cause(error) }),
  })
  return facts
}

/** Finds damage in the text of a table's definition, which prevents a schema update or a prepared statement. */
function findSchemaDamage(
  writer: Database.Database | undefined,
  { file, migrations }: StorageDeps,
  cause: unknown,
): DamagedDatabaseError | undefined {
  if (writer === undefined || cause instanceof DamagedDatabaseError) return undefined
  try {
    if (hasExpectedSchema(writer, migrations)) return undefined
  } catch {
    return undefined
  }
  return new DamagedDatabaseError(file, 'its tables are not those of its version', { cause })
}

/** A check costs a second per gigabyte at each start. */
function canSkipCheck({ file, checkDepth = 'quickly', largeBytes = LARGE_BYTES }: StorageDeps): boolean {
  return checkDepth === 'quickly' && isCleanShutdown(file) && statSync(file).size >= largeBytes
}

interface Parts {
  readonly prepareRead: Prepare
  readonly snapshot: Snapshot
  readonly groups: GroupCommit
  /** Receives the error of a failed read. */
  readonly noteFailure: (error: unknown) => void
}

function partsOf({ writer, reader, facts }: Connections, deps: StorageDeps): Parts {
  const { log, onFault = () => {}, freeSpace = () => false } = deps
  const [prepareWrite, prepareRead] = [createStatements(writer), createStatements(reader)]
  prepareAll(deps.statements ?? declaredStatements(), prepareWrite)

  /** If the disk fails for a reader, it will fail for the next writer too. */
  function noteFailure(error: unknown): void {
    if (!(error instanceof StorageError) || !isDiskFault(error)) return
    groups.fail()
    onFault(error)
  }

  const snapshot = createSnapshot({
    connection: reader,
    prepare: prepareRead,
    onFailure(error) {
      log.error({ event: 'storage.read_not_ended', cause: cause(error) })
      noteFailure(error)
    },
  })
  const groups = createGroupCommit({
    ...{ connection: writer, prepare: prepareWrite, log, onFault, freeSpace, facts },
    beforeGroup: snapshot.end,
  })
  return { prepareRead, snapshot, groups, noteFailure }
}

function connect(
  { writer, reader, facts }: Connections,
  { prepareRead, snapshot, groups, noteFailure }: Parts,
  deps: StorageDeps,
): Storage {
  let closing: Promise<void> | undefined

  function guardRead<T>(read: () => T): T {
    refuseRead()
    try {
      return read()
    } catch (error) {
      noteFailure(error)
      throw error
    }
  }

  function refuseRead(): void {
    const refusal = groups.refuseInsideUnit('db.read')
    if (refusal) throw refusal
    if (!reader.open) throw new StorageError('closed', 'The database is closed')
    snapshot.begin()
  }

  /** Does not wait for readers such as a running backup, because that would block everybody. */
  async function checkpoint(): Promise<void> {
    snapshot.end()
    writer.pragma('busy_timeout = 0')
    try {
      writer.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      writer.pragma(BUSY_TIMEOUT)
    }
  }

  const copies = createOnlineBackups(deps)

  async function closeAll(): Promise<void> {
    await copies.stop()
    await groups.stop()
    snapshot.end()
    reader.close()
    // On a full disk the checkpoint fails; the log stays beside the file and is read at the next opening.
    const isInOrder = await checkpoint().then(
      () => !groups.hasFailed(),
      (error: unknown) => {
        deps.log.warn({ event: 'storage.checkpoint', cause: cause(error) })
        return false
      },
    )
    writer.close()
    facts?.close()
    if (isInOrder) await markCleanShutdown(deps.file)
    else spoilShutdownNote(deps.file)
  }

  return {
    boot: deps.ids.boot(),
    engine: versionOf(reader),
    commit: groups.commit,
    // Row types are claims written beside the SQL (kernel/sql.ts); the stores' tests prove them.
    async read<R>(statement: { text: string }, params: object) {
      return guardRead(() => prepareRead(statement).all(params) as R[])
    },
    async readOne<R>(statement: { text: string }, params: object) {
      return guardRead(() => prepareRead(statement).one(params) as R | undefined)
    },
    checkpoint,
    noteClockSet: (change, movedMs) => facts?.noteClockSet(change, movedMs),
    writeBackup: copies.create,
    revision() {
      snapshot.end()
      return Number(reader.pragma('data_version', { simple: true }))
    },
    async shrink() {
      const spare = () => Number(writer.pragma('freelist_count', { simple: true }))
      if (!writer.open || spare() <= SPARE_PAGES) return false
      writer.pragma(`incremental_vacuum(${SHRINK_PAGES})`)
      return spare() > SPARE_PAGES
    },
    bytes: () =>
      Number(reader.pragma('page_count', { simple: true })) * Number(reader.pragma('page_size', { simple: true })),
    close: () => (closing ??= closeAll()),
  }
}

async function bringUpToDate(
  connection: Database.Database,
  { file, migrations, clock, log }: StorageDeps,
): Promise<void> {
  const backupsFolder = backupsFolderOf(file)
  const applied = await migrate({ connection, migrations, backupsFolder, nowMs: clock.now() })
  if (applied.length > 0) log.info({ event: 'storage.migrated', steps: applied.map((step) => step.name) })
}

function setUpWriter(connection: Database.Database): void {
  const pragmas = [
    // Otherwise these would write to the file at every start.
    ...(isNew(connection) ? NEW_FILE_PRAGMAS : []),
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    BUSY_TIMEOUT,
    'journal_size_limit = 67108864',
    'mmap_size = 0',
    'trusted_schema = OFF',
    // In KiB: idempotency keys are random, so all of their index must stay in memory. 64 MiB were no faster with
    // 5,000,000 deliveries (measured).
    'cache_size = -32768',
    // Savepoints copy the pages a unit changes; in a temporary file that took a third of a commit's time (measured).
    'temp_store = MEMORY',
    // 32 MB instead of 4: pages that change often are copied back once, and commits gain a sixth (measured).
    'wal_autocheckpoint = 4000',
    // On macOS, plain fsync leaves the data in the drive's cache.
    ...(process.platform === 'darwin' ? ['fullfsync = ON', 'checkpoint_fullfsync = ON'] : []),
  ]
  for (const pragma of pragmas) connection.pragma(pragma)
  expectPragma(connection, 'journal_mode', 'wal')
  expectPragma(connection, 'synchronous', 2)
  expectPragma(connection, 'foreign_keys', 1)
}

function isNew(connection: Database.Database): boolean {
  return connection.pragma('page_count', { simple: true }) === 0
}

function setUpReader(connection: Database.Database): void {
  for (const pragma of ['query_only = ON', BUSY_TIMEOUT, 'mmap_size = 0', 'trusted_schema = OFF']) {
    connection.pragma(pragma)
  }
}

function expectPragma(connection: Database.Database, name: string, wanted: string | number): void {
  const found: unknown = connection.pragma(name, { simple: true })
  if (found !== wanted) throw new Error(`SQLite answers ${name} = ${String(found)} where ${wanted} was asked for.`)
}

function refuseOldSqlite(connection: Database.Database): void {
  const version = versionOf(connection)
  const parts = version.split('.').map(Number)
  const difference = OLDEST_SQLITE.map((least, i) => (parts[i] ?? 0) - least).find((d) => d !== 0) ?? 0
  if (difference < 0) {
    throw new Error(`SQLite ${version} can damage the database; Switchboard needs ${OLDEST_SQLITE.join('.')} or newer.`)
  }
}

const versionOf = (connection: Database.Database) => String(connection.prepare('SELECT sqlite_version()').pluck().get())

/** On one connection only: the other prepares statements on first use, and so holds only those in use. */
function prepareAll(statements: readonly Statement[], prepare: Prepare): void {
  for (const statement of statements) prepare(statement)
}
