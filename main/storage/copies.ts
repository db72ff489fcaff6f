import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Clock } from '../kernel/clock.ts'
import { StorageError } from '../kernel/db.ts'
import type { Aside, Look } from './aside.ts'
import { backUp, copyHere, type MakeCopy } from './backup.ts'
import { backupsBeside } from './backups.ts'
import { asFault } from './faults.ts'
import { DamagedDatabaseError } from './integrity.ts'

/** Makes copies of the open database. */
export interface Copies {
  /** A checked copy of all that is committed now, in `backups/`. @param reason part of its name. @throws StorageError */
  make(reason: string): Promise<{ file: string; bytes: number }>
  /** Ends what is under way in a process of its own, and waits for what is not. */
  end(): Promise<void>
}

interface CopiesNeeds {
  /** Path of the database. */
  readonly file: string
  readonly clock: Pick<Clock, 'now'>
  readonly aside?: Aside
}

export function createCopies({ file, clock, aside }: CopiesNeeds): Copies {
  const made = new Set<Promise<unknown>>()
  const looks = new Set<Look>()

  async function copy(reason: string): Promise<{ file: string; bytes: number }> {
    try {
      const make = aside === undefined ? copyFromHere : copyAside(aside)
      const path = await backUp(backupsBeside(file), reason, clock.now(), make)
      return { file: path, bytes: statSync(path).size }
    } catch (error) {
      throw asFault(error, `The database was not copied: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  const copyAside =
    (aside: Aside): MakeCopy =>
    async (target) => {
      const look = aside.copy(file, target)
      looks.add(look)
      const found = await look.found.finally(() => looks.delete(look))
      if (found === null) throw new StorageError('closed', 'The database was closed before the copy of it was whole')
      if (found.length > 0) throw new DamagedDatabaseError(target, found.join('; '))
    }

  /** Through a connection of its own, which goes on seeing this moment: what is written meanwhile never starts it anew. */
  async function copyFromHere(target: string): Promise<void> {
    const source = new Database(file, { readonly: true, fileMustExist: true })
    try {
      seeThisMoment(source)
      await copyHere(source)(target)
    } finally {
      source.close()
    }
  }

  return {
    async make(reason) {
      const copying = copy(reason)
      made.add(copying)
      return copying.finally(() => made.delete(copying))
    },
    async end() {
      for (const look of looks) look.end()
      await Promise.allSettled(made)
    },
  }
}

/** What this connection reads from now on is what is committed now. */
export function seeThisMoment(connection: Database.Database): void {
  connection.exec('BEGIN')
  connection.prepare('SELECT COUNT(*) FROM meta').get()
}
