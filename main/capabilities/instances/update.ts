import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { nextChange } from '../account/index.ts'
import type { Announce } from './announce.ts'
import { refuseTakenRef } from './create.ts'
import { notFound } from './find.ts'
import { byId, toInstance, updateInstance, type Instance } from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly announce: Announce
}

/** What PATCH may change, as in the request: an absent field stays, null clears it. */
export interface InstancePatch {
  readonly name?: string
  readonly external_ref?: string | null
  readonly metadata?: Record<string, string> | null
}

export type Update = (id: InstanceId, patch: InstancePatch) => Promise<Instance>

const FIELDS = ['name', 'external_ref', 'metadata'] as const

/** Applies a PATCH. What changes nothing writes nothing, so that `updated_at` and receivers stay undisturbed. */
export function createUpdate({ db, clock, announce }: Deps): Update {
  return (id, patch) =>
    db.commit(async (tx) => {
      const row = await tx.one(byId, { id })
      if (!row || row.deletedAtMs !== null) throw notFound()
      const before = toInstance(row)
      const old = { name: before.name, external_ref: before.externalRef, metadata: before.metadata }
      const changes = FIELDS.filter(
        (field) => patch[field] !== undefined && !isDeepStrictEqual(patch[field], old[field]),
      )
      if (changes.length === 0) return before

      const fresh = { ...old, ...pick(patch, changes) }
      const { name, external_ref: externalRef, metadata } = fresh
      if (externalRef !== null && changes.includes('external_ref'))
        await refuseTakenRef(tx, before.accountId, externalRef, id)
      const updatedAtMs = await nextChange(tx, before.accountId, clock.now())
      await tx.run(updateInstance, {
        id,
        name,
        externalRef,
        metadata: metadata && JSON.stringify(metadata),
        updatedAtMs,
      })
      await announce(tx, id, 'instance.updated', {
        changes,
        previous: pick(old, changes),
        current: pick(fresh, changes),
      })
      return { ...before, name, externalRef, metadata, updatedAtMs }
    })
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  // Object.fromEntries forgets the names of keys.
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>
}
