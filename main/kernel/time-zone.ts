/** From `startMs` until before `endMs`. */
export interface Span {
  readonly startMs: number
  readonly endMs: number
}

const QUARTER_MS = 900_000
const HOUR_MS = 3_600_000
/** The longest day has 25 hours; a zone that changes its standard time may add another. */
const LONGEST_DAY_QUARTERS = 26 * 4

export interface Day extends Span {
  /** `2026-03-01`: the order of these texts is the order of the days. */
  readonly date: string
}

const formats = new Map<string, Intl.DateTimeFormat>()
const known = new Map<string, Day>()

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return name !== ''
  } catch {
    return false
  }
}

/** The calendar day of a moment. Offsets and their changes are multiples of a quarter of an hour everywhere. */
export function dayOf(atMs: number, zone: string): Day {
  const last = known.get(zone)
  if (last && atMs >= last.startMs && atMs < last.endMs) return last
  const at = Math.floor(atMs / QUARTER_MS)
  const date = dateAt(at, zone)
  const day = {
    date,
    startMs: QUARTER_MS * firstWhere(at - LONGEST_DAY_QUARTERS, at, (quarter) => dateAt(quarter, zone) >= date),
    endMs: QUARTER_MS * firstWhere(at, at + LONGEST_DAY_QUARTERS, (quarter) => dateAt(quarter, zone) > date),
  }
  known.set(zone, day)
  return day
}

/** The hour of a moment as the clocks of the zone show it; the one that is repeated in autumn is two. */
export function hourOf(atMs: number, zone: string): Span {
  const quarter = Math.floor(atMs / QUARTER_MS)
  const minutes = Number(partsAt(quarter, zone).get('minute'))
  const startMs = quarter * QUARTER_MS - minutes * 60_000
  return { startMs, endMs: startMs + HOUR_MS }
}

function dateAt(quarter: number, zone: string): string {
  const parts = partsAt(quarter, zone)
  return ['year', 'month', 'day'].map((name, at) => (parts.get(name) ?? '').padStart(at === 0 ? 4 : 2, '0')).join('-')
}

function partsAt(quarter: number, zone: string): Map<string, string> {
  let format = formats.get(zone)
  if (!format) {
    const two = '2-digit'
    const clock = { hour: two, minute: two, hourCycle: 'h23' } as const
    format = new Intl.DateTimeFormat('en', { timeZone: zone, year: 'numeric', month: two, day: two, ...clock })
    formats.set(zone, format)
  }
  return new Map(format.formatToParts(quarter * QUARTER_MS).map(({ type, value }) => [type, value]))
}

/** The first number from `low` to `high` that passes. Once one does, all later ones do, and `high` does. */
function firstWhere(low: number, high: number, passes: (value: number) => boolean): number {
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (passes(middle)) high = middle
    else low = middle + 1
  }
  return low
}
