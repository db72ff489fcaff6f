import type { GraphMessageRow, MonthPortfolio } from './month-world.ts'

/** One delivered message, as a person would write it down. */
interface Entry {
  readonly instance: string
  readonly account: string
  readonly business: string
  readonly campaign: string
  readonly day: string
  readonly category: string
  readonly country: string
  readonly isFree: boolean
}

type Group = 'instance' | 'account' | 'business' | 'campaign' | 'day' | 'category'

interface Line {
  messages: number
  free: number
  allowance: number
  billable: number
  unpriced: number
  costs: Record<string, number>
}

const COUNTRIES = { '1': 'US', '91': 'IN', '44': 'GB', '33': 'FR' } as const
/** In millionths, from November 2026. Marketing is what the operator set. */
const PRICES: Readonly<Record<string, Readonly<Record<string, readonly [currency: string, micros: number]>>>> = {
  service: { US: ['usd', 3_400], IN: ['inr', 115_000], GB: ['gbp', 15_900] },
  utility: { US: ['usd', 3_400], IN: ['inr', 115_000], GB: ['gbp', 15_900] },
  marketing: { US: ['usd', 25_000], IN: ['inr', 880_000] },
}
const FREE_SERVICE_MESSAGES = 1_000

/** @param campaignOf of the people of campaigns; everybody is in one campaign. */
export function ledgerOf(
  rows: readonly GraphMessageRow[],
  portfolios: readonly MonthPortfolio[],
  campaignOf: ReadonlyMap<string, string>,
): readonly Entry[] {
  return rows.flatMap(({ author, recipient, category, priceType, isTemplate, receivedAtMs }) => {
    if (receivedAtMs === null) return []
    const owner = portfolios.find(({ numbers }) => numbers.some(({ number }) => number === author))
    const line = owner?.numbers.find(({ number }) => number === author)
    const [, country] = Object.entries(COUNTRIES).find(([prefix]) => recipient.startsWith(prefix)) ?? []
    if (owner === undefined || line === undefined || country === undefined)
      throw new Error(`nobody knows ${author} and ${recipient}`)
    return {
      ...{ instance: line.id, account: owner.accountId, business: owner.wabaId, category, country },
      campaign: isTemplate === 1 ? (campaignOf.get(recipient) ?? '') : '',
      day: new Date(receivedAtMs).toISOString().slice(0, 10),
      isFree: priceType !== 'regular',
    }
  })
}

/** What the entries of each key cost. */
export function totalsBy(entries: readonly Entry[], group: Group): Record<string, Line> {
  const lines: Record<string, Line> = {}
  const left = new Map<string, number>()
  for (const entry of entries.toSorted((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0))) {
    const line = (lines[entry[group]] ??= { messages: 0, free: 0, allowance: 0, billable: 0, unpriced: 0, costs: {} })
    line.messages++
    const allowed = left.get(entry.instance) ?? FREE_SERVICE_MESSAGES
    const isAllowed = !entry.isFree && entry.category === 'service' && allowed > 0
    if (isAllowed) {
      left.set(entry.instance, allowed - 1)
      line.allowance++
    }
    if (entry.isFree || isAllowed) {
      line.free++
      continue
    }
    line.billable++
    const [currency, micros] = PRICES[entry.category]?.[entry.country] ?? []
    if (currency === undefined) line.unpriced++
    else line.costs[currency] = (line.costs[currency] ?? 0) + (micros ?? 0)
  }
  return lines
}
