import { copyFileSync, existsSync, linkSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { backupsFolderOf, listBackups, type Backup, type BackupState } from './backups.ts'
import { factsFolderOf } from './fact-log.ts'
import { carryOver } from './preserved-tables.ts'
import { readFacts } from './read-facts.ts'
import { isIntact } from './integrity.ts'
import { recordDataLoss, quarantineName, type DataLoss } from './data-loss.ts'
import { hasExpectedSchema, type Migration } from './migrate.ts'
import { replaceDatabase, type DatabaseFiles } from './replace-database.ts'

/**
 * Replaces a damaged database with the newest intact backup and moves the damaged files to a folder of their own. Nothing
 * is read from them: the file of facts says what must not be taken back, and attempt numbers and sequences skip ahead of
 * all that can have been given out.
 * @returns undefined when no backup can be used: then nothing was changed.
 */
export async function replaceDamaged(place: DatabaseFiles, nowMs: number): Promise<DataLoss | undefined> {
  const { file } = place
  const { copy: backup } = findIntactBackup(place, nowMs)
  if (backup === undefined) return undefined
  // Nothing says when a file that is missing was written last.
  const untilMs = lastWriteMs(file) || nowMs
  const facts = readFacts(factsFolderOf(file))
  const areFactsKnown = facts.sinceMs <= backup.madeAtMs
  const loss = { backup: backup.name, fromMs: backup.madeAtMs, untilMs, areFactsKnown }
  const carry = (copy: Database.Database) => carryOver(copy, { kind: 'facts', facts, madeAtMs: backup.madeAtMs }, nowMs)
  await replaceDatabase(place, backup.name, nowMs, carry, () => {
    const folder = join(dirname(file), quarantineName(nowMs))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const part of ['', '-wal', '-shm']) linkOrCopy(`${file}${part}`, folder)
    recordDataLoss(folder, loss)
  })
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
