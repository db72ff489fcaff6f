import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Held for the life of the process; the system takes it back when the process dies, however it dies. */
export interface HomeLock {
  release(): void
}

/** A connection nobody refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<Database.Database>()

/**
 * Makes this process the only owner of the home folder: desktop and headless alike.
 * @throws HomeInUseError at once when another process has it.
 */
export function lockHome(home: string): HomeLock {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const owner = join(home, 'lock.pid')
  const lock = new Database(join(home, 'lock.db'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (isBusy(error)) throw new HomeInUseError(home, readPid(owner))
    throw error
  }
  held.add(lock)
  // Only for the sentence the second process prints; the lock itself is the open transaction.
  noteOwner(owner)
  return {
    release() {
      if (!held.delete(lock)) return
      rmSync(owner, { force: true })
      lock.close()
    },
  }
}

/** A full disk has no room for it, and is no reason not to start. */
function noteOwner(file: string): void {
  try {
    writeFileSync(file, String(process.pid))
  } catch {
    rmSync(file, { force: true })
  }
}

export class HomeInUseError extends Error {
  constructor(home: string, pid: number | undefined) {
    const who = pid === undefined ? 'Another Switchboard' : `Another Switchboard (process ${pid})`
    super(`${who} is already using the home folder ${home}. Quit it first, or use another --home.`)
    this.name = 'HomeInUseError'
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}
