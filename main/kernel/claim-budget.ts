import type { ApiActivity } from './api-activity.ts'
import type { Clock } from './clock.ts'

const MAX_BUDGET = 64
const MIN_BUDGET = 8
const BUDGET_STEP = 8
const LAG_MS = 5

/**
 * How many claims one turn may make, so that callers of the API are not starved by a flood of deliveries on the same
 * loop: halved when one round of the event loop takes 5 ms or more while somebody calls, raised step by step otherwise.
 * A turn takes at least one round, so the budget is a bound on the share of each round that goes to this work. With
 * nobody there a small budget would only mean a commit for every few claims.
 */
export function createClaimBudget(
  clock: Clock,
  apiActivity: Pick<ApiActivity, 'isRecent'>,
): { next(): number; gauges(): { budget: number; lagMs: number } } {
  let budget = MAX_BUDGET
  let lagMs = 0
  let isMeasuring = false

  function measure(): void {
    if (isMeasuring) return
    isMeasuring = true
    const from = clock.mono()
    setImmediate(() => {
      isMeasuring = false
      lagMs = clock.mono() - from
      const isInTheWay = lagMs >= LAG_MS && apiActivity.isRecent()
      budget = isInTheWay ? Math.max(MIN_BUDGET, budget >> 1) : Math.min(MAX_BUDGET, budget + BUDGET_STEP)
    })
  }

  return {
    next() {
      measure()
      return budget
    },
    gauges: () => ({ budget, lagMs }),
  }
}
