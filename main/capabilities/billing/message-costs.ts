import type { Costs } from '../costs/index.ts'

/** Meta's charges for a client's messages, billed to the client with a markup. */

type CostsByDay = Pick<Costs, 'report'>

/** An amount in a currency. */
interface Amount {
  readonly currency: string
  readonly amount_micros: number
}

/** Stripe sums millionths of the currency unit, so that only the invoice line is rounded. */
const MICROS_PER_UNIT_DIGITS = 6
/** How many days back to look for costs that could not be charged. */
export const LEFT_OUT_DAYS = 31

/** The price of one millionth of the currency unit, in its smallest unit: `0.0001` for the US dollar. */
export function priceOfAMicro(currency: string): string {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  return `0.${'1'.padStart(MICROS_PER_UNIT_DIGITS - maximumFractionDigits, '0')}`
}

/** @returns the costs of a day with the markup, in whole millionths, rounded half up. */
export async function chargedCosts(
  costs: CostsByDay,
  of: { readonly clientId: string; readonly currency: string; readonly markupPercent: number; readonly day: string },
): Promise<number> {
  const all = await costsOf(costs, of.clientId, of.day, of.day)
  const cost = all.find(({ currency }) => currency === of.currency)?.amount_micros ?? 0
  const hundredths = BigInt(cost) * BigInt(100 + of.markupPercent)
  return Number((hundredths + 50n) / 100n)
}

/** Costs in currencies other than the client's, which Stripe cannot put on its invoices. */
export async function leftOutCosts(
  costs: CostsByDay,
  of: { readonly clientId: string; readonly currency: string; readonly from: string; readonly to: string },
): Promise<Amount[]> {
  const all = await costsOf(costs, of.clientId, of.from, of.to)
  return all.filter(({ currency }) => currency !== of.currency)
}

async function costsOf(costs: CostsByDay, clientId: string, from: string, to: string): Promise<readonly Amount[]> {
  const { totals } = await costs.report({ accountIds: [clientId], from, to, instanceIds: null }, 'account')
  return totals.costs
}
