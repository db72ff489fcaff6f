import type { Event } from '../../../main/capabilities/events/contract.ts'

/**
 * Adds the newest page to the loaded events. Events never change, so only new ones are added.
 * @returns undefined if events between the two are missing; the list must then be loaded again.
 */
export function withNewest(loaded: readonly Event[], newest: readonly Event[], hasMore: boolean): Event[] | undefined {
  const known = new Set(loaded.map(({ event_id }) => event_id))
  const added = newest.filter(({ event_id }) => !known.has(event_id))
  if (hasMore && added.length === newest.length && newest.length > 0) return undefined
  return [...added, ...loaded]
}

export function withOlder(loaded: readonly Event[], page: readonly Event[]): Event[] {
  const known = new Set(loaded.map(({ event_id }) => event_id))
  return [...loaded, ...page.filter(({ event_id }) => !known.has(event_id))]
}
