import { countryOf } from '../../kernel/phone-country.ts'

/** How long a refusal is trusted; then one person of the country is tried again. */
const KNOWN_MS = 24 * 3_600_000

export type CountryRefusals = ReturnType<typeof createCountryRefusals>

/**
 * Countries to which a number cannot send, as reported by the network for a failed message. Kept in memory: after a
 * restart, one person of each country is tried again.
 */
export function createCountryRefusals() {
  const seenAtMs = new Map<string, number>()
  const keyOf = (instanceId: string, phone: string) => `${instanceId} ${countryOf(phone)}`
  return {
    note: (instanceId: string, phone: string, atMs: number): void => void seenAtMs.set(keyOf(instanceId, phone), atMs),
    has(instanceId: string, phone: string, nowMs: number): boolean {
      if (seenAtMs.size === 0) return false
      const key = keyOf(instanceId, phone)
      const atMs = seenAtMs.get(key)
      if (atMs === undefined) return false
      if (nowMs - atMs < KNOWN_MS) return true
      seenAtMs.delete(key)
      return false
    },
  }
}
