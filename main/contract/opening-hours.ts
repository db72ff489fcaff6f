import { calendarDay, timeOn } from './zone-time.ts'

/** Hours in a time zone. null: always open. */
export type OpeningHours = {
  readonly start: string
  /** `24:00` is midnight at the end of the day. Earlier than `start`: on the next day; equal: exactly one day later. */
  readonly end: string
  readonly timezone: string
  /** Days on which the hours begin; 1 is Monday. */
  readonly days: readonly number[]
} | null

interface Hours {
  readonly isOpen: boolean
  /** When that changes; Infinity if never. */
  readonly changesAtMs: number
}

interface Opening {
  readonly opensAtMs: number
  readonly closesAtMs: number
}

const ALWAYS: Hours = { isOpen: true, changesAtMs: Infinity }
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const DAY_MINUTES = 1_440
/** Yesterday's hours may last until today, and the longest time between two openings is a week. */
const DAYS_AHEAD = 9

/** Whether they are open at this moment. Times follow the clocks in the zone, also on days of 23 and 25 hours. */
export function hoursAt(hours: OpeningHours, atMs: number): Hours {
  if (hours === null || areAlways(hours)) return ALWAYS
  let closesAtMs: number | undefined
  for (const opening of openingsFrom(hours, atMs)) {
    if (closesAtMs === undefined && opening.closesAtMs <= atMs) continue
    if (closesAtMs === undefined && opening.opensAtMs > atMs) return { isOpen: false, changesAtMs: opening.opensAtMs }
    // Openings may follow each other without a break.
    if (closesAtMs !== undefined && opening.opensAtMs > closesAtMs) break
    closesAtMs = Math.max(closesAtMs ?? 0, opening.closesAtMs)
  }
  return closesAtMs === undefined ? { isOpen: false, changesAtMs: Infinity } : { isOpen: true, changesAtMs: closesAtMs }
}

/** The first moment from this one on at which they are open. */
export function firstOpenMs(hours: OpeningHours, fromMs: number): number {
  const { isOpen, changesAtMs } = hoursAt(hours, fromMs)
  return isOpen ? fromMs : changesAtMs
}

const minutesOf = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

const lengthOf = ({ start, end }: NonNullable<OpeningHours>): number => {
  const length = minutesOf(end) - minutesOf(start)
  return length > 0 ? length : length + DAY_MINUTES
}

const areAlways = (hours: NonNullable<OpeningHours>): boolean =>
  new Set(hours.days).size === 7 && lengthOf(hours) === DAY_MINUTES

/** In order, starting with yesterday's. */
function* openingsFrom(hours: NonNullable<OpeningHours>, atMs: number): Generator<Opening> {
  const today = calendarDay(atMs, hours.timezone)
  for (let ahead = -1; ahead < DAYS_AHEAD; ahead++) {
    const day = today + ahead * DAY_MS
    if (hours.days.includes(new Date(day).getUTCDay() || 7)) yield openingOn(day, hours)
  }
}

/** Hours that are skipped completely by a clock change begin after the change, and keep their length. */
function openingOn(day: number, hours: NonNullable<OpeningHours>): Opening {
  const [start, length] = [minutesOf(hours.start), lengthOf(hours)]
  const opensAtMs = timeOn(day, start, hours.timezone)
  const closesAtMs = timeOn(day, start + length, hours.timezone)
  return { opensAtMs, closesAtMs: closesAtMs > opensAtMs ? closesAtMs : opensAtMs + length * MINUTE_MS }
}
