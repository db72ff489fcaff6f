import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { endSession, sessionOf, setUp, WIPE } from './store.ts'

/** How an instance's session stands: there is none, the network has ended it, or it is to be connected or not. */
type Standing = 'none' | 'ended' | 'down' | 'up'

export interface StoredStanding {
  read(): Promise<Standing>
  raise(): Promise<void>
  lower(): Promise<void>
  /** Banned: the rows stay for whoever looks into it, and connect nothing any more. */
  end(): Promise<void>
  /** Leaves nothing of the session, in one commit. */
  wipe(): Promise<void>
}

export function storedStanding(db: Db, instanceId: InstanceId): StoredStanding {
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
    raise: () => set(1),
    lower: () => set(0),
    async end() {
      await db.commit((tx) => tx.run(endSession, { instanceId }))
    },
    wipe: () =>
      db.commit(async (tx) => {
        for (const statement of WIPE) await tx.run(statement, { instanceId })
      }),
  }
}
