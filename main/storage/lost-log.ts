import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { removeDraft } from './backup.ts'
import { backupsFolderOf } from './backups.ts'
import { findOlderFile, hasShutdownNote, isLogForeign, markCleanShutdown } from './clean-shutdown.ts'
import { countCommits, lastConfirmedCommit, readCommitCount, skipMissingCommits, timeOfCommit } from './commit-count.ts'
import { factsFolderOf } from './fact-log.ts'
import { quarantineName, recordDataLoss, type DataLoss } from './data-loss.ts'
import { checkIntegrity, explainOpenError, isCorruption } from './integrity.ts'
import { hasExpectedSchema, migrate } from './migrate.ts'
import { carryOver } from './preserved-tables.ts'
import { readFacts } from './read-facts.ts'
import type { DatabaseFiles } from './replace-database.ts'

/**
 * Whether the database is intact but outdated: its log, which holds the newest commits until they are copied into the
 * file, is missing or incomplete, or an older file has replaced it. The commit count shows this if facts contain it.
 */
export function findLostCommits(database: string, nowMs: number): DataLoss | null {
  const written = statSync(database, { throwIfNoEntry: false })
  if (written === undefined || written.size === 0) return null
  const folder = factsFolderOf(database)
  const confirmed = lastConfirmedCommit(folder)
  if (confirmed === null) return findUncountedLoss(database, Math.floor(written.mtimeMs), nowMs)
  const count = readCommitCount(database)
  if (count === null || count >= confirmed.count) return null
  return {
    cause: hasShutdownNote(database) ? 'older_file' : 'commits_missing',
    fromMs: timeOfCommit(folder, count) ?? Math.min(Math.floor(written.mtimeMs), confirmed.atMs),
    untilMs: confirmed.atMs,
  }
}

/** For versions without a commit count, or without facts: only the files themselves can be compared. */
function findUncountedLoss(database: string, writtenMs: number, nowMs: number): DataLoss | null {
  const older = findOlderFile(database)
  if (older !== null) return { cause: 'older_file', fromMs: older.writtenMs, untilMs: older.closedMs }
  if (hasShutdownNote(database) || existsSync(`${database}-wal`)) return null
  // A restored file is newer than its content.
  return { cause: 'log_missing', fromMs: Math.min(writtenMs, lastSeenIn(database) ?? writtenMs), untilMs: nowMs }
}

/** When a service last wrote to it, to the minute. */
function lastSeenIn(database: string): number | null {
  let connection: Database.Database | undefined
  try {
    connection = new Database(database, { readonly: true, fileMustExist: true })
    return connection.prepare('SELECT MAX(seen_at) FROM nodes').pluck().get() as number | null
  } catch {
    // The database is too old to have it, or opening it will report the problem.
    return null
  } finally {
    connection?.close()
  }
}

/**
 * Moves a log that is older than its database into a separate folder before the database is opened for writing:
 * SQLite would write its pages over newer ones.
 * @returns the folder; null: there is no such log.
 */
export function setAsideForeignLog(database: string, nowMs: number): string | null {
  if (!isLogForeign(database) && !isLogOlder(database)) return null
  const folder = join(dirname(database), quarantineName(nowMs))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  renameSync(`${database}-wal`, join(folder, `${basename(database)}-wal`))
  rmSync(`${database}-shm`, { force: true })
  return folder
}

/**
 * After a crash: whether the file alone has commits that are missing when it is read with the log, or can be read only
 * without it: older pages among newer ones look like damage.
 */
function isLogOlder(database: string): boolean {
  if (!existsSync(database) || !statSync(`${database}-wal`, { throwIfNoEntry: false })?.size) return false
  const confirmed = lastConfirmedCommit(factsFolderOf(database))
  if (confirmed === null) return false
  const withLog = countWithLog(database)
  if (withLog === null || withLog >= confirmed.count) return false
  return (readCountWithoutLog(database) ?? 0) > withLog
}

/** @returns 0 if it looks damaged; null if it cannot be read for another reason, which says nothing about its age. */
function countWithLog(database: string): number | null {
  try {
    return countCommits(database)
  } catch (error) {
    return isCorruption(error) ? 0 : null
  }
}

/** SQLite finds a log by the name of its database, so a link with another name is read without it. */
function readCountWithoutLog(database: string): number | null {
  const alone = `${database}.alone`
  removeDraft(alone)
  try {
    linkSync(database, alone)
    return readCommitCount(alone)
  } catch {
    // The file system does not support links: the log is read, and the loss is reported.
    return null
  } finally {
    removeDraft(alone)
  }
}

/**
 * Makes the database safe to use, like a backup that replaced it: facts say what must not be undone, and numbers skip
 * all that may have been used. After a crash during this, the next start repeats it.
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
    // Includes damage, which opening the database reports.
    if (!hasExpectedSchema(connection, migrations)) return
    connection.pragma('journal_mode = DELETE')
    await migrate({ connection, migrations, backupsFolder: backupsFolderOf(file), nowMs })
    carryOver(connection, { kind: 'facts', facts, madeAtMs: loss.fromMs }, nowMs)
    skipMissingCommits(connection, lastConfirmedCommit(factsFolderOf(file)))
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
