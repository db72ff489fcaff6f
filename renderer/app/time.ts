const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** “3 minutes ago”, “in 2 hours”; undefined within a minute, which every language words differently. */
export function relativeTime(atMs: number, nowMs: number, locale: string): string | undefined {
  const distance = atMs - nowMs
  const unit = UNITS.find(([, ms]) => Math.abs(distance) >= ms)
  if (unit === undefined) return undefined
  const [name, ms] = unit
  return relative(locale).format(Math.round(distance / ms), name)
}

export const exactTime = (atMs: number, locale: string): string =>
  formatter(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(atMs)

const formatters = new Map<string, Intl.DateTimeFormat>()
const relatives = new Map<string, Intl.RelativeTimeFormat>()

/** Cached per language and format: creating one costs more than a hundred uses, and long lists use many. */
export function formatter(locale: string, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${JSON.stringify(form)}`
  const known = formatters.get(name) ?? new Intl.DateTimeFormat(locale, form)
  formatters.set(name, known)
  return known
}

export function relative(locale: string): Intl.RelativeTimeFormat {
  const known = relatives.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  relatives.set(locale, known)
  return known
}
