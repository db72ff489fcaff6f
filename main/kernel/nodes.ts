import type { Clock } from './clock.ts'
import type { Db, Tx } from './db.ts'
import type { BootId } from './ids.ts'
import { sql } from './sql.ts'

/** The processes that work on one database. Leases carry the id of their node. */
export interface Nodes {
  /** This process: the boot id of its opening of the database. */
  readonly id: BootId
  /** Registers this node. Call it before anything is leased or recovered. */
  register(): Promise<void>
  /** Nodes seen since this time are alive; the leases of all others are dead. */
  aliveSinceMs(): number
}

const insertNode = sql<{ id: string; now: number }>(
  'INSERT INTO nodes (id, started_at, seen_at) VALUES (:id, :now, :now)',
)
const removeOthers = sql<{ id: string }>('DELETE FROM nodes WHERE id <> :id')

/**
 * On SQLite one process owns the database (storage/lock.ts), so every other node is dead when this one starts and no
 * heartbeat is written. A storage that several nodes share adds the heartbeat here: dead after 30 seconds without one.
 */
export function createNodes({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }): Nodes {
  const id = db.boot
  return {
    id,
    register: () =>
      db.commit(async (tx: Tx) => {
        await tx.run(removeOthers, { id })
        await tx.run(insertNode, { id, now: clock.now() })
      }),
    aliveSinceMs: () => 0,
  }
}
