/** The network's charge for one message. */
export interface Rate {
  /** ISO 3166 country of the person; `*`: every country without its own rate. */
  readonly country: string
  /** As named by the network. */
  readonly category: string
  /** `YYYY-MM-DD`: valid until the next rate of the same country and category. */
  readonly validFrom: string
  readonly currency: string
  /** Millionths of the currency; null: unknown. */
  readonly micros: number | null
  readonly source: string
  /** A cited example that the operator has not confirmed. */
  readonly isExample: boolean
}

/** Free messages of a category for each number in a calendar month. */
export interface Allowance {
  readonly category: string
  readonly validFrom: string
  readonly messages: number
  readonly source: string
}

/**
 * Rates that public tables cite as examples of Meta's rates from October 2026, when service messages got the rate of
 * utility and authentication messages. The operator replaces them with the rate card of their own account: Meta's rates
 * depend on the currency of the account, and change on the first day of a quarter.
 */
const SOURCE = 'Public tables of rates, cited as examples, October 2026'
const EXAMPLES = [
  ['US', 'usd', 3_400],
  ['IN', 'inr', 115_000],
  ['GB', 'gbp', 15_900],
  ['CL', 'usd', 20_000],
] as const
const CATEGORIES = ['service', 'utility', 'authentication'] as const
const SINCE = '2026-10-01'

const RATES: readonly Rate[] = EXAMPLES.flatMap(([country, currency, micros]) =>
  CATEGORIES.map((category) => ({
    ...{ country, category, validFrom: SINCE, currency, micros, source: SOURCE, isExample: true },
  })),
)

/** Delivered messages that would be charged use up the allowance, in the order of their delivery. */
export const ALLOWANCES: readonly Allowance[] = [
  {
    ...{ category: 'service', validFrom: SINCE, messages: 1_000 },
    source: 'Meta, Pricing on the WhatsApp Business Platform, 2026-09-30, as cited by public tables',
  },
]

const EVERY_COUNTRY = '*'

/** Meta’s rates depend on the country code ("Pricing", 2026-06-30), and these share that of the United Kingdom. */
const MARKETS: Readonly<Record<string, string>> = { GG: 'GB', JE: 'GB', IM: 'GB' }

export interface RateCard {
  /** @returns undefined if it is unknown. */
  rateOf(country: string, category: string, day: string): (Rate & { readonly micros: number }) | undefined
  readonly rates: readonly Rate[]
}

/** @param corrections by the operator: each replaces the rate of the same country, category and day. */
export function rateCard(corrections: readonly Rate[]): RateCard {
  const byKey = new Map<string, Rate[]>()
  const corrected = new Set(corrections.map(nameOf))
  const rates = [...RATES.filter((rate) => !corrected.has(nameOf(rate))), ...corrections]
  for (const rate of rates) {
    const key = `${rate.country} ${rate.category}`
    byKey.set(key, [...(byKey.get(key) ?? []), rate])
  }
  for (const list of byKey.values()) list.sort((a, b) => (a.validFrom < b.validFrom ? 1 : -1))
  const find = (country: string, category: string, day: string) =>
    byKey.get(`${country} ${category}`)?.find(({ validFrom }) => validFrom <= day)
  return {
    rates,
    rateOf(country, category, day) {
      const market = MARKETS[country] ?? country
      const rate = find(country, category, day) ?? find(market, category, day) ?? find(EVERY_COUNTRY, category, day)
      if (rate === undefined || rate.micros === null) return undefined
      return { ...rate, micros: rate.micros }
    },
  }
}

const nameOf = ({ country, category, validFrom }: Rate): string => `${country} ${category} ${validFrom}`

/** Number of free messages of a category for a number in a month, or 0. @param month `YYYY-MM` */
export function allowanceOf(category: string, month: string): number {
  const found = ALLOWANCES.filter((one) => one.category === category && one.validFrom <= `${month}-01`)
  return found.toSorted((a, b) => (a.validFrom < b.validFrom ? 1 : -1))[0]?.messages ?? 0
}
