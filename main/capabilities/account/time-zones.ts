import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { setTimeZone, timeZoneOf } from './store.ts'

export interface TimeZones {
  /** The time zone in which the account's days begin and end. */
  readonly timeZoneOf: (read: Pick<Tx, 'one'>, accountId: AccountId) => Promise<string>
  /** null: the default from the settings. */
  readonly setTimeZone: (tx: Tx, accountId: AccountId, zone: string | null) => Promise<void>
}

const MOST_KNOWN = 20_000

/** Read for every message, so it is cached. */
export function createTimeZones(fallback: () => string): TimeZones {
  const known = new Map<AccountId, string | null>()
  return {
    async timeZoneOf(read, accountId) {
      let zone = known.get(accountId)
      if (zone === undefined) {
        zone = (await read.one(timeZoneOf, { accountId }))?.timezone ?? null
        if (known.size >= MOST_KNOWN) known.clear()
        known.set(accountId, zone)
      }
      return zone ?? fallback()
    },
    async setTimeZone(tx, accountId, zone) {
      await tx.run(setTimeZone, { accountId, zone })
      // Invalidated twice: another read may refill the cache in between, and the commit may fail.
      known.delete(accountId)
      tx.afterCommit(() => known.delete(accountId))
    },
  }
}
