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
  /** Notes the time, so that the next start recognizes a clock that was set back meanwhile. */
  seen(tx: Tx): Promise<void>
  /** How long none was seen before this one was registered: at most so long nothing ran. 0 in a new home. */
  offMs(): number
  /** When a node was seen last; null in a new home. Call it before `register`. */
  lastSeenMs(): Promise<number | null>
  /** Nodes seen since this time are alive; the leases of all others are dead. */
  aliveSinceMs(): number
}

const insertNode = sql<{ id: string; now: number }>(
  'INSERT INTO nodes (id, started_at, seen_at) VALUES (:id, :now, :now)',
)
// Nobody was seen in the future: the clock was set back.
const setSeen = sql<{ id: string; now: number }>('UPDATE nodes SET seen_at = :now WHERE id = :id OR seen_at > :now')
const lastSeen = sql<Record<never, never>, { atMs: number | null }>('SELECT MAX(seen_at) AS atMs FROM nodes')
const removeOthers = sql<{ id: string }>('DELETE FROM nodes WHERE id <> :id')

/**
 * On SQLite one process owns the database (storage/lock.ts), so every other node is dead when this one starts. A storage
 * that several nodes share adds a heartbeat here: dead after 30 seconds without one.
 */
export function createNodes({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }): Nodes {
  const id = db.boot
  let offMs = 0
  return {
    id,
    register: () =>
      db.commit(async (tx: Tx) => {
        const seenMs = (await tx.one(lastSeen, {}))?.atMs ?? clock.now()
        offMs = Math.max(0, clock.now() - seenMs)
        await tx.run(removeOthers, { id })
        await tx.run(insertNode, { id, now: clock.now() })
      }),
    async seen(tx) {
      await tx.run(setSeen, { id, now: clock.now() })
    },
    offMs: () => offMs,
    lastSeenMs: async () => (await db.readOne(lastSeen, {}))?.atMs ?? null,
    aliveSinceMs: () => 0,
  }
}
