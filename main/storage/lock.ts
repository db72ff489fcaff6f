import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Held for the life of the process; the system releases it when the process ends in any way. */
export interface HomeLock {
  release(): void
}

/** Keeps connections referenced: the garbage collector would close them and release the lock. */
const held = new Set<Database.Database>()

/** A command ends after a moment; a service runs until it is stopped. */
export type LockHolder = 'service' | 'command'

/**
 * Makes this process the only owner of the home folder: desktop and headless alike.
 * @throws HomeInUseError immediately when another process has it.
 */
export function lockHome(home: string, holder: LockHolder = 'service'): HomeLock {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const owner = join(home, 'lock.pid')
  const file = join(home, 'lock.db')
  let lock: Database.Database
  try {
    lock = openExclusively(file)
  } catch (error) {
    if (hasCode(error, 'SQLITE_BUSY')) {
      const { pid, holder: other } = readOwner(owner)
      throw new HomeInUseError(home, pid, other)
    }
    if (!hasCode(error, 'SQLITE_NOTADB')) throw error
    // The disk damaged the file. It contains nothing, and nobody can hold a lock on it in this state.
    truncateSync(file)
    lock = openExclusively(file)
  }
  held.add(lock)
  // Only informs the second process; the lock itself is the open transaction.
  try {
    noteOwner(owner, holder)
  } catch (error) {
    // A remaining entry would make the next attempt of this process report an owner that does not exist.
    held.delete(lock)
    lock.close()
    throw error
  }
  return {
    release() {
      if (!held.delete(lock)) return
      rmSync(owner, { force: true })
      lock.close()
    },
  }
}

function openExclusively(file: string): Database.Database {
  const lock = new Database(file, { timeout: 0 })
  try {
    // A journal on disk would need space, and a full disk must not prevent the start.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

/** Fails on a full disk, which must not prevent the start. */
function noteOwner(file: string, holder: LockHolder): void {
  try {
    writeFileSync(file, holder === 'service' ? String(process.pid) : `${process.pid} ${holder}`)
  } catch {
    // A partial number would name the wrong process.
    rmSync(file, { force: true })
  }
}

export class HomeInUseError extends Error {
  readonly holder: LockHolder

  constructor(home: string, pid: number | undefined, holder: LockHolder = 'service') {
    const process = pid === undefined ? '' : ` (process ${pid})`
    super(
      holder === 'command'
        ? `A command${process} is using the home folder ${home}. Wait until it has finished, then try again.`
        : `Another Switchboard${process} is already using the home folder ${home}. Quit it first, or use another --home.`,
    )
    this.name = 'HomeInUseError'
    this.holder = holder
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith(code)
}

function readOwner(file: string): { readonly pid: number | undefined; readonly holder: LockHolder } {
  try {
    const [, pid, holder] = /^([1-9]\d{0,9})( command)?$/.exec(readFileSync(file, 'utf8')) ?? []
    return { pid: pid === undefined ? undefined : Number(pid), holder: holder === undefined ? 'service' : 'command' }
  } catch {
    return { pid: undefined, holder: 'service' }
  }
}
