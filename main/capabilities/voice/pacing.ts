import type { CallingHours } from '../../contract/voice.ts'
import { hoursAt } from '../../contract/opening-hours.ts'

/** The first time at or after this one within the calling hours; null: none. */
export function nextCallTime(hours: CallingHours | null, atMs: number): number | null {
  const { isOpen, changesAtMs } = hoursAt(hours, atMs)
  if (isOpen) return atMs
  return Number.isFinite(changesAtMs) ? changesAtMs : null
}

/** The times of many calls: at the given interval, and only within the hours. */
export function paceCalls(
  { startMs, count, intervalMs }: { startMs: number; count: number; intervalMs: number },
  hours: CallingHours | null,
): number[] {
  const times: number[] = []
  for (let wishedMs = startMs; times.length < count;) {
    const atMs = nextCallTime(hours, wishedMs)
    if (atMs === null) throw new RangeError('These hours never begin.')
    times.push(atMs)
    wishedMs = atMs + intervalMs
  }
  return times
}

/**
 * When a call of a batch may start. Late calls, for example after a restart, are spread out again.
 * @param pace when the batch last started a call, and how many of its calls come before this one.
 */
export function earliestOfBatch(
  { lastStartMs, ahead, intervalMs }: { lastStartMs: number | null; ahead: number; intervalMs: number },
  nowMs: number,
): number {
  const nextMs = lastStartMs === null ? nowMs : Math.max(nowMs, lastStartMs + intervalMs)
  return nextMs + ahead * intervalMs
}
