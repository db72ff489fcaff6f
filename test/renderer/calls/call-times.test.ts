import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { paceCalls as serviceTimes } from '../../../main/capabilities/voice/pacing.ts'
import { dayKey, paceCalls } from '../../../renderer/rooms/calls/call-times.ts'

const hours = (timezone: string, start: string, end: string, days = [1, 2, 3, 4, 5, 6, 7]) => ({
  ...{ timezone, start, end, days },
})
const at = (text: string) => Date.parse(text)
const iso = (times: readonly number[] | undefined) => times?.map((ms) => new Date(ms).toISOString())

describe('when the calls of a batch are made', () => {
  test('without hours, calls are the interval apart', () => {
    const times = paceCalls({ startMs: at('2026-03-02T12:00:00Z'), count: 3, intervalMs: 30_000 }, null)
    expect(iso(times)).toEqual(['2026-03-02T12:00:00.000Z', '2026-03-02T12:00:30.000Z', '2026-03-02T12:01:00.000Z'])
  })

  test('moves calls after closing to the next opening, across a weekend', () => {
    const office = hours('America/Sao_Paulo', '09:00', '18:00', [1, 2, 3, 4, 5])
    const times = paceCalls({ startMs: at('2026-03-06T20:30:00Z'), count: 4, intervalMs: 20 * 60_000 }, office)
    expect(iso(times)).toEqual([
      '2026-03-06T20:30:00.000Z',
      '2026-03-06T20:50:00.000Z',
      '2026-03-09T12:00:00.000Z',
      '2026-03-09T12:20:00.000Z',
    ])
  })

  test('the start of summer time shifts the opening by an hour in UTC', () => {
    const office = hours('America/New_York', '09:00', '10:00')
    const times = paceCalls({ startMs: at('2026-03-07T14:30:00Z'), count: 3, intervalMs: 3_600_000 }, office)
    expect(iso(times)).toEqual(['2026-03-07T14:30:00.000Z', '2026-03-08T13:00:00.000Z', '2026-03-09T13:00:00.000Z'])
  })

  test('hours skipped by summer time begin when it starts', () => {
    const skipped = hours('America/New_York', '02:00', '02:30', [7])
    const request = { startMs: at('2026-03-08T05:00:00Z'), count: 2, intervalMs: 3_600_000 }
    expect(iso(paceCalls(request, skipped))).toEqual(['2026-03-08T07:00:00.000Z', '2026-03-15T06:00:00.000Z'])
    expect(paceCalls(request, skipped)).toEqual(serviceTimes(request, skipped))
  })

  test('hours that never begin have no times', () => {
    expect(paceCalls({ startMs: 0, count: 1, intervalMs: 0 }, hours('UTC', '09:00', '10:00', []))).toBeUndefined()
  })

  test('equal the times of the service in every zone and through every clock change', () => {
    const zones = [
      'UTC',
      'America/New_York',
      'America/Sao_Paulo',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Asia/Beirut',
    ]
    const zone = fc.constantFrom(...zones, 'Asia/Kathmandu', 'Pacific/Apia', 'America/Santiago')
    const minutes = fc.integer({ min: 0, max: 1_439 })
    const text = (n: number) => `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`
    const startMs = fc.date({ min: new Date('2024-01-01'), max: new Date('2028-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(
        ...[startMs, zone, minutes, minutes, fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 })],
        ...[fc.integer({ min: 0, max: 86_400 }), fc.integer({ min: 1, max: 40 }), fc.boolean()],
        (start, timezone, one, other, days, seconds, count, toMidnight) => {
          if (one === other) return
          const open = { timezone, days, start: text(one), end: toMidnight ? '24:00' : text(other) }
          const request = { startMs: start.getTime(), count, intervalMs: seconds * 1_000 }
          expect(paceCalls(request, open)).toEqual(serviceTimes(request, open))
        },
      ),
      { numRuns: 200 },
    )
  })
})

test('a day is a day of the time zone', () => {
  expect(dayKey(at('2026-03-02T02:00:00Z'), 'America/Sao_Paulo')).toBe('2026-03-01')
  expect(dayKey(at('2026-03-02T02:00:00Z'), 'Asia/Tokyo')).toBe('2026-03-02')
})
