import { describe, expect, test } from 'vitest'
import { earliestOfBatch, paceCalls } from '../../../main/capabilities/voice/pacing.ts'

const iso = (times: number[]) => times.map((at) => new Date(at).toISOString())

describe('calls of a batch', () => {
  test('keep their interval within the hours and continue at the next opening, across a change of the clock', () => {
    // Germany goes to summer time on Sunday, 2026-03-29: 09:00 is 08:00 UTC on Saturday and 07:00 UTC from Sunday on.
    const hours = { start: '09:00', end: '12:00', timezone: 'Europe/Berlin', days: [1, 2, 3, 4, 5, 6, 7] }
    const startMs = Date.parse('2026-03-28T10:00:00.000Z')
    const times = paceCalls({ startMs, count: 500, intervalMs: 60_000 }, hours)
    expect(times).toHaveLength(500)
    // 60 minutes are left of the first day, then 180 a day.
    expect(
      iso([times[0] ?? 0, times[59] ?? 0, times[60] ?? 0, times[239] ?? 0, times[240] ?? 0, times[499] ?? 0]),
    ).toEqual([
      '2026-03-28T10:00:00.000Z',
      '2026-03-28T10:59:00.000Z',
      '2026-03-29T07:00:00.000Z',
      '2026-03-29T09:59:00.000Z',
      '2026-03-30T07:00:00.000Z',
      '2026-03-31T08:19:00.000Z',
    ])
    for (const [i, at] of times.entries()) if (i > 0) expect(at - (times[i - 1] ?? 0)).toBeGreaterThanOrEqual(60_000)
  })

  test('are simultaneous without an interval, and only spaced without hours', () => {
    expect(paceCalls({ startMs: 7, count: 3, intervalMs: 0 }, null)).toEqual([7, 7, 7])
    expect(paceCalls({ startMs: 0, count: 3, intervalMs: 5 }, null)).toEqual([0, 5, 10])
  })
})

test('late calls of a batch are spread again, also when the clock was set back', () => {
  const intervalMs = 30_000
  const [now, startedAgo] = [1_000_000, 10_000]
  const pace = (ahead: number, lastStartMs: number | null = now - startedAgo) =>
    earliestOfBatch({ lastStartMs, ahead, intervalMs }, now)
  expect([pace(0), pace(1), pace(2)]).toEqual([now + 20_000, now + 50_000, now + 80_000])
  expect([pace(0, now - 3_600_000), pace(1, now - 3_600_000)]).toEqual([now, now + 30_000])
  expect([pace(0, null), pace(3, null)]).toEqual([now, now + 90_000])
})
