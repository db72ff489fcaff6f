import { DateTime } from 'luxon'

/** When something may happen, by the clocks of a time zone. null: always. */
type OpeningHours = {
  readonly start: string
  /** `24:00` is midnight at the end of the day. */
  readonly end: string
  readonly timezone: string
  /** 1 is Monday. */
  readonly days: readonly number[]
} | null

interface Hours {
  readonly isOpen: boolean
  /** When that changes; Infinity if it never does. */
  readonly changesAtMs: number
}

const ALWAYS: Hours = { isOpen: true, changesAtMs: Infinity }
/** The longest time between two openings is a week; changes of the clock can push one over its end. */
const DAYS_AHEAD = 15

/** Whether they are open at this moment. Times are those of the clocks in the zone, on days of 23 and 25 hours too. */
export function hoursAt(hours: OpeningHours, atMs: number): Hours {
  if (hours === null) return ALWAYS
  for (const { opensAtMs, closesAtMs } of openingsFrom(hours, atMs)) {
    if (closesAtMs <= atMs) continue
    return opensAtMs <= atMs ? { isOpen: true, changesAtMs: closesAtMs } : { isOpen: false, changesAtMs: opensAtMs }
  }
  return { isOpen: false, changesAtMs: Infinity }
}

function* openingsFrom({ start, end, timezone, days }: NonNullable<OpeningHours>, atMs: number) {
  // The day before may still be open: its end is midnight of a day that was cut short.
  const first = DateTime.fromMillis(atMs, { zone: timezone }).startOf('day').minus({ days: 1 })
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead++) {
    const day = first.plus({ days: ahead })
    if (!days.includes(day.weekday)) continue
    const opensAtMs = timeOn(day, start)
    const closesAtMs = timeOn(day, end)
    if (closesAtMs > opensAtMs) yield { opensAtMs, closesAtMs }
  }
}

/** A time that the clock skips is an hour later. */
function timeOn(day: DateTime, time: string): number {
  if (time === '24:00') return day.plus({ days: 1 }).startOf('day').toMillis()
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return day.set({ hour, minute }).toMillis()
}

export interface CalendarDay {
  /** `2026-03-01` */
  readonly name: string
  readonly endsAtMs: number
}

export function dayAt(atMs: number, timezone: string): CalendarDay {
  const day = DateTime.fromMillis(atMs, { zone: timezone }).startOf('day')
  return { name: day.toISODate() ?? '', endsAtMs: day.plus({ days: 1 }).startOf('day').toMillis() }
}

export const isTimeZone = (name: string): boolean => DateTime.fromMillis(0, { zone: name }).isValid
