import { UNITS_OF, type ClientBillingBody, type Metered, type UnitsOfPrice } from '../../contract/client-billing.ts'
import { ApiError } from '../../contract/errors.ts'

type Terms = Pick<ClientBillingBody, 'metered' | 'usage_prices'>

/** Price for the units of a counter. */
export interface UsagePrice {
  readonly counter: Metered
  /** Number of units that the amount covers; a started lot is charged in full. */
  readonly per: UnitsOfPrice
  /** In the smallest unit of the currency, without trailing zeros: `0.01`. */
  readonly amount: string
}

/** A counter on Stripe invoices: usage, or the millionths that messages cost. */
export type ReportedCounter = Metered | 'message_costs'
export interface ReportedPrice extends Omit<UsagePrice, 'counter'> {
  readonly counter: ReportedCounter
}

/** The prices of terms in either form, those of `metered` first. A price given in both forms counts once. */
export function usagePricesOf({ metered = [], usage_prices: prices = [] }: Terms): readonly UsagePrice[] {
  const whole = metered.map(({ counter, unit_amount_cents: cents }) => ({
    ...{ counter, per: 1 as const, amount: String(cents) },
  }))
  const all = prices.map(({ counter, per, amount_cents_decimal: amount }) => ({
    ...{ counter, per, amount: shortest(amount) },
  }))
  const isKnown = (price: UsagePrice) => whole.some((one) => isSame(one, price))
  return [...whole, ...all.filter((price) => !isKnown(price))]
}

/** @throws ApiError validation_error if a counter has two prices, or a price that cannot be charged. */
export function checkUsagePrices(terms: Terms): void {
  const seen = new Set<Metered>()
  for (const { counter, per } of usagePricesOf(terms)) {
    const units: readonly number[] = UNITS_OF[counter]
    if (!units.includes(per)) {
      throw new ApiError(
        'validation_error',
        `usage_prices: ${counter} is charged for each ${units.join(' or ')}; per cannot be ${String(per)}.`,
      ).because('field_choice', { field: 'per' })
    }
    if (seen.has(counter)) {
      throw new ApiError(
        'validation_error',
        `${counter} has two prices in metered and usage_prices. Keep one of them.`,
      ).because('field_repeats', { field: 'usage_prices' })
    }
    seen.add(counter)
  }
}

/** Both forms for the answer. `metered` contains the prices that it can express. */
export function shownPrices(terms: Terms): Required<Terms> {
  const prices = usagePricesOf(terms)
  return {
    metered: prices
      .filter(({ per, amount }) => per === 1 && !amount.includes('.'))
      .map(({ counter, amount }) => ({ counter, unit_amount_cents: Number(amount) })),
    usage_prices: prices.map(({ counter, per, amount }) => ({ counter, per, amount_cents_decimal: amount })),
  }
}

const isSame = (one: UsagePrice, other: UsagePrice) =>
  one.counter === other.counter && one.per === other.per && one.amount === other.amount

/** Turns `002.50` into `2.5`. */
function shortest(amount: string): string {
  const [whole = '', decimals = ''] = amount.split('.')
  const kept = Array.from(decimals)
  while (kept.at(-1) === '0') kept.pop()
  return [String(Number(whole)), ...(kept.length === 0 ? [] : [kept.join('')])].join('.')
}
