import { formatter } from './numbers.ts'

const formatOf = (currency: string, locale: string) => formatter(locale, { style: 'currency', currency })

/** Smallest units per unit: 100 for most currencies, 1 for some. */
const unitsOf = (currency: string): number =>
  10 ** (formatOf(currency, 'en').resolvedOptions().maximumFractionDigits ?? 2)

const placesOf = (currency: string): number => Math.round(Math.log10(unitsOf(currency)))

/** @param cents in the smallest unit of the currency. */
export const moneyText = (cents: number, currency: string, locale: string): string =>
  formatOf(currency, locale).format(cents / unitsOf(currency))

/** @param amount in whole units. Small costs keep up to four digits, because a cent may buy a thousand tokens. */
export const amountOf = (amount: number, currency: string, locale: string, digits?: number): string =>
  formatter(locale, {
    style: 'currency',
    currency,
    ...(digits !== undefined && { maximumFractionDigits: digits }),
  }).format(amount)

const decimalMark = (locale: string): string =>
  formatter(locale, {})
    .formatToParts(1.5)
    .find(({ type }) => type === 'decimal')?.value ?? '.'

/** For an input field: `49.00`, with the decimal mark of the language. */
export const amountText = (cents: number, currency: string, locale: string): string =>
  (cents / unitsOf(currency)).toFixed(placesOf(currency)).replace('.', decimalMark(locale))

/**
 * Parses an amount, with a point or a comma before the decimals.
 * @returns in the smallest unit; undefined unless it is an amount with no more decimals than the currency has.
 */
export function readAmount(text: string, currency: string): number | undefined {
  const found = /^(\d{1,8})(?:[.,](\d*))?$/.exec(text.trim())
  if (found === null) return undefined
  const [, whole = '', decimals = ''] = found
  const places = placesOf(currency)
  if (decimals.length > places) return undefined
  return Number(whole) * unitsOf(currency) + Number(decimals.padEnd(places, '0') || '0')
}

/** Decimals of a usage price below the smallest unit of its currency. */
const FINE_PLACES = 4

/**
 * A usage price for an input field: `0.0001`.
 * @param cents in the smallest unit of the currency, as text with decimals.
 */
export function fineAmountText(cents: string, currency: string, locale: string): string {
  const places = placesOf(currency)
  const [whole = '0', fine = ''] = cents.split('.')
  const digits = whole.padStart(places + 1, '0')
  const split = digits.length - places
  const decimals = `${digits.slice(split)}${withoutZeros(fine)}`
  return `${digits.slice(0, split)}${decimals === '' ? '' : `${decimalMark(locale)}${decimals}`}`
}

/**
 * Parses a usage price.
 * @returns in the smallest unit of the currency, as text with up to four decimals; undefined unless it is an amount.
 */
export function readFineAmount(text: string, currency: string): string | undefined {
  const found = /^(\d{1,8})(?:[.,](\d*))?$/.exec(text.trim())
  if (found === null) return undefined
  const [, whole = '', decimals = ''] = found
  const places = placesOf(currency)
  if (decimals.length > places + FINE_PLACES) return undefined
  const fine = withoutZeros(decimals.slice(places))
  const units = String(Number(`${whole}${decimals.slice(0, places).padEnd(places, '0')}`))
  return fine === '' ? units : `${units}.${fine}`
}

/** Removes trailing zeros. */
function withoutZeros(decimals: string): string {
  const kept = Array.from(decimals)
  while (kept.at(-1) === '0') kept.pop()
  return kept.join('')
}
