import type { CostGroup, CostRow, CostTotals } from '../../contract/costs.ts'
import type { Db } from '../../kernel/db.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { allowanceShare } from './allowance.ts'
import { allowanceOf, type RateCard } from './rate-card.ts'
import { countsAfter, countsOfCampaign, type CountPlace, type CountRow } from './store.ts'

/** The counts to sum. Both days are included. */
export interface CostSpan {
  readonly accountIds: readonly string[]
  readonly from: string
  readonly to: string
  readonly instanceId?: string | undefined
  readonly campaignId?: string | undefined
  /** Instances of a restricted key; null: all. */
  readonly instanceIds: ReadonlySet<string> | null
}

const PORTION = 2_000

const KEY_OF: Readonly<Record<CostGroup, (row: CountPlace) => string>> = {
  instance: ({ instanceId }) => instanceId,
  account: ({ accountId }) => accountId,
  campaign: ({ campaignId }) => campaignId,
  category: ({ category }) => category,
  day: ({ day }) => day,
  business: ({ businessId }) => businessId,
}

/**
 * Counts of a span, priced with today's rate card, so that a corrected rate also corrects past days on which it was
 * valid.
 */
export async function costsOf(db: Pick<Db, 'read'>, card: RateCard, span: CostSpan, group: CostGroup) {
  const allowances = createAllowances(db)
  const groups = new Map<string, Sum>()
  const all = newSum()
  for await (const rows of countsOf(db, span)) {
    for (const row of rows) {
      const allowed = await allowances.of(row)
      const key = KEY_OF[group](row)
      const sum = groups.get(key) ?? newSum()
      groups.set(key, sum)
      for (const one of [sum, all]) addPriced(one, row, allowed, card)
    }
    await yieldToEventLoop()
  }
  const data = [...groups].map(([key, sum]): Omit<CostRow, 'name' | 'account'> => ({ key, ...totalsOf(sum) }))
  return { data: data.toSorted((a, b) => (a.key < b.key ? -1 : 1)), totals: totalsOf(all) }
}

async function* countsOf(db: Pick<Db, 'read'>, span: CostSpan): AsyncGenerator<readonly CountRow[]> {
  const { from, to, instanceId, campaignId, instanceIds } = span
  const isMeant = (row: CountRow) =>
    row.messages > 0 &&
    (instanceId === undefined || row.instanceId === instanceId) &&
    (instanceIds === null || instanceIds.has(row.instanceId))
  if (campaignId !== undefined) {
    const found = await db.read(countsOfCampaign, { campaignId, from, to })
    yield found.filter((row) => span.accountIds.includes(row.accountId) && isMeant(row))
    return
  }
  for (const accountId of span.accountIds) {
    let after: Parameters<typeof positionOf>[0] | undefined
    for (;;) {
      const found: readonly CountRow[] = await db.read(countsAfter, {
        accountId,
        to,
        ...positionOf(after, from),
        rows: PORTION,
      })
      yield found.filter(isMeant)
      after = found.at(-1)
      if (after === undefined || found.length < PORTION) break
    }
  }
}

/** @param from first day; every row of that day sorts after the day alone. */
const positionOf = (row: CountPlace | undefined, from: string) => ({
  afterDay: row?.day ?? from,
  afterInstance: row?.instanceId ?? '',
  afterCampaign: row?.campaignId ?? '',
  afterNumber: row?.numberId ?? '',
  afterBusiness: row?.businessId ?? '',
  afterCountry: row?.country ?? '',
  afterCategory: row?.category ?? '',
  afterKind: row?.kind ?? '',
})

/** Number of messages in a count that the monthly allowance covers. */
function createAllowances(db: Pick<Db, 'read'>) {
  const known = new Map<string, Promise<ReadonlyMap<string, number>>>()

  const share = async (numberId: string, category: string, month: string): Promise<ReadonlyMap<string, number>> =>
    new Map((await allowanceShare(db, numberId, category, month)).map(({ row, taken }) => [nameOf(row), taken]))

  return {
    async of(row: CountRow): Promise<number> {
      if (row.kind !== 'charged') return 0
      const { numberId, category, day } = row
      const month = day.slice(0, 7)
      if (allowanceOf(category, month) === 0) return 0
      const name = JSON.stringify([numberId, category, month])
      const shares = known.get(name) ?? share(numberId, category, month)
      known.set(name, shares)
      return (await shares).get(nameOf(row)) ?? 0
    },
  }
}

const nameOf = (row: CountPlace): string =>
  JSON.stringify([row.accountId, row.day, row.instanceId, row.campaignId, row.businessId, row.country])

export interface Sum {
  messages: number
  free: number
  allowance: number
  unpriced: number
  readonly costs: Map<string, bigint>
  isEstimated: boolean
}

export const newSum = (): Sum => ({
  messages: 0,
  free: 0,
  allowance: 0,
  unpriced: 0,
  costs: new Map(),
  isEstimated: false,
})

type Counted = Pick<CountRow, 'country' | 'category' | 'day' | 'kind' | 'messages'>

/** @param allowed how many messages the allowance covers. */
export function addPriced(sum: Sum, row: Counted, allowed: number, card: RateCard): void {
  sum.messages += row.messages
  if (row.kind === 'free') return void (sum.free += row.messages)
  if (row.kind === 'unknown') return void (sum.unpriced += row.messages)
  sum.free += allowed
  sum.allowance += allowed
  const charged = row.messages - allowed
  if (charged === 0) return
  const rate = card.rateOf(row.country, row.category, row.day)
  if (rate === undefined) return void (sum.unpriced += charged)
  sum.costs.set(rate.currency, (sum.costs.get(rate.currency) ?? 0n) + BigInt(charged) * BigInt(rate.micros))
  sum.isEstimated ||= rate.isExample
}

export const totalsOf = ({ messages, free, allowance, unpriced, costs, isEstimated }: Sum): CostTotals => ({
  ...{ messages, free, allowance, billable: messages - free, unpriced },
  costs: [...costs]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount_micros: Number(amount) })),
  estimated: isEstimated,
})
