import { hoursAt } from '../../../main/contract/opening-hours.ts'
import type { CallingHours } from '../../../main/contract/voice.ts'
import { calendarDay } from '../../../main/contract/zone-time.ts'

/**
 * When the calls of a batch will be made, as the service will decide it: a preview has to be there while somebody types.
 * Times are those of the clocks in the zone of the calling hours, on days of 23 and 25 hours too.
 */

/** When each call is made: the interval apart, and only within the hours. undefined: the hours never begin. */
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

/** `2026-03-01`, the day that a zone has at a moment. */
export const dayKey = (atMs: number, zone: string): string =>
  new Date(calendarDay(atMs, zone)).toISOString().slice(0, 10)
