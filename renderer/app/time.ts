const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** “3 minutes ago”, “in 2 hours”; undefined within a minute, for which every language has a word of its own. */
export function relativeTime(atMs: number, nowMs: number, locale: string): string | undefined {
  const distance = atMs - nowMs
  const unit = UNITS.find(([, ms]) => Math.abs(distance) >= ms)
  if (unit === undefined) return undefined
  const [name, ms] = unit
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round(distance / ms), name)
}

export const exactTime = (atMs: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(atMs)
