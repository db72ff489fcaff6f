/**
 * Numbers with a unit, in the language of the window. Plain counts are `n()` of vue-i18n, money is in money.ts, and
 * moments are in time.ts.
 */
type Unit =
  | 'byte'
  | 'kilobyte'
  | 'megabyte'
  | 'gigabyte'
  | 'millisecond'
  | 'second'
  | 'minute'
  | 'hour'
  | 'day'
  | 'month'
  | 'year'

/** @param percent 0 to 100. */
export const percentText = (percent: number, locale: string): string =>
  formatter(locale, { style: 'percent', maximumFractionDigits: 0 }).format(percent / 100)

interface Measure {
  readonly value: number
  readonly unit: Unit
  /** “3 hours” or “3 hr”; short by default. */
  readonly display?: 'short' | 'long'
  readonly digits?: number
}

export const unitText = ({ value, unit, display = 'short', digits = 0 }: Measure, locale: string): string =>
  formatter(locale, { style: 'unit', unit, unitDisplay: display, maximumFractionDigits: digits }).format(value)

const SIZES = [
  ['gigabyte', 3],
  ['megabyte', 2],
  ['kilobyte', 1],
  ['byte', 0],
] as const

/** `1.2 MB`, in the number format of the language. */
export function sizeText(bytes: number, locale: string): string {
  const [unit, value] = inUnit(bytes, 1_000)
  return sizeIn(unit, value, value < 10 ? 1 : 0, locale)
}

/** A limit in the round numbers that it was defined with: `20 MB` for 20 × 1024 × 1024 bytes. */
export function limitText(bytes: number, locale: string): string {
  const [unit, value] = inUnit(bytes, 1_024)
  const step = Number.isInteger(value) ? 1 : value >= 100 ? 100 : value >= 10 ? 5 : 1
  return sizeIn(unit, Math.floor(value / step) * step, 0, locale)
}

function inUnit(bytes: number, base: number): [unit: (typeof SIZES)[number][0], value: number] {
  const [unit, power] = SIZES.find(([, power]) => bytes >= base ** power) ?? (['byte', 0] as const)
  return [unit, bytes / base ** power]
}

// The short English form has no plural: “617 byte”.
const sizeIn = (unit: Unit, value: number, digits: number, locale: string) =>
  unitText({ value, unit, digits, display: unit === 'byte' ? 'long' : 'short' }, locale)

const LENGTHS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Only the largest unit: “3 hr”, “12 min”, “40 sec”. */
export function shortDuration(seconds: number, locale: string): string {
  const [unit, length] = LENGTHS.find(([, size]) => seconds >= size) ?? (['second', 1] as const)
  return unitText({ value: Math.floor(seconds / length), unit }, locale)
}

/** How long a request took: 389 ms, 1.2 sec. */
export const requestDuration = (ms: number, locale: string): string =>
  ms < 1_000
    ? unitText({ value: ms, unit: 'millisecond' }, locale)
    : unitText({ value: ms / 1_000, unit: 'second', digits: 1 }, locale)

const formatters = new Map<string, Intl.NumberFormat>()

/** Cached per language and form: creating one costs more than a hundred uses. */
export function formatter(locale: string, form: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = `${locale} ${JSON.stringify(form)}`
  const known = formatters.get(name) ?? new Intl.NumberFormat(locale, form)
  formatters.set(name, known)
  return known
}
