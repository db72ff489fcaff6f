import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { StorageError } from '../kernel/db.ts'
import { createIds, type Ids } from '../kernel/ids.ts'
import { backupsFolderOf, listBackups } from '../storage/backups.ts'
import { freeBytesOf } from '../storage/free-bytes.ts'
import { CannotOpenError, DamagedDatabaseError, MissingDatabaseError } from '../storage/integrity.ts'
import { HomeInUseError, lockHome, type HomeLock, type LockHolder } from '../storage/lock.ts'
import { listDataLosses } from '../storage/data-loss.ts'
import { MIGRATIONS } from '../storage/migrations/index.ts'
import { hasShutdownNote } from '../storage/clean-shutdown.ts'
import { clearDamageMarker, isMarkedDamaged } from '../storage/damage-marker.ts'
import { findIntactBackup, replaceDamaged, replaceMissing, type IntactBackupSearch } from '../storage/quarantine.ts'
import { findLostCommits, recoverFromLostCommits, setAsideForeignLog } from '../storage/lost-log.ts'
import { factsFolderOf } from '../storage/fact-log.ts'
import { createReserve, type Reserve } from '../storage/reserve.ts'
import { applyStagedRestore, type RestoreOutcome } from '../storage/restore.ts'
import { openStorage, type OpenStorage, type Storage, type StorageDeps } from '../storage/sqlite.ts'
import { diskFullError, explainStartError, findHomeFault, TOO_FULL_TO_OPEN_BYTES } from './home-faults.ts'
import { HomeInUse, StartError, type World } from './world.ts'

export const databaseIn = (home: string): string => join(home, 'switchboard.db')

/** Whether there is no trace of a current or earlier database. Problems of the folder itself are reported elsewhere. */
export function isNewHome(home: string): boolean {
  const file = databaseIn(home)
  const isNothingThere = ![file, backupsFolderOf(file), factsFolderOf(file)].some((path) => existsSync(path))
  return isNothingThere && !hasShutdownNote(file) && findHomeFault(home) === null
}

/** The newest schema that this build knows. */
export const SCHEMA = MIGRATIONS.at(-1)?.version ?? 0

/** Runs on request, possibly beside a running service: takes at least one second per gigabyte. */
export const findIntactBackupIn = (home: string, nowMs: number): IntactBackupSearch =>
  findIntactBackup({ file: databaseIn(home), migrations: MIGRATIONS }, nowMs)

/** An owned home folder with its open database, as services and commands need it. */
export interface Home {
  readonly db: Storage
  readonly ids: Ids
  /** Result of a restore requested before this start; null: none was requested. */
  readonly restored: RestoreOutcome | null
  /** Data lost with damaged files, as sentences, until a person removes the files. */
  dataLosses(): string[]
  /** Disk space kept for when the disk is full. */
  readonly reserve: Reserve
  /** Called for each commit group and each read that failed in storage. */
  onFault(listener: (fault: StorageError) => void): void
  close(): Promise<void>
}

