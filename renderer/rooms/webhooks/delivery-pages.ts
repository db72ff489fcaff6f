import type { Delivery } from '../../../main/capabilities/webhooks/contract.ts'

/**
 * The newest page laid over what is loaded: new rows come on top, known ones are as they are now, and the rest stays,
 * so that a list that is being read does not jump back to its beginning.
 * @returns undefined when the page does not reach what is loaded: something between is missing, and all is to be read anew.
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

/** Rows that were loaded twice because new ones pushed the page boundary are one row. */
export function appended(loaded: readonly Delivery[], page: readonly Delivery[]): Delivery[] {
  const known = new Set(loaded.map(({ id }) => id))
  return [...loaded, ...page.filter(({ id }) => !known.has(id))]
}

interface Progress {
  readonly done: number
  readonly refused: readonly { readonly id: string; readonly error: unknown }[]
}

const AT_ONCE = 4

/** Asks for each of the redeliveries, a few at a time; one that is refused does not stop the others. */
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
