import { ApiError } from '../contract/errors.ts'
import { calendarDay, timeOn, wallClockMs } from '../contract/zone-time.ts'

/** From `startMs` until before `endMs`. */
export interface Span {
  readonly startMs: number
  readonly endMs: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export interface Day extends Span {
  /** `2026-03-01`: the order of these texts is the order of the days. */
  readonly date: string
}

const known = new Map<string, Day>()

/**
 * The name that is stored and answered for a time zone: the same for all of its aliases, such as `Asia/Calcutta`, and
 * whatever their case.
 * @returns undefined if Intl does not know the name. An offset such as `+03:00` is no zone, because it has no summer time.
 */
export function readTimeZone(name: string): string | undefined {
  if (!/^[a-z]/i.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/**
 * The same, for a setting.
 * @param field its name in the request
 * @throws ApiError validation_error
 */
export function requireTimeZone(name: string, field: string): string {
  const zone = readTimeZone(name)
  if (zone !== undefined) return zone
  throw new ApiError(
    'validation_error',
    `${field} must be an IANA time zone, such as America/Sao_Paulo. ${JSON.stringify(name)} is unknown.`,
  ).because('timezone_unknown', { field })
}

/** The calendar day of a moment: 23, 24 or 25 hours. */
export function dayOf(atMs: number, zone: string): Day {
  const last = known.get(zone)
  if (last && atMs >= last.startMs && atMs < last.endMs) return last
  const dayMs = calendarDay(atMs, zone)
  const day = { date: dateText(dayMs), startMs: timeOn(dayMs, 0, zone), endMs: timeOn(dayMs, 24 * 60, zone) }
  known.set(zone, day)
  return day
}

/** The hour of a moment as the clocks of the zone show it; the one that is repeated in autumn is two. */
export function hourOf(atMs: number, zone: string): Span {
  const startMs = atMs - (wallClockMs(atMs, zone) % HOUR_MS)
  return { startMs, endMs: startMs + HOUR_MS }
}

/** @param calendarDayMs of `calendarDay` */
const dateText = (calendarDayMs: number): string => new Date(calendarDayMs).toISOString().slice(0, 10)

/** Midnights between two moments, in the zone. */
export const daysBetween = (fromMs: number, toMs: number, zone: string): number =>
  (calendarDay(toMs, zone) - calendarDay(fromMs, zone)) / DAY_MS

/** A date this many days earlier or later. */
export const shiftDate = (date: string, days: number): string =>
  dateText(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS)

/** When a date begins. @param date `2026-03-01` */
export const startOfDate = (date: string, zone: string): number => timeOn(Date.parse(`${date}T00:00:00Z`), 0, zone)
