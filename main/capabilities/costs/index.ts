import type { CostGroup, CostTotals } from '../../contract/costs.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { estimateOf, type PlannedMessages } from './estimate.ts'
import { createMeter, type Meter } from './meter.ts'
import { dayOfPrice } from './price.ts'
import { rateCard, type RateCard } from './rate-card.ts'
import { costsOf, type CostSpan } from './report.ts'
import { allRates } from './store.ts'

export { ALLOWANCES } from './rate-card.ts'
export { dayOfPrice } from './price.ts'
export type { PlannedMessages } from './estimate.ts'
export type { CostSpan } from './report.ts'

export interface Costs extends Meter {
  /** The rates that are valid now, and were before. */
  card(): Promise<RateCard>
  report(span: CostSpan, group: CostGroup): ReturnType<typeof costsOf>
  /** What messages would cost today. @param numbers what each of them would send, by the id it is billed by. */
  estimate(numbers: ReadonlyMap<string, readonly PlannedMessages[]>): Promise<CostTotals>
}

interface CostsDeps {
  readonly db: Pick<Db, 'read' | 'readOne'>
  readonly clock: Pick<Clock, 'now'>
}

export function createCosts({ db, clock }: CostsDeps): Costs {
  const card = async () => {
    const corrections = await db.read(allRates, {})
    return rateCard(corrections.map((rate) => ({ ...rate, isExample: false })))
  }
  return {
    ...createMeter(),
    card,
    report: async (span, group) => costsOf(db, await card(), span, group),
    estimate: async (numbers) => estimateOf(db, await card(), dayOfPrice(clock.now()), numbers),
  }
}
