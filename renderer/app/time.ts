const DAY = { day: 'numeric', month: 'short' } as const
const CLOCK = { hour: 'numeric', minute: '2-digit' } as const

/** Every date and time format of the window. Views use these names, so that dates look the same everywhere. */
const FORMS = {
  /** Feb 26, 2027 */
  date: { dateStyle: 'medium' },
  /** Feb 26, 2027, 8:19 PM */
  dateTime: { dateStyle: 'medium', timeStyle: 'short' },
  /** Feb 26, 2027, 8:19:43 PM */
  exact: { dateStyle: 'medium', timeStyle: 'medium' },
  /** Feb 26 */
  day: DAY,
  /** February 26 */
  longDay: { day: 'numeric', month: 'long' },
  /** February 2027 */
  month: { month: 'long', year: 'numeric' },
  /** Feb 26, 8 PM */
  dayHour: { ...DAY, hour: 'numeric' },
  /** Feb 26, 8:19 PM */
  dayTime: { ...DAY, ...CLOCK },
  /** Fri */
  weekday: { weekday: 'short' },
  /** Friday */
  longWeekday: { weekday: 'long' },
  /** Friday, February 26 */
  weekdayDay: { weekday: 'long', day: 'numeric', month: 'long' },
  /** Fri, Feb 26, 8:19 PM */
  weekdayTime: { weekday: 'short', ...DAY, ...CLOCK },
  /** 8:19 PM */
  clock: CLOCK,
  /** 8:19:43 PM */
  clockSeconds: { ...CLOCK, second: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
type TimeForm = keyof typeof FORMS

interface Shown {
  readonly form: TimeForm
  readonly locale: string
  /** Default: the zone of this computer. */
  readonly zone?: string | undefined
  readonly nowMs?: number
}

/** A time in one of the formats. A date in another year includes the year. */
export function timeText(at: number | string | Date, { form, locale, zone, nowMs = Date.now() }: Shown): string {
  const moment = new Date(at)
  const options: Intl.DateTimeFormatOptions = FORMS[form]
  const needsYear = options.month !== undefined && moment.getFullYear() !== new Date(nowMs).getFullYear()
  return formatter(locale, {
    ...options,
    ...(needsYear && { year: 'numeric' }),
    ...(zone !== undefined && { timeZone: zone }),
  }).format(moment)
}

export const exactTime = (at: number | string, locale: string): string => timeText(at, { form: 'exact', locale })

/** “8:19 AM” for today, “tomorrow, 8:19 AM”, otherwise “Feb 26, 8:19 AM”. */
export function soonText(at: number | string, nowMs: number, locale: string): string {
  const days = daysFrom(nowMs, new Date(at).getTime())
  if (Math.abs(days) > 1) return timeText(at, { form: 'dayTime', locale, nowMs })
  const clock = timeText(at, { form: 'clock', locale })
  return days === 0 ? clock : `${dayWord(days, locale)}, ${clock}`
}

/** “today”, “yesterday”, “tomorrow”. */
export const dayWord = (days: number, locale: string): string => relative(locale).format(days, 'day')

/** Number of midnights between two times, in the zone of this computer. */
export function daysFrom(fromMs: number, toMs: number): number {
  const startOf = (ms: number) => new Date(ms).setHours(0, 0, 0, 0)
  return Math.round((startOf(toMs) - startOf(fromMs)) / 86_400_000)
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** “3 minutes ago”, “in 2 hours”; undefined within a minute, for which every language has its own text. */
export function relativeTime(atMs: number, nowMs: number, locale: string): string | undefined {
  const distance = atMs - nowMs
  const unit = UNITS.find(([, ms]) => Math.abs(distance) >= ms)
  if (unit === undefined) return undefined
  const [name, ms] = unit
  return relative(locale).format(Math.round(distance / ms), name)
}

/** The zone of this computer. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

const formatters = new Map<string, Intl.DateTimeFormat>()
const relatives = new Map<string, Intl.RelativeTimeFormat>()

/** Cached per language and form: creating one costs more than a hundred uses, and long lists use many. */
function formatter(locale: string, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${JSON.stringify(form)}`
  const known = formatters.get(name) ?? new Intl.DateTimeFormat(locale, form)
  formatters.set(name, known)
  return known
}

function relative(locale: string): Intl.RelativeTimeFormat {
  const known = relatives.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  relatives.set(locale, known)
  return known
}