/** @param holder the process that opens it. A service waits for a command that has it open; see `lockWhenFree`. */
export async function openHome(world: World, holder: LockHolder): Promise<Home> {
  const { clock, random, config, log } = world
  const ids = createIds(clock, random)
  const lock = holder === 'command' ? acquireHomeLock(config, holder) : await lockWhenFree(world)
  const reserve = createReserve(config.home, random)
  const faultListeners: ((fault: StorageError) => void)[] = []
  try {
    const file = databaseIn(config.home)
    const place = { file, migrations: MIGRATIONS }
    const { openStorage: open = openStorage } = world
    await makeRoom(world, reserve)
    const setAside = setAsideForeignLog(file, clock.now())
    if (setAside !== null) log.error({ event: 'storage.foreign_log', folder: setAside })
    const restored = await applyStagedRestore(place, clock.now())
    if (restored !== null) log.warn({ event: 'storage.restored', ...restored })
    const onFault = (fault: StorageError) => faultListeners.forEach((listener) => listener(fault))
    const freeSpace = () => {
      const hasFreed = reserve.release()
      // The group fits into the freed space, but the full disk must still be reported.
      if (hasFreed) setImmediate(() => onFault(new StorageError('full', 'The reserve was given back')))
      return hasFreed
    }
    const optional = world.maintenanceProcess ? { maintenanceProcess: world.maintenanceProcess } : {}
    const db = await openOrReplaceDamaged({ ...place, ...optional, ids, clock, log, onFault, freeSpace }, open)
    return {
      db,
      ids,
      restored,
      reserve,
      dataLosses: () => listDataLosses(config.home),
      onFault: (listener) => void faultListeners.push(listener),
      async close() {
        await db.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    // SQLite reports a full disk with several messages, such as "disk I/O error".
    if (error instanceof CannotOpenError && (await isTooFull(world))) throw diskFullError(config, error)
    const explained = explainStartError(config, error)
    throw explained instanceof StartError ? explained : asStartError(error)
  }
}

const isTooFull = async ({ config, freeBytes = freeBytesOf }: World): Promise<boolean> =>
  (await freeBytes(config.home)) < TOO_FULL_TO_OPEN_BYTES

/** Frees the reserve if nothing could be written otherwise. */
export async function makeRoom(
  world: World,
  reserve: Reserve = createReserve(world.config.home, world.random),
): Promise<void> {
  if (await isTooFull(world)) reserve.release()
}

/** Opens the database. If it is damaged, the newest intact backup replaces it. */
async function openOrReplaceDamaged(deps: StorageDeps, open: OpenStorage): Promise<Storage> {
  const { file, clock, log } = deps
  try {
    refuseEmptyFile(file, clock.now())
    const missing = await replaceMissing(deps, clock.now())
    if (missing !== undefined) log.error({ event: 'storage.database_missing', ...missing })
    const lost = findLostCommits(file, clock.now())
    if (lost !== null) {
      await recoverFromLostCommits(deps, lost, clock.now())
      log.error({ event: 'storage.commits_lost', ...lost })
    }
    const db = await open({ ...deps, checkDepth: isMarkedDamaged(file) ? 'closely' : 'quickly' })
    // The damage is gone: an intact backup replaced the file, or the page was rewritten.
    clearDamageMarker(file)
    return db
  } catch (error) {
    if (!(error instanceof DamagedDatabaseError)) throw error
    const loss = await replaceDamaged(deps, clock.now())
    if (loss === undefined) throw error
    log.error({ event: 'storage.replaced', ...loss })
    clearDamageMarker(file)
    return open(deps)
  }
}

/**
 * SQLite treats an empty or missing file as a new database; after the first close, ours always exists and is never
 * empty.
 */
function refuseEmptyFile(file: string, nowMs: number): void {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size
  if (bytes !== undefined && bytes > 0) return
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  // The process was killed before anything was stored.
  const hasBackups = listBackups(file, Infinity, nowMs).length > 0
  if (log === 0 && !hasShutdownNote(file) && !hasBackups) return
  if (bytes === undefined && log === 0 && !hasBackups) throw new MissingDatabaseError(file)
  throw new DamagedDatabaseError(file, bytes === undefined ? 'it is missing' : 'it is empty')
}

/** A command may copy a large database. */
const COMMAND_MS = 120_000
const LOOK_EVERY_MS = 50

/** A start waits for a command such as `backup`, and refuses beside another service. @throws as `acquireHomeLock` */
async function lockWhenFree({ clock, config, log }: World): Promise<HomeLock> {
  const startedMono = clock.mono()
  let isNoted = false
  for (;;) {
    try {
      return acquireHomeLock(config, 'service')
    } catch (error) {
      const isOfCommand =
        error instanceof HomeInUse && error.cause instanceof HomeInUseError && error.cause.holder === 'command'
      if (!isOfCommand || clock.mono() - startedMono > COMMAND_MS) throw error
      if (!isNoted) log.info({ event: 'service.waits_for_command' })
      isNoted = true
    }
    await clock.sleep(LOOK_EVERY_MS)
  }
}

/** @throws StartError a sentence; HomeInUse while another process owns it. */
export function acquireHomeLock(config: Config, holder: LockHolder): HomeLock {
  const { home } = config
  const fault = findHomeFault(home)
  if (fault !== null) throw new StartError(fault)
  try {
    return lockHome(home, holder)
  } catch (error) {
    if (error instanceof HomeInUseError) throw new HomeInUse(error.message, { cause: error })
    const explained = explainStartError(config, error)
    if (explained instanceof StartError) throw explained
    throw new StartError(`Can't use the home folder ${home}: ${messageOf(error)}.`, { cause: error })
  }
}

/** Errors of storage and vault have messages for the person at the terminal. */
const asStartError = (error: unknown) => new StartError(messageOf(error), { cause: error })

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
