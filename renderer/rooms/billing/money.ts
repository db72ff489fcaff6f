const formats = new Map<string, Intl.NumberFormat>()

function formatOf(currency: string, locale: string): Intl.NumberFormat {
  const name = `${locale} ${currency}`
  const known = formats.get(name) ?? new Intl.NumberFormat(locale, { style: 'currency', currency })
  formats.set(name, known)
  return known
}

/** How many of the smallest unit are one: 100 for most currencies, 1 for some. */
const unitsOf = (currency: string): number =>
  10 ** (formatOf(currency, 'en').resolvedOptions().maximumFractionDigits ?? 2)

/** @param cents in the smallest unit of the currency. */
export const moneyText = (cents: number, currency: string, locale: string): string =>
  formatOf(currency, locale).format(cents / unitsOf(currency))

/** For a field: `49.00`. */
export const amountText = (cents: number, currency: string): string => {
  const units = unitsOf(currency)
  return (cents / units).toFixed(Math.round(Math.log10(units)))
}

/**
 * What somebody wrote as an amount, with a point or a comma before the cents.
 * @returns in the smallest unit; undefined unless it is an amount with no more decimals than the currency has.
 */
export function readAmount(text: string, currency: string): number | undefined {
  const found = /^(\d{1,8})(?:[.,](\d*))?$/.exec(text.trim())
  if (found === null) return undefined
  const [, whole = '', decimals = ''] = found
  const units = unitsOf(currency)
  const places = Math.round(Math.log10(units))
  if (decimals.length > places) return undefined
  return Number(whole) * units + Number(decimals.padEnd(places, '0') || '0')
}
