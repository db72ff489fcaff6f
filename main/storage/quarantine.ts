import { copyFileSync, existsSync, linkSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { backupsFolderOf, listBackups, type Backup, type BackupState } from './backups.ts'
import { factsFolderOf } from './fact-log.ts'
import { hasShutdownNote } from './clean-shutdown.ts'
import { carryOver, type PresentState } from './preserved-tables.ts'
import { readFacts } from './read-facts.ts'
import { checkIntegrity, DamagedDatabaseError, isCorruption, isIntact } from './integrity.ts'
import { recordDataLoss, quarantineName, type DataLoss } from './data-loss.ts'
import { hasExpectedSchema, type Migration } from './migrate.ts'
import { replaceDatabase, type DatabaseFiles } from './replace-database.ts'

/**
 * Replaces a damaged database with the newest intact backup.
 * @returns undefined if no backup can be used; nothing is changed then.
 */
export async function replaceDamaged(place: DatabaseFiles, nowMs: number): Promise<DataLoss | undefined> {
  const { copy: backup } = findIntactBackup(place, nowMs)
  return backup && (await replaceDamagedWith(place, backup, nowMs)).loss
}

/**
 * Replaces a damaged database with this backup and moves the damaged files to a separate folder. Nothing is read from
 * them: the file of facts says what must not be undone, and attempt numbers and sequences skip all that may have been
 * used.
 * @returns the name of that folder, and what is missing.
 */
export async function replaceDamagedWith(
  place: DatabaseFiles,
  { name: backup, madeAtMs: fromMs }: Pick<Backup, 'name' | 'madeAtMs'>,
  nowMs: number,
): Promise<{ readonly folder: string; readonly loss: DataLoss }> {
  // The last write of a missing file is unknown.
  const untilMs = lastWriteMs(place.file) || nowMs
  const facts = readFacts(factsFolderOf(place.file))
  const wasMissing = !existsSync(place.file)
  const loss = { backup, ...(wasMissing && { wasMissing }), fromMs, untilMs, areFactsKnown: facts.sinceMs <= fromMs }
  const folder = await setAside(place, backup, { kind: 'facts', facts, madeAtMs: fromMs }, loss, nowMs)
  return { folder, loss }
}

/**
 * Creates a new database in place of a missing one that only the file of facts proves.
 * @returns undefined if there was none; nothing is changed then.
 */
export async function replaceMissing(place: DatabaseFiles, nowMs: number): Promise<DataLoss | undefined> {
  if (!isMissingWithoutBackup(place.file, nowMs)) return undefined
  const facts = readFacts(factsFolderOf(place.file))
  const fromMs = Math.min(facts.sinceMs, nowMs)
  const loss = { cause: 'database_missing', fromMs, untilMs: nowMs, areFactsKnown: true } as const
  await setAside(place, null, { kind: 'facts', facts, madeAtMs: null }, loss, nowMs)
  return loss
}

/** Whether a database existed: the facts have rows of it, and both the database and its backups are missing. */
export function isMissingWithoutBackup(file: string, nowMs: number): boolean {
  if (['', '-wal'].some((part) => statSync(`${file}${part}`, { throwIfNoEntry: false })?.size)) return false
  if (hasShutdownNote(file) || listBackups(file, Infinity, nowMs).length > 0) return false
  return readFacts(factsFolderOf(file)).tables.size > 0
}

async function setAside(
  place: DatabaseFiles,
  backup: string | null,
  present: PresentState,
  loss: DataLoss,
  nowMs: number,
): Promise<string> {
  const { file } = place
  const name = quarantineName(nowMs)
  const carry = (copy: Database.Database) => carryOver(copy, present, nowMs)
  await replaceDatabase(place, backup, nowMs, carry, () => {
    const folder = join(dirname(file), name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const part of ['', '-wal', '-shm']) linkOrCopy(`${file}${part}`, folder)
    recordDataLoss(folder, loss)
  })
  return name
}

/** Whether the database file cannot be read completely. */
export function isDamaged({ file, migrations }: DatabaseFiles): boolean {
  if (!statSync(file, { throwIfNoEntry: false })?.size) return true
  let connection: Database.Database | undefined
  try {
    connection = new Database(file, { fileMustExist: true })
    checkIntegrity(connection, 'closely')
    return !hasExpectedSchema(connection, migrations)
  } catch (error) {
    return error instanceof DamagedDatabaseError || isCorruption(error)
  } finally {
    connection?.close()
  }
}

/** The newest backup that may replace the database, and the newer ones that may not. */
export interface IntactBackupSearch {
  readonly copy: Backup | undefined
  readonly rejected: readonly {
    readonly name: string
    readonly reason: 'damaged' | Exclude<BackupState, 'usable'>
  }[]
}

export function findIntactBackup({ file, migrations }: DatabaseFiles, nowMs: number): IntactBackupSearch {
  const rejected: IntactBackupSearch['rejected'][number][] = []
  for (const copy of listBackups(file, migrations.at(-1)?.version ?? 0, nowMs)) {
    const { name, state } = copy
    // The damage that only a close check finds could be in the backup too.
    if (state === 'usable' && isIntactBackup(join(backupsFolderOf(file), name), migrations)) return { copy, rejected }
    rejected.push({ name, reason: state === 'usable' ? 'damaged' : state })
  }
  return { copy: undefined, rejected }
}

function isIntactBackup(file: string, migrations: readonly Migration[]): boolean {
  if (!isIntact(file, 'closely')) return false
  const copy = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return hasExpectedSchema(copy, migrations)
  } finally {
    copy.close()
  }
}

/** A link needs no space, which may be scarce; file systems without links get a copy. */
function linkOrCopy(file: string, folder: string): void {
  if (!existsSync(file)) return
  const kept = join(folder, basename(file))
  try {
    linkSync(file, kept)
  } catch {
    copyFileSync(file, kept)
  }
}

const lastWriteMs = (file: string): number =>
  Math.floor(
    Math.max(...['', '-wal'].map((part) => statSync(`${file}${part}`, { throwIfNoEntry: false })?.mtimeMs ?? 0)),
  )
