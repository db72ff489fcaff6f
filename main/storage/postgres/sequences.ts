import { EVERY_SEQUENCE } from '../sequences.ts'
import type { Connection } from './connection.ts'

/**
 * Numbers of the rows that a group of units inserts. The group holds the writers' lock, so numbers rise in the order of
 * commits, also among several processes: whoever pages by them misses none.
 */
export interface Sequences {
  /** Reads where the sequences are. Call it first in each transaction. */
  begin(connection: Connection): Promise<void>
  next(name: string): Promise<number>
  /** Stores where they are now. Call it before COMMIT. */
  store(connection: Connection): Promise<unknown>
}

const READ = { name: 'sequences', text: 'SELECT name, value FROM counters' }
const STORE = `INSERT INTO counters (name, value) SELECT * FROM unnest($1::text[], $2::bigint[])
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

export function createSequences(): Sequences {
  /** The highest number that this process has given out, so that none is repeated after a rollback. */
  const highest = new Map<string, number>()
  let stored = new Map<string, number>()
  let used = new Map<string, number>()
  return {
    async begin(connection) {
      used = new Map()
      const { rows } = await connection.query(READ)
      stored = new Map((rows as { name: string; value: number }[]).map(({ name, value }) => [name, value]))
    },
    async next(name) {
      const before = used.get(name) ?? stored.get(name) ?? stored.get(EVERY_SEQUENCE) ?? 0
      const number = Math.max(before, highest.get(name) ?? 0) + 1
      used.set(name, number)
      highest.set(name, number)
      return number
    },
    async store(connection) {
      if (used.size === 0) return
      await connection.query({ name: 'store_sequences', text: STORE, values: [[...used.keys()], [...used.values()]] })
    },
  }
}
