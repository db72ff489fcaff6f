import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Clock } from '../kernel/clock.ts'
import { StorageError } from '../kernel/db.ts'
import type { MaintenanceProcess, MaintenanceTask } from './maintenance-process.ts'
import { writeBackup, copyInProcess, type MakeCopy } from './backup.ts'
import { backupsFolderOf } from './backups.ts'
import { asStorageError } from './sqlite-errors.ts'
import { DamagedDatabaseError } from './integrity.ts'

/** Makes copies of the open database. */
export interface OnlineBackups {
  /** A checked copy of everything committed, in `backups/`. @param reason part of its name. @throws StorageError */
  create(reason: string): Promise<{ file: string; bytes: number }>
  /** Ends a copy in a separate process, and waits for one in this process. */
  stop(): Promise<void>
}

interface OnlineBackupsDeps {
  /** Path of the database. */
  readonly file: string
  readonly clock: Pick<Clock, 'now'>
  readonly maintenanceProcess?: MaintenanceProcess
}

export function createOnlineBackups({ file, clock, maintenanceProcess }: OnlineBackupsDeps): OnlineBackups {
  const made = new Set<Promise<unknown>>()
  const tasks = new Set<MaintenanceTask>()

  async function copy(reason: string): Promise<{ file: string; bytes: number }> {
    try {
      const make = maintenanceProcess === undefined ? copyFromHere : copyInMaintenanceProcess(maintenanceProcess)
      const path = await writeBackup(backupsFolderOf(file), reason, clock.now(), make)
      return { file: path, bytes: statSync(path).size }
    } catch (error) {
      throw asStorageError(
        error,
        `The database was not copied: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  const copyInMaintenanceProcess =
    (maintenanceProcess: MaintenanceProcess): MakeCopy =>
    async (target) => {
      const task = maintenanceProcess.copy(file, target)
      tasks.add(task)
      const problems = await task.problems.finally(() => tasks.delete(task))
      if (problems === null) throw new StorageError('closed', 'The database was closed before the copy of it was whole')
      if (problems.length > 0) throw new DamagedDatabaseError(target, problems.join('; '))
    }

  /** Uses a separate connection with a snapshot, so that concurrent writes do not restart the copy. */
  async function copyFromHere(target: string): Promise<void> {
    const source = new Database(file, { readonly: true, fileMustExist: true })
    try {
      pinSnapshot(source)
      await copyInProcess(source)(target)
    } finally {
      source.close()
    }
  }

  return {
    async create(reason) {
      const copying = copy(reason)
      made.add(copying)
      return copying.finally(() => made.delete(copying))
    },
    async stop() {
      for (const task of tasks) task.kill()
      await Promise.allSettled(made)
    },
  }
}

/** Makes this connection read the currently committed state from now on. */
export function pinSnapshot(connection: Database.Database): void {
  connection.exec('BEGIN')
  connection.prepare('SELECT COUNT(*) FROM meta').get()
}
