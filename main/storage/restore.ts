import { existsSync, readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isDiskFull, syncFolder, writeDurably } from '../kernel/durable-file.ts'
import { writeBackup, copyInProcess } from './backup.ts'
import { backupsFolderOf, listBackups, type Backup, type BackupState } from './backups.ts'
import { factsFolderOf } from './fact-log.ts'
import { catchUpWithClock } from './due-times.ts'
import { carryOver, type PresentState } from './preserved-tables.ts'
import { readFacts } from './read-facts.ts'
import { DamagedDatabaseError, isIntact } from './integrity.ts'
import { migrate, versionOf } from './migrate.ts'
import { isDamaged, replaceDamagedWith } from './quarantine.ts'
import { replaceDatabase, type DatabaseFiles } from './replace-database.ts'

const RestoreRequest = Type.Object({
  name: Type.String(),
  asked_at_ms: Type.Integer(),
  /** Created by an interrupted restore, which may have replaced the database already. */
  safety_copy: Type.Optional(Type.String()),
})

/** A backup that replaces the database at the next start. */
export interface StagedRestore {
  readonly name: string
  readonly requestedAtMs: number
}

/** Result of a staged restore at this start. */
export type RestoreOutcome =
  /**
   * `safetyCopy` is the backup of the state before, or the folder with its files if it was damaged; null: there was
   * nothing to save.
   */
  | { readonly kind: 'done'; readonly name: string; readonly safetyCopy: string | null }
  | { readonly kind: 'failed'; readonly name: string; readonly problem: string }

const requestFile = ({ file }: Pick<DatabaseFiles, 'file'>) => join(dirname(file), 'restore.json')
const newestSchemaOf = ({ migrations }: Pick<DatabaseFiles, 'migrations'>) => migrations.at(-1)?.version ?? 0

export function stagedRestore(place: Pick<DatabaseFiles, 'file'>): StagedRestore | null {
  const wish = readRequest(place)
  return wish === undefined ? null : { name: wish.name, requestedAtMs: wish.asked_at_ms }
}

const readRequest = (place: Pick<DatabaseFiles, 'file'>) =>
  existsSync(requestFile(place)) ? parsed(readFileSync(requestFile(place), 'utf8')) : undefined

/**
 * Records that the backup replaces the database at the next start; nothing changes until then.
 * @returns why not: the backup is missing, cannot be used here, or is damaged.
 */
export async function stageRestore(
  place: DatabaseFiles,
  name: string,
  nowMs: number,
): Promise<'staged' | 'unknown' | 'damaged' | Exclude<BackupState, 'usable'>> {
  const found = listBackups(place.file, newestSchemaOf(place), nowMs).find((backup) => backup.name === name)
  if (found === undefined) return 'unknown'
  if (found.state !== 'usable') return found.state
  if (!isIntact(join(backupsFolderOf(place.file), name))) return 'damaged'
  const wish: Static<typeof RestoreRequest> = { name, asked_at_ms: nowMs }
  await writeDurably(requestFile(place), JSON.stringify(wish))
  return 'staged'
}

export async function cancelRestore(place: Pick<DatabaseFiles, 'file'>): Promise<void> {
  await rm(requestFile(place), { force: true })
  await syncFolder(dirname(place.file))
}

/**
 * Executes a staged restore before the database is opened. The current state is first backed up, and the copy
 * replaces the database in one rename. A crash leaves either one, and the next start continues with the same backup
 * of the original state. Damaged files cannot be backed up, so they are moved to a separate folder. If the restore
 * fails, the current state stays and the request is dropped.
 */
export async function applyStagedRestore(place: DatabaseFiles, nowMs: number): Promise<RestoreOutcome | null> {
  if (!existsSync(requestFile(place))) return null
  const { name = '' } = stagedRestore(place) ?? {}
  try {
    const safetyCopy = await replaceWithBackup(place, name, nowMs)
    return { kind: 'done', name, safetyCopy }
  } catch (error) {
    return { kind: 'failed', name, problem: problemOf(error, place, name) }
  } finally {
    await cancelRestore(place)
  }
}

