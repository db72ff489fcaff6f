import type { CostGroup, CostTotals } from '../../contract/costs.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { createBudgets, type Budgets } from './budgets.ts'
import { createHolds } from './holds.ts'
import { estimateOf, type PlannedMessages } from './estimate.ts'
import { createMeter, type Meter } from './meter.ts'
import { dayOfPrice } from './price.ts'
import { rateCard, type RateCard } from './rate-card.ts'
import { costsOf, type CostSpan } from './report.ts'
import { allRates } from './store.ts'

export { ALLOWANCES } from './rate-card.ts'
export { dayOfPrice } from './price.ts'
export { monthOf } from './budgets.ts'
export type { BudgetLimits, BudgetRefusal } from './budgets.ts'
export type { PlannedMessages } from './estimate.ts'
export type { CostSpan } from './report.ts'

export interface Costs extends Meter {
  readonly budgets: Budgets
  readonly holds: ReturnType<typeof createHolds>
  /** The current and earlier rates. */
  card(): Promise<RateCard>
  report(span: CostSpan, group: CostGroup): ReturnType<typeof costsOf>
  /** Cost of messages at today's rates. @param numbers planned messages of each number, by the id used for billing. */
  estimate(numbers: ReadonlyMap<string, readonly PlannedMessages[]>): Promise<CostTotals>
}

interface CostsDeps {
  readonly db: Pick<Db, 'read' | 'readOne' | 'commit'>
  readonly clock: Pick<Clock, 'now' | 'mono'>
}

export function createCosts({ db, clock }: CostsDeps): Costs {
  const cardOf = async (read: Pick<Tx, 'all'>) => {
    const corrections = await read.all(allRates, {})
    return rateCard(corrections.map((rate) => ({ ...rate, isExample: false })))
  }
  const card = () => cardOf({ all: db.read })
  return {
    ...createMeter(),
    budgets: createBudgets({ db, clock, cardOf }),
    holds: createHolds({ db, clock }),
    card,
    report: async (span, group) => costsOf(db, await card(), span, group),
    estimate: async (numbers) => estimateOf(db, await card(), dayOfPrice(clock.now()), numbers),
  }
}
