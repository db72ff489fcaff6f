import type { BusinessHours, QuietHours } from '../../contract/ai-settings.ts'
import { firstOpenMs, hoursAt, type OpeningHours } from '../../contract/opening-hours.ts'

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]

/** When the agent may answer: now, or at the next opening. */
export function nextOpenMs(hours: BusinessHours | null, timezone: string, atMs: number): number {
  return firstOpenMs(hours && { ...hours, timezone }, atMs)
}

/** When a follow-up may be sent: now, or at the end of the quiet hours. */
export function afterQuietMs(quiet: QuietHours | null, timezone: string, atMs: number): number {
  if (quiet === null || quiet.start === quiet.end) return atMs
  const hours: OpeningHours = { ...quiet, timezone, days: EVERY_DAY }
  const { isOpen, changesAtMs } = hoursAt(hours, atMs)
  return isOpen ? changesAtMs : atMs
}
