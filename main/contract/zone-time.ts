/** Local times in a time zone, for the service and the window, based on Intl. */

const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS
const DAY_MS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** Midnight in UTC of the zone's current date: adding 24 hours always gives the next day. */
export function calendarDay(atMs: number, zone: string): number {
  const wallMs = wallClockMs(atMs, zone)
  return wallMs - (wallMs % DAY_MS)
}

/**
 * The first moment at which the zone's clocks show this time or a later one. A time that occurs twice is the first of
 * both; a skipped one is the moment of the clock change.
 * @param calendarDayMs of `calendarDay`
 * @param minutes after midnight; 1,440 and more are on the next day.
 */
export function timeOn(calendarDayMs: number, minutes: number, zone: string): number {
  const wallMs = calendarDayMs + minutes * MINUTE_MS
  const before = offsetMs(wallMs - DAY_MS, zone)
  const after = offsetMs(wallMs + DAY_MS, zone)
  if (before === after) return wallMs - before
  for (const offset of [before, after]) if (offsetMs(wallMs - offset, zone) === offset) return wallMs - offset
  return changeBetween(wallMs - DAY_MS, wallMs + DAY_MS, zone)
}

/**
 * The moment between two moments at which the offset changes. Everywhere, changes happen at full quarters of an hour.
 */
function changeBetween(fromMs: number, toMs: number, zone: string): number {
  const before = offsetMs(fromMs, zone)
  let [low, high] = [Math.floor(fromMs / QUARTER_MS), Math.ceil(toMs / QUARTER_MS)]
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2)
    if (offsetMs(middle * QUARTER_MS, zone) === before) low = middle
    else high = middle
  }
  return high * QUARTER_MS
}

/** How far the clocks of the zone are ahead of UTC. */
const offsetMs = (atMs: number, zone: string): number => wallClockMs(atMs, zone) - atMs

/** The zone's local time at a moment, as the milliseconds of the same time in UTC. */
export function wallClockMs(atMs: number, zone: string): number {
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = formatOf(zone).format(atMs).split(/\D+/).map(Number)
  const withinMinute = ((atMs % MINUTE_MS) + MINUTE_MS) % MINUTE_MS
  return Date.UTC(year, month - 1, day, hour, minute) + withinMinute
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const format = formats.get(zone)
  if (format !== undefined) return format
  const two = '2-digit'
  const clock = { hour: two, minute: two, hourCycle: 'h23' } as const
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, year: 'numeric', month: two, day: two, ...clock })
  formats.set(zone, made)
  return made
}
