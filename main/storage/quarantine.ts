import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { syncFile, syncFolder } from '../kernel/durable-file.ts'
import { removeDraft } from './backup.ts'
import { backupsFolderOf, listBackups, type Backup, type BackupState } from './backups.ts'
import { copyPreserved } from './preserved-tables.ts'
import { inspectWal } from './wal-state.ts'
import { checkIntegrity, DamagedDatabaseError, isIntact } from './integrity.ts'
import { recordDataLoss, quarantineName, type DataLoss } from './data-loss.ts'
import { hasExpectedSchema, migrate, type Migration } from './migrate.ts'
import { recoverRows } from './recover-rows.ts'

interface DatabaseFiles {
  /** Path of the database. */
  readonly file: string
  readonly migrations: readonly Migration[]
}

/**
 * Puts the newest whole backup in the place of a damaged database, whose files go into a folder of their own. Numbers of
 * attempts and places in lists go on behind those that were given out, as far as the damaged file still shows them.
 * @returns undefined where no copy can be used: then nothing was changed.
 */
export async function replaceDamaged(place: DatabaseFiles, nowMs: number): Promise<DataLoss | undefined> {
  const { file } = place
  const { copy: backup } = findIntactBackup(place, nowMs)
  if (backup === undefined) return undefined
  const draft = `${file}.restoring`
  removeDraft(draft)
  copyFileSync(join(backupsFolderOf(file), backup.name), draft)
  // Nothing says when a file that is missing was written last.
  const untilMs = lastWriteMs(file) || nowMs
  const found = await prepareDraft(draft, place, nowMs)
  await syncFile(draft)
  const folder = join(dirname(file), quarantineName(nowMs))
  const loss = { backup: backup.name, fromMs: backup.madeAtMs, untilMs, frames: null, ...found }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const part of ['', '-wal', '-shm']) linkOrCopy(`${file}${part}`, folder)
  recordDataLoss(folder, loss)
  // The log of the damaged file must not be read into the copy. What a crash leaves here is damaged still, and found.
  for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
  await syncFolder(dirname(file))
  await rename(draft, file)
  await syncFolder(dirname(file))
  return loss
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

async function prepareDraft(draft: string, { file, migrations }: DatabaseFiles, nowMs: number) {
  const copy = new Database(draft, { fileMustExist: true })
  const rescued = `${draft}.rescued`
  try {
    checkIntegrity(copy)
    await migrate({ connection: copy, migrations, backupsFolder: null, nowMs })
    const found = recoverRows(file, copy, rescued)
    copyPreserved(copy, rescued)
    return found
  } finally {
    copy.close()
    for (const rest of ['', '-wal', '-shm']) rmSync(`${rescued}${rest}`, { force: true })
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

interface TruncatedWal {
  readonly folder: string
  /** Acknowledged frames that are gone. */
  readonly frames: number
  readonly untilMs: number
}

/**
 * Looks at the log before SQLite does. A damaged one is kept aside, because its next use writes over it.
 * @returns what to note once the rest is open; undefined where nothing is missing.
 * @throws DamagedDatabaseError where log and database do not fit together.
 */
export function quarantineDamagedWal(file: string, nowMs: number): TruncatedWal | undefined {
  const state = inspectWal(file)
  if (state.kind === 'whole') return undefined
  if (state.kind === 'mixed') throw new DamagedDatabaseError(file, 'its log is damaged and fits it no more')
  const untilMs = lastWriteMs(file)
  const folder = join(dirname(file), quarantineName(nowMs))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, join(folder, `${basename(file)}-wal`))
  if (state.kind === 'cut') return { folder, frames: state.frames, untilMs }
  // All of it is in the database, and what is left of it is older than that.
  for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
  return undefined
}

/** Goes on behind what the lost end may have given out, and says what is missing. */
export function recordTruncatedWal(file: string, { folder, frames, untilMs }: TruncatedWal): DataLoss {
  const connection = new Database(file, { fileMustExist: true })
  const rescued = `${file}.rescued`
  try {
    const newest = connection.prepare('SELECT MAX(created_at) FROM events').pluck().get() as number | null
    recoverRows(null, connection, rescued)
    copyPreserved(connection, rescued)
    const fromMs = Math.min(newest ?? untilMs, untilMs)
    const loss = { backup: null, fromMs, untilMs, events: null, messages: null, frames, keysUnknown: true }
    recordDataLoss(folder, loss)
    return loss
  } finally {
    connection.close()
    rmSync(rescued, { force: true })
  }
}
