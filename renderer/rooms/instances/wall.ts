import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { filterInstances, NO_FILTER } from './filter.ts'
import { listUnpaired } from './status.ts'

/** Live codes at a time: three rows of cards at 1440 px, and more than a few people can scan before one expires. */
export const LIVE_CODES = 20

export interface Wall {
  /** Waiting for a phone, oldest first. */
  readonly waiting: readonly InstanceRecord[]
  /** Paired since the wall was opened, latest first. */
  readonly finished: readonly InstanceRecord[]
}

interface Choice {
  /** Ids the wall is limited to; undefined: every number that waits, new ones included. */
  readonly only: ReadonlySet<string> | undefined
  /** Ids that have waited on this wall. */
  readonly seen: ReadonlySet<string>
  readonly text: string
  readonly nowMs: number
}

export function arrangeWall(records: readonly InstanceRecord[], { only, seen, text, nowMs }: Choice): Wall {
  const wanted = filterInstances(
    records.filter(({ id }) => only === undefined || only.has(id)),
    { ...NO_FILTER, text },
  )
  const finished = wanted
    .filter(({ id, connected }) => connected && seen.has(id))
    .toSorted((a, b) => (b.last_connected_at ?? '').localeCompare(a.last_connected_at ?? ''))
  return { waiting: listUnpaired(wanted, { withSignedOut: only !== undefined, nowMs }), finished }
}

/** A page of waiting numbers; as some finish, the next ones move up and no page is left empty. */
export function pageOf<T>(
  all: readonly T[],
  from: number,
  size: number,
): { readonly from: number; readonly items: readonly T[] } {
  const last = Math.max(0, Math.ceil(all.length / size) - 1) * size
  const start = Math.min(from, last)
  return { from: start, items: all.slice(start, start + size) }
}
