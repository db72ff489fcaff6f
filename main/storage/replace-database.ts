import { copyFileSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { syncFile, syncFolder } from '../kernel/durable-file.ts'
import { removeDraft } from './backup.ts'
import { backupsFolderOf } from './backups.ts'
import { markCleanShutdown, spoilShutdownNote } from './clean-shutdown.ts'
import { lastConfirmedCommit, skipMissingCommits } from './commit-count.ts'
import { factsFolderOf } from './fact-log.ts'
import { checkIntegrity } from './integrity.ts'
import { migrate, type Migration } from './migrate.ts'

export interface DatabaseFiles {
  /** Path of the database. */
  readonly file: string
  readonly migrations: readonly Migration[]
}

/** For a new file only, because they must be set before the first table. */
export const NEW_FILE_PRAGMAS = ['page_size = 8192', 'auto_vacuum = INCREMENTAL']

/**
 * Replaces the database with a backup in one rename, so that a crash leaves either one.
 * @param backup null: creates a new database.
 * @param change applied to the copy after its schema was updated.
 * @param beforeRename called when the copy is on disk.
 */
export async function replaceDatabase(
  { file, migrations }: DatabaseFiles,
  backup: string | null,
  nowMs: number,
  change: (copy: Database.Database) => void,
  beforeRename: () => void = () => {},
): Promise<void> {
  const draft = `${file}.restoring`
  removeDraft(draft)
  try {
    if (backup !== null) copyFileSync(join(backupsFolderOf(file), backup), draft)
    const copy = new Database(draft, { fileMustExist: backup !== null })
    try {
      if (backup === null) NEW_FILE_PRAGMAS.forEach((pragma) => copy.pragma(pragma))
      else checkIntegrity(copy)
      await migrate({ connection: copy, migrations, backupsFolder: null, nowMs })
      change(copy)
      skipMissingCommits(copy, lastConfirmedCommit(factsFolderOf(file)))
    } finally {
      copy.close()
    }
    await syncFile(draft)
    beforeRename()
    // The log of the old file must not be applied to the new one, and is not needed.
    spoilShutdownNote(file)
    for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
    await syncFolder(dirname(file))
    await rename(draft, file)
    await syncFolder(dirname(file))
    await markCleanShutdown(file)
  } finally {
    removeDraft(draft)
  }
}
