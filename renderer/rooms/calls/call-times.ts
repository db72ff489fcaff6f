import { hoursAt } from '../../../main/contract/opening-hours.ts'
import type { CallingHours } from '../../../main/contract/voice.ts'
import { calendarDay } from '../../../main/contract/zone-time.ts'

/**
 * Times of a batch's calls, as the service will calculate them, for a preview while typing. Times follow the clocks
 * in the zone of the calling hours, also on days of 23 and 25 hours.
 */

/** The time of each call: at the interval, and only within the hours. undefined: the hours never begin. */
export function paceCalls(
  { startMs, count, intervalMs }: { startMs: number; count: number; intervalMs: number },
  hours: CallingHours | null,
): number[] | undefined {
  const times: number[] = []
  let closesAtMs = -Infinity
  for (let wishedMs = startMs; times.length < count; wishedMs = (times.at(-1) ?? 0) + intervalMs) {
    let atMs = wishedMs
    if (wishedMs >= closesAtMs) {
      const { isOpen, changesAtMs } = hoursAt(hours, wishedMs)
      if (!isOpen) atMs = changesAtMs
      if (atMs === Infinity) return undefined
      closesAtMs = isOpen ? changesAtMs : hoursAt(hours, atMs).changesAtMs
    }
    times.push(atMs)
  }
  return times
}

/** `2026-03-01`, the zone's date at a moment. */
export const dayKey = (atMs: number, zone: string): string =>
  new Date(calendarDay(atMs, zone)).toISOString().slice(0, 10)
