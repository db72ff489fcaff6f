import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isoTime } from '../contract/request.ts'

/**
 * Copies the database into the folder and checks the copy before it gets its name, so that what lies there is whole.
 * @param reason part of the file name, for the person who looks for it.
 * @returns the path of the copy.
 */
export async function backUp(
  connection: Database.Database,
  folder: string,
  reason: string,
  nowMs: number,
): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `switchboard-${stamp(nowMs)}-${reason}.db`)
  const unfinished = `${path}.part`
  rmSync(unfinished, { force: true })
  await connection.backup(unfinished)
  checkCopy(unfinished)
  renameSync(unfinished, path)
  return path
}

function checkCopy(file: string): void {
  // A copy starts in the journal mode of its source; opened for reading only it could not clean up after itself.
  const copy = new Database(file, { fileMustExist: true })
  try {
    copy.pragma('journal_mode = DELETE')
    checkIntegrity(copy)
  } finally {
    copy.close()
  }
}

/** Throws when SQLite finds the file damaged. Takes about a second per gigabyte. */
export function checkIntegrity(connection: Database.Database): void {
  const verdict = connection.pragma('quick_check(1)', { simple: true })
  if (verdict !== 'ok') throw new Error(`The database ${connection.name} is damaged: ${String(verdict)}`)
}

/** 20260131T235959Z: sorts by time and is a legal file name everywhere. */
function stamp(nowMs: number): string {
  return isoTime(nowMs).replace(/[-:]|\.\d+/g, '')
}
