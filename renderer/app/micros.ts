import { formatter } from './numbers.ts'

/** Trailing zeros of an amount. */
const DIVISORS = [6, 5, 4, 3, 2, 1].map((zeros) => [10 ** zeros, zeros] as const)

/** Millionths as decimal text: `0.0034` for 3400. */
export function decimalOfMicros(micros: number): string {
  const digits = String(micros).padStart(7, '0')
  const decimals = 6 - (DIVISORS.find(([divisor]) => micros % divisor === 0)?.[1] ?? 0)
  return decimals === 0 ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${digits.slice(-6, decimals - 6 || undefined)}`
}

/** In the form for an input field: `0,0034` in languages with a decimal comma. */
export const microsInput = (micros: number, locale: string): string =>
  formatter(locale, { maximumFractionDigits: 6, useGrouping: false }).format(
    decimalOfMicros(micros) as unknown as number,
  )

/** An amount in millionths of its currency, with all its digits, because a message costs less than a cent. */
export const microsText = (micros: number, currency: string, locale: string): string =>
  // Passed as text, so that no digit is lost; the types know only numbers.
  formatter(locale, { style: 'currency', currency, maximumFractionDigits: 6 }).format(
    decimalOfMicros(micros) as unknown as number,
  )

/**
 * @returns undefined if it is not an amount, or has more than six decimals. @param digits limit before the decimals.
 */
export function microsOf(text: string, digits = 6): number | undefined {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:[.,](\d{1,6}))?$/.exec(text.trim()) ?? []
  return whole === undefined || whole.length > digits
    ? undefined
    : Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'))
}
