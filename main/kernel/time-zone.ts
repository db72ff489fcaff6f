import { ApiError } from '../contract/errors.ts'

/** From `startMs` until before `endMs`. */
export interface Span {
  readonly startMs: number
  readonly endMs: number
}

const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export interface Day extends Span {
  /** `2026-03-01`: the order of these texts is the order of the days. */
  readonly date: string
}

const formats = new Map<string, Intl.DateTimeFormat>()
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

/** Midnight in UTC of the date that the zone has at a moment: a day later is this and 24 hours, always. */
export function calendarDay(atMs: number, zone: string): number {
  const wallMs = wallClockMs(atMs, zone)
  return wallMs - (wallMs % DAY_MS)
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

/**
 * The first moment at which the clocks of the zone show this time or a later one. So a time that they show twice is the
 * first of both, and one that they skip is the moment of the change.
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
const offsetMs = (atMs: number, zone: string): number => wallClockMs(atMs, zone) - atMs

/** What the clocks of the zone show at a moment, as the milliseconds of the same time in UTC. */
function wallClockMs(atMs: number, zone: string): number {
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
