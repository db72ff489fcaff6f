import type { Db } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { RunExclusive } from './keyed-mutex.ts'
import type { DiscardSession } from './session.ts'
import { byId, isRecreating, pageToDiscard, toInstance } from './store.ts'

interface Deps {
  readonly db: Pick<Db, 'read' | 'readOne'>
  readonly discardSession: DiscardSession
  readonly runExclusive: RunExclusive
}

/** Discards sessions of logged out and deleted instances whose engine could not do it when it was asked to. */
export function leftoverSessionsChore({ db, discardSession, runExclusive }: Deps): Chore {
  async function discard(id: InstanceId): Promise<void> {
    const row = await db.readOne(byId, { id })
    // Instances that are being recreated are wiped by wiping.ts.
    if (row !== undefined && !isRecreating(row)) await discardSession(toInstance(row))
  }

  return {
    name: 'instances.sessions',
    begin() {
      let afterId = ''
      return async () => {
        const [next] = await db.read(pageToDiscard, { afterId, limit: 1 })
        if (next === undefined) return false
        afterId = next.id
        await runExclusive(next.id, () => discard(next.id))
        return true
      }
    },
  }
}
