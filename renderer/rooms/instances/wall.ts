import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { filterInstances, NO_FILTER } from './filter.ts'
import { listUnpaired } from './status.ts'

/**
 * The most codes shown at the same time: three rows of cards at a width of 1440 px, and more than a few people can
 * scan before one expires.
 */
export const LIVE_CODES = 20

export interface Wall {
  /** Waiting for a phone, oldest first. */
  readonly waiting: readonly InstanceRecord[]
  /** Paired since the wall was opened, latest first. */
  readonly finished: readonly InstanceRecord[]
}

interface Choice {
  /** Ids that the wall is limited to; undefined means every number that waits, including new ones. */
  readonly only: ReadonlySet<string> | undefined
  /** Ids that were shown as waiting on this wall. */
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

/** One page of the waiting numbers. As numbers finish, the next ones move up, so no page is left empty. */
export function pageOf<T>(
  all: readonly T[],
  from: number,
  size: number,
): { readonly from: number; readonly items: readonly T[] } {
  const last = Math.max(0, Math.ceil(all.length / size) - 1) * size
  const start = Math.min(from, last)
  return { from: start, items: all.slice(start, start + size) }
}
