import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { freeSlot } from '../account/index.ts'
import type { Announce } from './announce.ts'
import { notFound } from './find.ts'
import type { InstanceListener } from './listeners.ts'
import type { DiscardSession } from './session.ts'
import { byId, markDeleted, pruneReconnects, toInstance } from './store.ts'
import type { RunExclusive } from './keyed-mutex.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly announce: Announce
  readonly discardSession: DiscardSession
  readonly runExclusive: RunExclusive
  readonly publish: InstanceListener
  /** The open outage of the instance no longer matters. */
  readonly cancelOutage: (id: InstanceId) => void
}

/** @returns when it was deleted: the same on every repeat. */
export type Remove = (id: InstanceId) => Promise<{ deletedAtMs: number }>

export function createRemove({
  db,
  clock,
  announce,
  discardSession,
  runExclusive,
  publish,
  cancelOutage,
}: Deps): Remove {
  return (id) =>
    runExclusive(id, async () => {
      const { instance, deletedAtMs } = await db.commit(async (tx) => {
        const row = await tx.one(byId, { id })
        if (!row) throw notFound()
        const found = toInstance(row)
        if (found.deletedAtMs !== null) return { instance: found, deletedAtMs: found.deletedAtMs }
        const at = await freeSlot(tx, found.accountId, clock.now())
        await tx.run(markDeleted, { id, at })
        await tx.run(pruneReconnects, { id, before: Number.MAX_SAFE_INTEGER })
        await announce(tx, id, 'instance.deleted', { name: found.name, deleted_at: isoTime(at) })
        await publish(tx, { kind: 'deleted', id })
        tx.afterCommit(() => cancelOutage(id))
        return { instance: { ...found, discard: 'wipe' as const }, deletedAtMs: at }
      })
      // Also on a repeat: what the engine could not do the first time is tried again.
      await discardSession(instance)
      return { deletedAtMs }
    })
}
