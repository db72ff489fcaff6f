import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { writeDurably } from '../kernel/durable-file.ts'

/**
 * A note beside a closed database with its state at closing, so that the next start knows that nobody has changed the
 * file since. While the database is open, there is a log instead of a note. The note cannot detect a disk that loses
 * data; the daily check does (daily-integrity-check.ts).
 */
export async function markCleanShutdown(database: string): Promise<void> {
  const seen = stateOf(database)
  if (seen === null) spoilShutdownNote(database)
  else await writeDurably(noteOf(database), JSON.stringify(seen)).catch(() => spoilShutdownNote(database))
}

/**
 * Makes the next start check the closed database. An empty file needs no space, so this also works on a full disk. It
 * is synced before the database is written: a log beside a valid note would count as foreign.
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
    // The folder is not writable, and the next start reports it.
  }
}

/** The database is open and its log exists, which shows from now on how it ended. */
export const removeShutdownNote = (database: string): void => rmSync(noteOf(database), { force: true })

export const hasShutdownNote = (database: string): boolean => existsSync(noteOf(database))

/** Whether nobody has written to the file since it was closed cleanly. */
export function isCleanShutdown(database: string): boolean {
  const noted = readNote(database)
  return noted !== null && JSON.stringify(noted) === JSON.stringify(stateOf(database))
}

/**
 * Whether the log beside the database was put there after the database was closed: SQLite would write its older pages
 * over newer ones. Everything committed is already in the file.
 */
export function isLogForeign(database: string): boolean {
  const noted = readNote(database)
  return noted !== null && hasLog(database) && JSON.stringify(noted) === JSON.stringify(fileState(database))
}

/** If the current file is older than the database that was closed: when both were last written. */
export function findOlderFile(database: string): { writtenMs: number; closedMs: number } | null {
  const noted = readNote(database)
  // A log beside it is from the same time.
  const found = fileState(database)
  if (noted === null || found === null) return null
  const [writtenMs, closedMs] = [found, noted].map(({ changed }) => Number(BigInt(changed) / 1_000_000n)) as [
    number,
    number,
  ]
  return writtenMs < closedMs - COPIED_TIME_SLACK_MS ? { writtenMs, closedMs } : null
}

/** Some file systems store times with a precision of two seconds, and a copied file looks older by as much. */
const COPIED_TIME_SLACK_MS = 5_000

interface FileState {
  readonly bytes: string
  /** Nanoseconds. */
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

/** @returns null if a log exists, because the file alone is then incomplete. */
const stateOf = (database: string): FileState | null => (hasLog(database) ? null : fileState(database))

const hasLog = (database: string): boolean => (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

function fileState(database: string): FileState | null {
  const file = statSync(database, { bigint: true, throwIfNoEntry: false })
  return file ? { bytes: `${file.size}`, changed: `${file.mtimeNs}`, file: `${file.ino}` } : null
}
