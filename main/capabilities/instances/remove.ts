import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { freeSlot } from '../account/index.ts'
import type { Announce } from './announce.ts'
import { gone } from './find.ts'
import type { InstanceListener } from './hearers.ts'
import type { DiscardSession } from './session.ts'
import { byId, markDeleted, pruneReconnects, toInstance } from './store.ts'
import type { InTurn } from './turns.ts'

interface Needs {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly announce: Announce
  readonly discardSession: DiscardSession
  readonly inTurn: InTurn
  readonly tell: InstanceListener
  /** The instance's open outage is nobody's concern any more. */
  readonly forget: (id: InstanceId) => void
}

/** @returns when it was deleted: the same on every repeat. */
export type Remove = (id: InstanceId) => Promise<{ deletedAtMs: number }>

export function createRemove({ db, clock, announce, discardSession, inTurn, tell, forget }: Needs): Remove {
  return (id) =>
    inTurn(id, async () => {
      const { instance, deletedAtMs } = await db.commit(async (tx) => {
        const row = await tx.one(byId, { id })
        if (!row) throw gone()
        const found = toInstance(row)
        if (found.deletedAtMs !== null) return { instance: found, deletedAtMs: found.deletedAtMs }
        const at = await freeSlot(tx, found.accountId, clock.now())
        await tx.run(markDeleted, { id, at })
        await tx.run(pruneReconnects, { id, before: Number.MAX_SAFE_INTEGER })
        await announce(tx, id, 'instance.deleted', { name: found.name, deleted_at: isoTime(at) })
        await tell(tx, { kind: 'deleted', id })
        tx.afterCommit(() => forget(id))
        return { instance: { ...found, discard: 'wipe' as const }, deletedAtMs: at }
      })
      // Also on a repeat: what the engine could not do the first time is tried again.
      await discardSession(instance)
      return { deletedAtMs }
    })
}
