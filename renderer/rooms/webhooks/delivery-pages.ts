import type { Delivery } from '../../../main/capabilities/webhooks/contract.ts'

/**
 * Merges the newest page into the loaded rows: new rows are added at the top, known rows are updated, and all others
 * stay, so that the list does not jump back to its start.
 * @returns undefined if rows between the two are missing; the list must then be loaded again.
 */
export function refreshed(
  loaded: readonly Delivery[],
  newest: readonly Delivery[],
  hasMore: boolean,
): Delivery[] | undefined {
  const fresh = new Map(newest.map((delivery) => [delivery.id, delivery]))
  const touches = loaded.some(({ id }) => fresh.has(id))
  if (!touches && hasMore) return undefined
  return [...newest, ...(hasMore ? loaded.filter(({ id }) => !fresh.has(id)) : [])]
}

/** Appends a page without rows that are already loaded. New deliveries may have moved rows to the next page. */
export function appended(loaded: readonly Delivery[], page: readonly Delivery[]): Delivery[] {
  const known = new Set(loaded.map(({ id }) => id))
  return [...loaded, ...page.filter(({ id }) => !known.has(id))]
}

interface Progress {
  readonly done: number
  readonly refused: readonly { readonly id: string; readonly error: unknown }[]
}

const AT_ONCE = 4

/** Requests the redeliveries, a few at a time. A rejected redelivery does not stop the others. */
export async function redeliverEach(
  ids: readonly string[],
  redeliver: (id: string) => Promise<unknown>,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  const waiting = [...ids]
  let progress: Progress = { done: 0, refused: [] }
  async function work(): Promise<void> {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const error: unknown = await redeliver(id).then(
        () => undefined,
        (cause: unknown) => cause ?? new Error('refused'),
      )
      const refused = error === undefined ? progress.refused : [...progress.refused, { id, error }]
      progress = { done: progress.done + 1, refused }
      onProgress(progress)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return progress
}
