import type { CallingHours } from '../../../main/contract/voice.ts'
import { wallClockMs } from '../../app/time.ts'

/**
 * When the calls of a batch will be made, as the service will decide it: a preview has to be there while somebody types.
 * Times are those of the clocks in the zone of the calling hours, on days of 23 and 25 hours too.
 */

interface Opening {
  readonly opensAtMs: number
  readonly closesAtMs: number
}

const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS
const DAY_MINUTES = 1_440
const DAY_MS = 86_400_000
/** The longest time between two openings is a week; changes of the clock can push one over its end. */
const DAYS_AHEAD = 15

/** When each call is made: the interval apart, and only within the hours. undefined: the hours never begin. */
export function paceCalls(
  { startMs, count, intervalMs }: { startMs: number; count: number; intervalMs: number },
  hours: CallingHours | null,
): number[] | undefined {
  const times: number[] = []
  let opening: Opening | undefined
  for (let wishedMs = startMs; times.length < count; wishedMs = (times.at(-1) ?? 0) + intervalMs) {
    if (hours !== null && (opening === undefined || wishedMs >= opening.closesAtMs)) {
      opening = nextOpening(hours, wishedMs)
      if (opening === undefined) return undefined
    }
    times.push(Math.max(wishedMs, opening?.opensAtMs ?? wishedMs))
  }
  return times
}

/** The opening that this moment lies in, or else the next one. */
function nextOpening({ start, end, timezone, days }: CallingHours, atMs: number): Opening | undefined {
  // Those of the day before may last until today.
  for (let ahead = -1; ahead < DAYS_AHEAD - 1; ahead++) {
    const dayMs = calendarDay(atMs, timezone) + ahead * DAY_MS
    if (!days.includes(new Date(dayMs).getUTCDay() || 7)) continue
    const opening = openingOn(dayMs, start, end, timezone)
    if (opening.closesAtMs > atMs) return opening
  }
  return undefined
}

/** Midnight in UTC of the day that the zone has at this moment. */
function calendarDay(atMs: number, zone: string): number {
  const wallMs = atMs + offsetMs(atMs, zone)
  return Math.floor(wallMs / DAY_MS) * DAY_MS
}

/**
 * An end before the start is on the next day. Hours that the clocks skip as a whole begin when the clocks have changed, and
 * keep their length.
 */
function openingOn(dayMs: number, start: string, end: string, zone: string): Opening {
  const [from, until] = [minutesOf(start), minutesOf(end)]
  const length = until > from ? until - from : until - from + DAY_MINUTES
  const opensAtMs = timeOn(dayMs, from, zone)
  const closesAtMs = timeOn(dayMs, from + length, zone)
  return { opensAtMs, closesAtMs: closesAtMs > opensAtMs ? closesAtMs : opensAtMs + length * MINUTE_MS }
}

const minutesOf = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

/** The first moment at which the clocks show this time or a later one. @param minutes after midnight */
function timeOn(dayMs: number, minutes: number, zone: string): number {
  const wallMs = dayMs + minutes * MINUTE_MS
  const [before, after] = [offsetMs(wallMs - DAY_MS, zone), offsetMs(wallMs + DAY_MS, zone)]
  if (before === after) return wallMs - before
  for (const offset of [before, after]) if (offsetMs(wallMs - offset, zone) === offset) return wallMs - offset
  return changeBetween(wallMs - DAY_MS, wallMs + DAY_MS, zone)
}

/** The moment between two moments at which the offset changes. Changes are at quarters of an hour everywhere. */
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
const offsetMs = (atMs: number, zone: string): number => wallClockMs(atMs, zone) - Math.floor(atMs / 1_000) * 1_000

/** `2026-03-01`, the day that a zone has at a moment. */
export const dayKey = (atMs: number, zone: string): string =>
  new Date(wallClockMs(atMs, zone)).toISOString().slice(0, 10)
