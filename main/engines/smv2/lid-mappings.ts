import type { LIDMapping, SignalKeyStore } from 'baileys'
import { addressOf } from './jid.ts'

export const LID_MAPPINGS = 'lid-mapping'
const REVERSE = '_reverse'

/** Of the two rows that tie a number to a hidden id, this one is read from the hidden side. */
const reverseKeyOf = (hiddenId: string): string => hiddenId + REVERSE
export const hiddenIdIn = (key: string): string | undefined =>
  key.endsWith(REVERSE) ? key.slice(0, -REVERSE.length) : undefined

/** Stored pairs that a new pair of number and hidden id replaces. */
export interface Replaced {
  /** Rows that still have the old pair. */
  readonly keys: readonly string[]
  /** Hidden ids that have another number now, with the number before. */
  readonly renumbered: readonly { readonly hiddenId: string; readonly before: string }[]
  /** Numbers that belong to another hidden id now. */
  readonly reassigned: readonly { readonly number: string; readonly hiddenId: string }[]
}

/**
 * The library adds new rows and leaves the old ones: a recycled number would have two people, and mail for the old one
 * would go to the new one.
 * @param rows that are about to be stored: a number to its hidden id, and back.
 */
export async function replacedBy(
  keys: Pick<SignalKeyStore, 'get'>,
  rows: Readonly<Record<string, unknown>>,
): Promise<Replaced> {
  const stored = await keys.get(LID_MAPPINGS, Object.keys(rows))
  const changed = Object.keys(rows).flatMap((key) => {
    const [before, after] = [stored[key], rows[key]]
    return before === undefined || typeof after !== 'string' || before === after ? [] : [{ key, before, after }]
  })
  const renumbered = changed.flatMap(({ key, before }) => {
    const hiddenId = hiddenIdIn(key)
    return hiddenId === undefined ? [] : [{ hiddenId, before }]
  })
  const reassigned = changed.flatMap(({ key: number, after: hiddenId }) =>
    hiddenIdIn(number) === undefined ? [{ number, hiddenId }] : [],
  )
  const old = [
    ...renumbered.map(({ hiddenId, before }) => [before, hiddenId] as const),
    ...changed.flatMap(({ key, before }) =>
      hiddenIdIn(key) === undefined ? [[reverseKeyOf(before), key] as const] : [],
    ),
  ].filter(([key]) => !Object.hasOwn(rows, key))
  const named = await keys.get(
    LID_MAPPINGS,
    old.map(([key]) => key),
  )
  return { keys: old.flatMap(([key, other]) => (named[key] === other ? [key] : [])), renumbered, reassigned }
}

interface MappingStore {
  storeLIDPNMappings: (pairs: LIDMapping[]) => Promise<void>
}

/** The library caches pairs for days, so old pairs are removed from its cache, too. */
export function forgetReplaced(mappings: MappingStore, keys: Pick<SignalKeyStore, 'get'>): void {
  const store = mappings.storeLIDPNMappings.bind(mappings)
  // Private in the library's types.
  const { mappingCache: cache } = mappings as unknown as { mappingCache: { delete(key: string): void } }
  mappings.storeLIDPNMappings = async (pairs) => {
    const replaced = await replacedBy(keys, Object.fromEntries(pairs.flatMap(rowsOf)))
    await store(pairs)
    for (const key of replaced.keys) {
      const hiddenId = hiddenIdIn(key)
      cache.delete(hiddenId === undefined ? `pn:${key}` : `lid:${hiddenId}`)
    }
  }
}

function rowsOf({ lid, pn }: LIDMapping): [key: string, value: string][] {
  const [one, other] = [addressOf(lid), addressOf(pn)]
  const [hidden, number] = one.kind === 'hidden' ? [one, other] : [other, one]
  return [
    [number.user, hidden.user],
    [reverseKeyOf(hidden.user), number.user],
  ]
}
