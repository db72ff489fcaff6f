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
  // The day before may still be open: its end is midnight of a day that was cut short.
  for (let ahead = -1; ahead < DAYS_AHEAD - 1; ahead++) {
    const dayMs = calendarDay(atMs, timezone) + ahead * DAY_MS
    if (!days.includes(new Date(dayMs).getUTCDay() || 7)) continue
    const opensAtMs = timeOn(dayMs, start, timezone)
    const closesAtMs = timeOn(dayMs, end, timezone)
    if (closesAtMs > opensAtMs && closesAtMs > atMs) return { opensAtMs, closesAtMs }
  }
  return undefined
}

/** Midnight in UTC of the day that the zone has at this moment. */
function calendarDay(atMs: number, zone: string): number {
  const wallMs = atMs + offsetMs(atMs, zone)
  return Math.floor(wallMs / DAY_MS) * DAY_MS
}

/** @param time `24:00` is midnight at the end of the day. */
function timeOn(dayMs: number, time: string, zone: string): number {
  if (time === '24:00') return startOfDay(dayMs + DAY_MS, zone)
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const earlier = offsetMs(startOfDay(dayMs, zone), zone)
  return fromWallClock(dayMs + (hour * 60 + minute) * MINUTE_MS, zone, earlier)
}

const startOfDay = (dayMs: number, zone: string): number => fromWallClock(dayMs, zone, offsetMs(dayMs, zone))

/** A time that the clock shows twice is the one of the first offset; one that it skips is later by what was skipped. */
function fromWallClock(wallMs: number, zone: string, firstOffsetMs: number): number {
  const second = offsetMs(wallMs - firstOffsetMs, zone)
  if (second === firstOffsetMs) return wallMs - firstOffsetMs
  const third = offsetMs(wallMs - second, zone)
  return wallMs - (second === third ? second : Math.min(second, third))
}

/** How far the clocks of the zone are ahead of UTC. */
const offsetMs = (atMs: number, zone: string): number => wallClockMs(atMs, zone) - Math.floor(atMs / 1_000) * 1_000

/** `2026-03-01`, the day that a zone has at a moment. */
export const dayKey = (atMs: number, zone: string): string =>
  new Date(wallClockMs(atMs, zone)).toISOString().slice(0, 10)
