import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { writeDurably } from '../kernel/durable-file.ts'

/**
 * A note beside a closed database that says in which state it was closed: the next start knows by it that nobody has
 * written to the file since. While the database is open there is no note, and a log instead. It says nothing of a disk
 * that forgets; for that there is the daily look (daily-integrity-check.ts).
 */
export async function markCleanShutdown(database: string): Promise<void> {
  const seen = stateOf(database)
  if (seen === null) spoilShutdownNote(database)
  else await writeDurably(noteOf(database), JSON.stringify(seen)).catch(() => spoilShutdownNote(database))
}

/**
 * The database is closed, and is to be looked at. An empty file needs no room, so this works on a full disk too. It is
 * on the disk before the database is written to: a log beside a note that still holds would be taken for one of others.
 */
export function spoilShutdownNote(database: string): void {
  try {
    const note = openSync(noteOf(database), 'w')
    try {
      fsyncSync(note)
    } finally {
      closeSync(note)
    }
  } catch {
    // The folder takes nothing at all, and the next start says so.
  }
}

/** The database is open, and its log exists: from now on that shows how it ended. */
export const removeShutdownNote = (database: string): void => rmSync(noteOf(database), { force: true })

export const hasShutdownNote = (database: string): boolean => existsSync(noteOf(database))

/** Whether nobody has written to the file since it was closed in order. */
export function isCleanShutdown(database: string): boolean {
  const noted = readNote(database)
  return noted !== null && JSON.stringify(noted) === JSON.stringify(stateOf(database))
}

/**
 * Whether the log beside the database was put there after it was closed: SQLite would write its older pages over newer
 * ones. All that was committed is in the file.
 */
export function isLogForeign(database: string): boolean {
  const noted = readNote(database)
  return noted !== null && hasLog(database) && JSON.stringify(noted) === JSON.stringify(fileState(database))
}

/** When the database was closed and when the file that is there now was written, if that is an older one. */
export function findOlderFile(database: string): { writtenMs: number; closedMs: number } | null {
  const noted = readNote(database)
  // A log beside it is as old.
  const found = fileState(database)
  if (noted === null || found === null) return null
  const [writtenMs, closedMs] = [found, noted].map(({ changed }) => Number(BigInt(changed) / 1_000_000n)) as [
    number,
    number,
  ]
  return writtenMs < closedMs - COPIED_TIME_SLACK_MS ? { writtenMs, closedMs } : null
}

/** Some file systems keep times to two seconds, and a copy there looks that much older. */
const COPIED_TIME_SLACK_MS = 5_000

interface FileState {
  readonly bytes: string
  /** In nanoseconds. */
  readonly changed: string
  readonly file: string
}

const noteOf = (database: string) => `${database}.closed`

function readNote(database: string): FileState | null {
  try {
    const { bytes, changed, file } = JSON.parse(readFileSync(noteOf(database), 'utf8')) as Record<string, unknown>
    if (typeof bytes !== 'string' || typeof file !== 'string') return null
    return typeof changed === 'string' && /^\d+$/.test(changed) ? { bytes, changed, file } : null
  } catch {
    return null
  }
}

/** @returns null where a log lies beside it, so that the file is not all there is. */
const stateOf = (database: string): FileState | null => (hasLog(database) ? null : fileState(database))

const hasLog = (database: string): boolean => (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

function fileState(database: string): FileState | null {
  const file = statSync(database, { bigint: true, throwIfNoEntry: false })
  return file ? { bytes: `${file.size}`, changed: `${file.mtimeNs}`, file: `${file.ino}` } : null
}
