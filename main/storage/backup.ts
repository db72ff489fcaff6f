import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isoTime } from '../contract/request.ts'
import { checkIntegrity } from './integrity.ts'
import { isSameFile } from './same-file.ts'

/** Writes a copy to this path, and resolves once it was checked. */
export type MakeCopy = (target: string) => Promise<void>

/**
 * Makes a backup in the folder, and gives it its name once complete, so that named files are always complete.
 * @param reason part of the file name, for people.
 * @param others existing backups: if one of them has the same bytes, none is made.
 * @returns the path of the backup.
 */
export async function writeBackup(
  folder: string,
  reason: string,
  nowMs: number,
  make: MakeCopy,
  others: readonly string[] = [],
): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = uniquePath(folder, reason, nowMs)
  const unfinished = `${path}${UNFINISHED}`
  try {
    await make(unfinished)
    const same = others.find((other) => isSameFile(other, unfinished))
    if (same !== undefined) {
      rmSync(unfinished)
      return same
    }
    renameSync(unfinished, path)
  } catch (error) {
    for (const rest of ['', '-journal']) rmSync(`${unfinished}${rest}`, { force: true })
    throw error
  }
  return path
}

/** Copies in this process and blocks it: about a second per gigabyte. */
export const copyInProcess =
  (connection: Database.Database): MakeCopy =>
  async (target) => {
    await writeCopy(connection, target)
    const copy = new Database(target, { readonly: true, fileMustExist: true })
    try {
      checkIntegrity(copy)
    } finally {
      copy.close()
    }
  }

/** Copies everything that this connection sees. */
export async function writeCopy(connection: Database.Database, target: string): Promise<void> {
  await connection.backup(target)
  const copy = new Database(target, { fileMustExist: true })
  try {
    // A copy would inherit the journal mode of its source, which needs two more files.
    copy.pragma('journal_mode = DELETE')
  } finally {
    copy.close()
  }
}

/**
 * Removes a file that was to become the database, and especially its journal, which SQLite would replay into the next
 * one.
 */
export function removeDraft(draft: string): void {
  for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${rest}`, { force: true })
}

/**
 * Removes files that a process left behind when it died during a backup. The caller owns the folder and is making no
 * backup.
 */
export function removeIncomplete(folder: string): void {
  if (!existsSync(folder)) return
  const left = readdirSync(folder).filter((name) => name.includes(UNFINISHED))
  for (const name of left) rmSync(join(folder, name), { force: true })
}

const UNFINISHED = '.part'

/** If two backups are made in one second, the later one gets the name of the next second. */
function uniquePath(folder: string, reason: string, nowMs: number): string {
  const path = join(folder, `switchboard-${stamp(nowMs)}-${reason}.db`)
  return existsSync(path) ? uniquePath(folder, reason, nowMs + 1_000) : path
}

/** 20260131T235959Z: sorts by time and is a valid file name everywhere. */
function stamp(nowMs: number): string {
  return isoTime(nowMs).replace(/[-:]|\.\d+/g, '')
}
