import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { endSession, sessionOf, setUp, WIPE } from './store.ts'

/** State of an instance's session: there is none, the network ended it, or it should be connected or not. */
type SessionStatus = 'none' | 'ended' | 'down' | 'up'

export interface SessionStatusStore {
  read(): Promise<SessionStatus>
  enable(): Promise<void>
  disable(): Promise<void>
  /** Banned: the rows are kept as evidence, and the session is not used again. */
  markEnded(): Promise<void>
  /** Deletes the session in one commit. */
  wipe(): Promise<void>
}

export function createSessionStatusStore(db: Db, instanceId: InstanceId): SessionStatusStore {
  const set = async (up: 0 | 1) => {
    await db.commit((tx) => tx.run(setUp, { instanceId, up }))
  }
  return {
    async read() {
      const row = await db.readOne(sessionOf, { instanceId })
      if (row === undefined) return 'none'
      if (row.ended === 1) return 'ended'
      return row.up === 1 ? 'up' : 'down'
    },
    enable: () => set(1),
    disable: () => set(0),
    async markEnded() {
      await db.commit((tx) => tx.run(endSession, { instanceId }))
    },
    wipe: () =>
      db.commit(async (tx) => {
        for (const statement of WIPE) await tx.run(statement, { instanceId })
      }),
  }
}
