import { countryOf } from '../../../kernel/phone-country.ts'
import { GraphFault } from './answers.ts'
import type { GraphNumber } from './store.ts'

export type CountryLimits = ReturnType<typeof createCountryLimits>

/** Countries to which a business account may not send. Kept in memory, so a restart ends them, as for faults. */
export function createCountryLimits() {
  const forbidden = new Map<string, readonly string[]>()
  return {
    /** @param countries ISO 3166 codes; an empty list allows every country. */
    forbid: ({ wabaId }: GraphNumber, countries: readonly string[]) => void forbidden.set(wabaId, countries),
    /** @throws GraphFault if the business may not send to the country of the person. */
    check({ wabaId }: GraphNumber, to: string): void {
      if (forbidden.get(wabaId)?.includes(countryOf(to)))
        throw new GraphFault(
          ...([400, 130_497, '(#130497) Business account is restricted from messaging users in this country'] as const),
          'This business may not message users in the country of the recipient.',
        )
    },
  }
}