function problemOf(error: unknown, { file }: DatabaseFiles, name: string): string {
  if (!isDiskFull(error)) return error instanceof Error ? error.message : String(error)
  const parts = [file, `${file}-wal`, join(backupsFolderOf(file), name)]
  const bytes = parts.reduce((sum, part) => sum + (statSync(part, { throwIfNoEntry: false })?.size ?? 0), 0)
  const needed = Math.ceil((bytes * 1.1) / 1_000_000)
  return `The disk of ${dirname(file)} is full: the restore needs about ${needed} MB there. Free some space, then repeat it.`
}

async function replaceWithBackup(place: DatabaseFiles, name: string, nowMs: number): Promise<string | null> {
  const backup = listBackups(place.file, newestSchemaOf(place), nowMs).find((one) => one.name === name)
  if (backup?.state !== 'usable') throw new Error(`The backup ${name} no longer exists, or belongs to another home.`)
  try {
    // SQLite treats an empty file as a new database, in which everything in the backup would count as removed.
    if (isEmpty(place.file)) throw new DamagedDatabaseError(place.file, 'it is missing or empty')
    return await replaceIntact(place, backup, nowMs)
  } catch (error) {
    if (!isDamaged(place)) throw error
    const wasThere = ['', '-wal'].some((part) => !isEmpty(`${place.file}${part}`))
    const { folder } = await replaceDamagedWith(place, backup, nowMs)
    return wasThere ? folder : null
  }
}

const isEmpty = (file: string) => !statSync(file, { throwIfNoEntry: false })?.size

async function replaceIntact(place: DatabaseFiles, { name, madeAtMs }: Backup, nowMs: number): Promise<string> {
  const { file } = place
  const wish = readRequest(place)
  const made = wish?.safety_copy
  const isMade = made !== undefined && existsSync(join(backupsFolderOf(file), made))
  const { safetyCopy, isNewer } = await prepareCurrent(place, isMade ? made : null, nowMs)
  if (wish !== undefined && !isMade)
    await writeDurably(requestFile(place), JSON.stringify({ ...wish, safety_copy: basename(safetyCopy) }))
  const facts = readFacts(factsFolderOf(file))
  const present: PresentState = isNewer ? { kind: 'facts', facts, madeAtMs } : { kind: 'database', file, facts }
  await replaceDatabase(place, name, nowMs, (copy) => carryOver(copy, present, nowMs))
  return basename(safetyCopy)
}

interface CurrentState {
  readonly safetyCopy: string
  /** A newer Switchboard wrote it, so its tables are unknown here. */
  readonly isNewer: boolean
}

/** @param made the name of its backup, if one exists already. */
async function prepareCurrent(place: DatabaseFiles, made: string | null, nowMs: number): Promise<CurrentState> {
  const { file, migrations } = place
  const backupsFolder = backupsFolderOf(file)
  const present = new Database(file, { fileMustExist: true })
  try {
    const isNewer = versionOf(present) > newestSchemaOf(place)
    // Rows are carried over from it, so both must have the same tables.
    if (!isNewer) {
      await migrate({ connection: present, migrations, backupsFolder, nowMs })
      catchUpWithClock(present, nowMs)
    }
    // Everything is then in the file itself, and its log is empty.
    present.pragma('wal_checkpoint(TRUNCATE)')
    const copy = () => writeBackup(backupsFolder, 'before-restore', nowMs, copyInProcess(present))
    return { safetyCopy: made ?? (await copy()), isNewer }
  } finally {
    present.close()
  }
}

function parsed(text: string): Static<typeof RestoreRequest> | undefined {
  try {
    const found: unknown = JSON.parse(text)
    return Check(RestoreRequest, found) ? found : undefined
  } catch {
    return undefined
  }
}
