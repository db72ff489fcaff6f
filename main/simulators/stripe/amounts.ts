import type Stripe from 'stripe'
import { invalid, type Reader } from './form.ts'

/** Stripe takes amounts with at most twelve decimals. */
const PLACES = 12
const ONE = 10n ** BigInt(PLACES)

/** The amount of a price, which a request gives in one of two fields. */
export function readUnitAmount(params: Reader): { unit: number | null; decimal: string } {
  const whole = params.integer('unit_amount')
  const text = params.text('unit_amount_decimal')
  if (whole !== undefined && text !== undefined) {
    throw invalid('You may only specify one of these parameters: unit_amount, unit_amount_decimal.', 'unit_amount')
  }
  if (text === undefined) {
    if (whole === undefined || whole < 0) throw invalid('Invalid non-negative integer', 'unit_amount')
    return { unit: whole, decimal: String(whole) }
  }
  if (!/^\d{1,12}(?:\.\d{1,12})?$/.test(text)) throw invalid(`Invalid decimal: ${text}`, 'unit_amount_decimal')
  const [units = '', decimals = ''] = text.split('.')
  const kept = Array.from(decimals)
  while (kept.at(-1) === '0') kept.pop()
  const unit = Number(units)
  return kept.length === 0
    ? { unit, decimal: String(unit) }
    : { unit: null, decimal: `${String(unit)}.${kept.join('')}` }
}

/** The cost of a quantity: computed exactly, then rounded half up to the smallest unit of the currency. */
export function amountFor(price: Stripe.Price, quantity: number): number {
  const lots = BigInt(lotsOf(price, quantity))
  return Number((2n * lots * scaled(String(price.unit_amount_decimal)) + ONE) / (2n * ONE))
}

function lotsOf({ transform_quantity: transform }: Stripe.Price, quantity: number): number {
  if (transform === null) return quantity
  const share = quantity / transform.divide_by
  return transform.round === 'up' ? Math.ceil(share) : Math.floor(share)
}

function scaled(decimal: string): bigint {
  const [whole = '0', decimals = ''] = decimal.split('.')
  return BigInt(whole) * ONE + BigInt(decimals.padEnd(PLACES, '0'))
}
