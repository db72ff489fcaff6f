import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Db } from '../kernel/db.ts'
import type { BootId } from '../kernel/ids.ts'
import { findDamage } from './integrity.ts'
import { createStatements } from './statements.ts'

/** A database opened only for reading, possibly while a service uses it. */
export interface ReadOnly {
  /** @param boot the boot whose leases are valid. */
  db(boot: BootId): Pick<Db, 'read' | 'readOne' | 'boot'>
  readonly schema: number
  readonly bytes: number
  /** Problems that SQLite finds in a complete check; empty if none. */
  damage(): string[]
  /** Tables with rows that refer to missing rows. */
  orphaned(): string[]
  close(): void
}

/** @throws Error if it is not a database. */
export function openReadOnly(file: string): ReadOnly {
  const connection = new Database(file, { readonly: true, fileMustExist: true })
  try {
    const prepare = createStatements(connection)
    return {
      // Row types are claims written beside the SQL (kernel/sql.ts); the stores' tests prove them.
      db: (boot) => ({
        boot,
        read: async <R>(statement: { text: string }, params: object) => prepare(statement).all(params) as R[],
        readOne: async <R>(statement: { text: string }, params: object) =>
          prepare(statement).one(params) as R | undefined,
      }),
      schema: Number(connection.pragma('user_version', { simple: true })),
      bytes: statSync(file).size,
      damage: () => findDamage(connection),
      orphaned() {
        const orphans = connection.pragma('foreign_key_check') as { table: string }[]
        return [...new Set(orphans.map(({ table }) => table))]
      },
      close: () => void connection.close(),
    }
  } catch (error) {
    connection.close()
    throw error
  }
}
