import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { backupsFolderOf } from './backups.ts'
import { findOlderFile, hasShutdownNote, isLogForeign, markCleanShutdown } from './clean-shutdown.ts'
import { factsFolderOf } from './fact-log.ts'
import { quarantineName, recordDataLoss, type DataLoss } from './data-loss.ts'
import { checkIntegrity, explainOpenError } from './integrity.ts'
import { hasExpectedSchema, migrate } from './migrate.ts'
import { carryOver } from './preserved-tables.ts'
import { readFacts } from './read-facts.ts'
import type { DatabaseFiles } from './replace-database.ts'

/**
 * Whether the database is whole and yet behind: its log, which holds the newest commits until they are copied into the
 * file, was there when the process died and is gone, or an older file has taken its place.
 */
export function findLostCommits(database: string, nowMs: number): DataLoss | null {
  const written = statSync(database, { throwIfNoEntry: false })
  if (written === undefined || written.size === 0) return null
  const older = findOlderFile(database)
  if (older !== null) return { cause: 'older_file', fromMs: older.writtenMs, untilMs: older.closedMs }
  if (hasShutdownNote(database) || existsSync(`${database}-wal`)) return null
  return { cause: 'log_missing', fromMs: Math.floor(written.mtimeMs), untilMs: nowMs }
}

/**
 * Moves a log that was put beside the closed database into a folder of its own, before anything opens the database.
 * @returns the folder; null: there is no such log.
 */
export function setAsideForeignLog(database: string, nowMs: number): string | null {
  if (!isLogForeign(database)) return null
  const folder = join(dirname(database), quarantineName(nowMs))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  renameSync(`${database}-wal`, join(folder, `${basename(database)}-wal`))
  rmSync(`${database}-shm`, { force: true })
  return folder
}

/**
 * Makes the database safe to continue with, like a backup that took its place: facts say what must not be undone, and
 * numbers skip ahead of all that can have been given out. After a crash in between, the next start begins again.
 */
export async function recoverFromLostCommits(
  { file, migrations }: DatabaseFiles,
  loss: DataLoss,
  nowMs: number,
): Promise<void> {
  const facts = readFacts(factsFolderOf(file))
  let connection: Database.Database | undefined
  try {
    connection = new Database(file, { fileMustExist: true })
    checkIntegrity(connection)
    // Damage too, which opening it finds.
    if (!hasExpectedSchema(connection, migrations)) return
    connection.pragma('journal_mode = DELETE')
    await migrate({ connection, migrations, backupsFolder: backupsFolderOf(file), nowMs })
    carryOver(connection, { kind: 'facts', facts, madeAtMs: loss.fromMs }, nowMs)
  } catch (error) {
    throw explainOpenError(error, file)
  } finally {
    connection?.close()
  }
  const folder = join(dirname(file), quarantineName(nowMs))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  recordDataLoss(folder, { ...loss, areFactsKnown: facts.sinceMs <= loss.fromMs })
  await markCleanShutdown(file)
}
