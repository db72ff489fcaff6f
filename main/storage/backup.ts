import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isoTime } from '../contract/request.ts'
import { checkIntegrity } from './integrity.ts'

/** Resolves once a copy is known to be whole, and rejects for one that is not. */
export type CheckCopy = (file: string) => Promise<void>

/**
 * Copies the database into the folder and checks the copy before it gets its name, so that what lies there is whole.
 * @param reason part of the file name, for the person who looks for it.
 * @param check by default it is looked at here and now, which holds up everything: about a second for a gigabyte.
 * @returns the path of the copy.
 */
export async function backUp(
  connection: Database.Database,
  folder: string,
  reason: string,
  nowMs: number,
  check: CheckCopy = checkHere,
): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = freeName(folder, reason, nowMs)
  const unfinished = `${path}.part`
  rmSync(unfinished, { force: true })
  try {
    await connection.backup(unfinished)
    standAlone(unfinished)
    await check(unfinished)
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  return path
}

/** A copy inherits the mode of its source and would keep two more files beside it. */
function standAlone(file: string): void {
  const copy = new Database(file, { fileMustExist: true })
  try {
    copy.pragma('journal_mode = DELETE')
  } finally {
    copy.close()
  }
}

async function checkHere(file: string): Promise<void> {
  const copy = new Database(file, { readonly: true, fileMustExist: true })
  try {
    checkIntegrity(copy)
  } finally {
    copy.close()
  }
}

/** Two copies of one second: the later one is named for the next, and none is lost. */
function freeName(folder: string, reason: string, nowMs: number): string {
  const path = join(folder, `switchboard-${stamp(nowMs)}-${reason}.db`)
  return existsSync(path) ? freeName(folder, reason, nowMs + 1_000) : path
}

/** 20260131T235959Z: sorts by time and is a legal file name everywhere. */
function stamp(nowMs: number): string {
  return isoTime(nowMs).replace(/[-:]|\.\d+/g, '')
}
