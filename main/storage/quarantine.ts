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
 * @returns undefined when no backup can be used: then nothing was changed.
 */
export async function replaceDamaged(place: DatabaseFiles, nowMs: number): Promise<DataLoss | undefined> {
  const { copy: backup } = findIntactBackup(place, nowMs)
  return backup && (await replaceDamagedWith(place, backup, nowMs)).loss
}

/**
 * Replaces a damaged database with this backup and moves the damaged files to a folder of their own. Nothing is read from
 * them: the file of facts says what must not be taken back, and attempt numbers and sequences skip ahead of all that can
 * have been given out.
 * @returns the name of that folder, and what is missing.
 */
export async function replaceDamagedWith(
  place: DatabaseFiles,
  { name: backup, madeAtMs: fromMs }: Pick<Backup, 'name' | 'madeAtMs'>,
  nowMs: number,
): Promise<{ readonly folder: string; readonly loss: DataLoss }> {
  // Nothing says when a file that is missing was written last.
  const untilMs = lastWriteMs(place.file) || nowMs
  const facts = readFacts(factsFolderOf(place.file))
  const wasMissing = !existsSync(place.file)
  const loss = { backup, ...(wasMissing && { wasMissing }), fromMs, untilMs, areFactsKnown: facts.sinceMs <= fromMs }
  const folder = await setAside(place, backup, { kind: 'facts', facts, madeAtMs: fromMs }, loss, nowMs)
  return { folder, loss }
}

/**
 * Puts a new database in the place of one that is missing, if only the file of facts knows that there was one.
 * @returns undefined: there was none, and nothing was changed.
 */
export async function replaceMissing(place: DatabaseFiles, nowMs: number): Promise<DataLoss | undefined> {
  if (!isMissingWithoutBackup(place.file, nowMs)) return undefined
  const facts = readFacts(factsFolderOf(place.file))
  const fromMs = Math.min(facts.sinceMs, nowMs)
  const loss = { cause: 'database_missing', fromMs, untilMs: nowMs, areFactsKnown: true } as const
  await setAside(place, null, { kind: 'facts', facts, madeAtMs: null }, loss, nowMs)
  return loss
}

/** Whether there was a database: facts know its rows, and neither it nor a backup of it is there. */
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

/** Whether nothing can be read from the database file, or not all of it. */
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

/** The newest copy that may take the place of the database, and those before it in the list that may not. */
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
    // A copy of damage that only a close look finds would be the same again.
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

/** A link costs no room, of which there may be little; file systems that have none get a copy. */
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
