import { DateTime } from 'luxon'
import type { BusinessHours, QuietHours } from '../../contract/ai.ts'

const DAYS_AHEAD = 9

/** When the agent may answer: now, or at the next opening. Times are those of the clocks in the zone. */
export function nextOpenMs(hours: BusinessHours | null, timezone: string, atMs: number): number {
  if (hours === null) return atMs
  const today = DateTime.fromMillis(atMs, { zone: timezone }).startOf('day')
  // Yesterday's hours may last into today.
  for (let ahead = -1; ahead < DAYS_AHEAD; ahead++) {
    const day = today.plus({ days: ahead })
    if (!hours.days.includes(day.weekday)) continue
    const opensAtMs = timeOn(day, hours.start)
    const sameDayMs = timeOn(day, hours.end)
    const closesAtMs = sameDayMs > opensAtMs ? sameDayMs : timeOn(day.plus({ days: 1 }), hours.end)
    if (closesAtMs > atMs) return Math.max(opensAtMs, atMs)
  }
  return atMs + 86_400_000
}

/** When a follow-up may be sent: now, or at the end of the quiet hours. */
export function afterQuietMs(quiet: QuietHours | null, timezone: string, atMs: number): number {
  if (quiet === null || quiet.start === quiet.end) return atMs
  const today = DateTime.fromMillis(atMs, { zone: timezone }).startOf('day')
  for (const ahead of [-1, 0]) {
    const day = today.plus({ days: ahead })
    const startMs = timeOn(day, quiet.start)
    const sameDayMs = timeOn(day, quiet.end)
    const endMs = sameDayMs > startMs ? sameDayMs : timeOn(day.plus({ days: 1 }), quiet.end)
    if (startMs <= atMs && atMs < endMs) return endMs
  }
  return atMs
}

/** `2026-03-01`, in the zone. */
export const dayNameAt = (atMs: number, timezone: string): string =>
  DateTime.fromMillis(atMs, { zone: timezone }).toISODate() ?? ''

/** The first of so many days, today included. */
export const dayNameBefore = (atMs: number, timezone: string, days: number): string =>
  DateTime.fromMillis(atMs, { zone: timezone })
    .minus({ days: days - 1 })
    .toISODate() ?? ''

/** A time that the clock skips is an hour later. */
function timeOn(day: DateTime, time: string): number {
  if (time === '24:00') return day.plus({ days: 1 }).startOf('day').toMillis()
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return day.set({ hour, minute }).toMillis()
}
