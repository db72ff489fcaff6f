import type { CallPart } from '../../contract/approval.ts'
import { CostTotals } from '../../contract/costs.ts'
import { Check } from 'typebox/value'
import { part } from './call-parts.ts'

/** The cost in a campaign preview. @returns undefined if the preview has none. */
export function costParts(cost: unknown): CallPart[] | undefined {
  if (!Check(CostTotals, cost)) return undefined
  const { billable, unpriced, costs } = cost
  if (billable === 0) return [part('cost_free')]
  const amounts = costs.map(({ currency, amount_micros: micros }) => amountText(micros, currency))
  return [
    ...(amounts.length === 0 ? [] : [{ ...part('cost_estimate'), values: amounts, total: amounts.length }]),
    ...(unpriced === 0 ? [] : [part('cost_unknown', String(unpriced))]),
  ]
}

/** `12.34 USD`, rounded up to the hundredth, so that the cost is never understated. */
function amountText(micros: number, currency: string): string {
  const hundredths = String(Math.ceil(micros / 10_000)).padStart(3, '0')
  return `${hundredths.slice(0, -2)}.${hundredths.slice(-2)} ${currency.toUpperCase()}`
}
