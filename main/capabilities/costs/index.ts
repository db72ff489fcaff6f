import type { CostGroup } from '../../contract/costs.ts'
import type { Db } from '../../kernel/db.ts'
import { createMeter, type Meter } from './meter.ts'
import { rateCard, type RateCard } from './rate-card.ts'
import { costsOf, type CostSpan } from './report.ts'
import { allRates } from './store.ts'

export { ALLOWANCES, allowanceOf, type RateCard } from './rate-card.ts'
export { dayOfPrice } from './price.ts'
export type { CostSpan } from './report.ts'

export interface Costs extends Meter {
  /** The rates that are valid now, and were before. */
  card(): Promise<RateCard>
  report(span: CostSpan, group: CostGroup): ReturnType<typeof costsOf>
}

export function createCosts({ db }: { readonly db: Pick<Db, 'read'> }): Costs {
  const card = async () => {
    const corrections = await db.read(allRates, {})
    return rateCard(corrections.map((rate) => ({ ...rate, isExample: false })))
  }
  return {
    ...createMeter(),
    card,
    report: async (span, group) => costsOf(db, await card(), span, group),
  }
}
