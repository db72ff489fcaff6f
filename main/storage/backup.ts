import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isoTime } from '../contract/request.ts'
import { checkIntegrity } from './integrity.ts'
import { isSameFile } from './same-file.ts'

/** Writes a copy to this path, and resolves once it is known to be whole. */
export type MakeCopy = (target: string) => Promise<void>

/**
 * Has a copy made in the folder and gives it its name when it is done, so that what lies there is whole.
 * @param reason part of the file name, for the person who looks for it.
 * @param others copies that are not made twice: if one of them has the same bytes, there is no new one.
 * @returns the path of the copy.
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

/** In this process, which it holds up: about a second for a gigabyte. */
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

/** All that this connection sees. */
export async function writeCopy(connection: Database.Database, target: string): Promise<void> {
  await connection.backup(target)
  const copy = new Database(target, { fileMustExist: true })
  try {
    // A copy inherits the mode of its source and would keep two more files beside it.
    copy.pragma('journal_mode = DELETE')
  } finally {
    copy.close()
  }
}

/**
 * Removes a file that was to become the database. Its journal above all: SQLite would play that back into the next one.
 */
export function removeDraft(draft: string): void {
  for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${rest}`, { force: true })
}

/** Removes what a process left here that died while it copied. The caller owns the folder and makes no copy at this moment. */
export function removeIncomplete(folder: string): void {
  if (!existsSync(folder)) return
  const left = readdirSync(folder).filter((name) => name.includes(UNFINISHED))
  for (const name of left) rmSync(join(folder, name), { force: true })
}

const UNFINISHED = '.part'

/** Two copies of one second: the later one is named for the next, and none is lost. */
function uniquePath(folder: string, reason: string, nowMs: number): string {
  const path = join(folder, `switchboard-${stamp(nowMs)}-${reason}.db`)
  return existsSync(path) ? uniquePath(folder, reason, nowMs + 1_000) : path
}

/** 20260131T235959Z: sorts by time and is a legal file name everywhere. */
function stamp(nowMs: number): string {
  return isoTime(nowMs).replace(/[-:]|\.\d+/g, '')
}
