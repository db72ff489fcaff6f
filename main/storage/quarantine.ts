import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { syncFile, syncFolder } from '../kernel/durable-file.ts'
import { removeDraft } from './backup.ts'
import { backupsBeside, listBackups, type Backup, type BackupState } from './backups.ts'
import { carryOver } from './carried.ts'
import { stateOfLog } from './damaged-log.ts'
import { checkIntegrity, DamagedDatabaseError, isWhole } from './integrity.ts'
import { noteLoss, quarantineName, type Loss } from './loss.ts'
import { hasItsSchema, migrate, type Migration } from './migrate.ts'
import { salvage } from './salvage.ts'

interface Place {
  /** Path of the database. */
  readonly file: string
  readonly migrations: readonly Migration[]
}

/**
 * Puts the newest whole backup in the place of a damaged database, whose files go into a folder of their own. Numbers of
 * attempts and places in lists go on behind those that were given out, as far as the damaged file still shows them.
 * @returns undefined where no copy can be used: then nothing was changed.
 */
export async function replaceDamaged(place: Place, nowMs: number): Promise<Loss | undefined> {
  const { file } = place
  const { copy: backup } = newestWhole(place, nowMs)
  if (backup === undefined) return undefined
  const draft = `${file}.restoring`
  removeDraft(draft)
  copyFileSync(join(backupsBeside(file), backup.name), draft)
  // Nothing says when a file that is missing was written last.
  const untilMs = lastWriteMs(file) || nowMs
  const found = await bringForward(draft, place, nowMs)
  await syncFile(draft)
  const folder = join(dirname(file), quarantineName(nowMs))
  const loss = { backup: backup.name, fromMs: backup.madeAtMs, untilMs, frames: null, ...found }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const part of ['', '-wal', '-shm']) keep(`${file}${part}`, folder)
  noteLoss(folder, loss)
  // The log of the damaged file must not be read into the copy. What a crash leaves here is damaged still, and found.
  for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
  await syncFolder(dirname(file))
  await rename(draft, file)
  await syncFolder(dirname(file))
  return loss
}

/** The newest copy that may take the place of the database, and those before it in the list that may not. */
export interface NewestWhole {
  readonly copy: Backup | undefined
  readonly passedOver: readonly {
    readonly name: string
    readonly because: 'damaged' | Exclude<BackupState, 'usable'>
  }[]
}

export function newestWhole({ file, migrations }: Place, nowMs: number): NewestWhole {
  const passedOver: NewestWhole['passedOver'][number][] = []
  for (const copy of listBackups(file, migrations.at(-1)?.version ?? 0, nowMs)) {
    const { name, state } = copy
    // A copy of damage that only a close look finds would be the same again.
    if (state === 'usable' && isWholeCopy(join(backupsBeside(file), name), migrations)) return { copy, passedOver }
    passedOver.push({ name, because: state === 'usable' ? 'damaged' : state })
  }
  return { copy: undefined, passedOver }
}

function isWholeCopy(file: string, migrations: readonly Migration[]): boolean {
  if (!isWhole(file, 'closely')) return false
  const copy = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return hasItsSchema(copy, migrations)
  } finally {
    copy.close()
  }
}

async function bringForward(draft: string, { file, migrations }: Place, nowMs: number) {
  const copy = new Database(draft, { fileMustExist: true })
  const rescued = `${draft}.rescued`
  try {
    checkIntegrity(copy)
    await migrate({ connection: copy, migrations, backupsFolder: null, nowMs })
    const found = salvage(file, copy, rescued)
    carryOver(copy, rescued)
    return found
  } finally {
    copy.close()
    for (const rest of ['', '-wal', '-shm']) rmSync(`${rescued}${rest}`, { force: true })
  }
}

/** A link costs no room, of which there may be little; file systems that have none get a copy. */
function keep(file: string, folder: string): void {
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

interface CutLog {
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
export function keepDamagedLog(file: string, nowMs: number): CutLog | undefined {
  const state = stateOfLog(file)
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
export function settleCutLog(file: string, { folder, frames, untilMs }: CutLog): Loss {
  const connection = new Database(file, { fileMustExist: true })
  const rescued = `${file}.rescued`
  try {
    const newest = connection.prepare('SELECT MAX(created_at) FROM events').pluck().get() as number | null
    salvage(null, connection, rescued)
    carryOver(connection, rescued)
    const fromMs = Math.min(newest ?? untilMs, untilMs)
    const loss = { backup: null, fromMs, untilMs, events: null, messages: null, frames, keysUnknown: true }
    noteLoss(folder, loss)
    return loss
  } finally {
    connection.close()
    rmSync(rescued, { force: true })
  }
}
