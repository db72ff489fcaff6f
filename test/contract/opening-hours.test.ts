import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hoursAt } from '../../main/contract/opening-hours.ts'

const ALL = [1, 2, 3, 4, 5, 6, 7]
const at = (iso: string) => Date.parse(iso)
const iso = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 16) : 'never')
const hours = (start: string, end: string, timezone = 'UTC', days: readonly number[] = ALL) => ({
  ...{ start, end, timezone, days },
})
type Hours = ReturnType<typeof hours>

/** The openings between two moments, as the answers to one question after another tell them. */
function openings(of: Hours, from: string, until: string): string[] {
  const found: string[] = []
  for (let atMs = at(from); atMs < at(until);) {
    const { isOpen, changesAtMs } = hoursAt(of, atMs)
    if (isOpen) found.push(`${iso(atMs)} ${iso(changesAtMs)}`)
    atMs = changesAtMs
  }
  return found
}

describe('hours past midnight', () => {
  const friday = hours('22:00', '02:00', 'UTC', [5])

  test('belong to the day on which they begin', () => {
    // 2026-03-06 is a Friday.
    expect(openings(friday, '2026-03-05T00:00Z', '2026-03-10T00:00Z')).toEqual(['2026-03-06T22:00 2026-03-07T02:00'])
    expect(hoursAt(friday, at('2026-03-07T01:59Z')).isOpen).toBe(true)
    expect(hoursAt(friday, at('2026-03-06T01:59Z')).isOpen).toBe(false)
    expect(hoursAt(friday, at('2026-03-07T22:30Z')).isOpen).toBe(false)
  })

  test('end by the clock if it changes in between', () => {
    const night = hours('22:00', '04:00', 'Europe/Berlin', [6])
    expect(openings(night, '2026-03-28T12:00Z', '2026-03-30T00:00Z')).toEqual(['2026-03-28T21:00 2026-03-29T02:00'])
    expect(openings(night, '2026-10-24T12:00Z', '2026-10-26T00:00Z')).toEqual(['2026-10-24T20:00 2026-10-25T03:00'])
  })
})

describe('when the clock is set forward', () => {
  test('hours that are skipped completely begin afterwards and keep their length', () => {
    const skipped = hours('02:15', '02:45', 'Europe/Berlin', [7])
    expect(openings(skipped, '2026-03-28T12:00Z', '2026-03-31T00:00Z')).toEqual(['2026-03-29T01:00 2026-03-29T01:30'])
  })

  test('hours that begin in the skipped hour begin at its end, and those that end in it end there', () => {
    const berlin = (start: string, end: string) =>
      openings(hours(start, end, 'Europe/Berlin', [7]), '2026-03-28T12:00Z', '2026-03-30T00:00Z')
    expect(berlin('02:30', '05:00')).toEqual(['2026-03-29T01:00 2026-03-29T03:00'])
    expect(berlin('01:00', '02:30')).toEqual(['2026-03-29T00:00 2026-03-29T01:00'])
  })
})

test('hours that the clock shows twice are open once', () => {
  const twice = hours('02:15', '02:45', 'Europe/Berlin', [7])
  expect(openings(twice, '2026-10-24T12:00Z', '2026-10-27T00:00Z')).toEqual(['2026-10-25T00:15 2026-10-25T00:45'])
})

test('consecutive whole days are one opening, and the whole week never ends', () => {
  expect(openings(hours('00:00', '24:00', 'UTC', [1, 2]), '2026-03-01T00:00Z', '2026-03-08T00:00Z')).toEqual([
    '2026-03-02T00:00 2026-03-04T00:00',
  ])
  expect(hoursAt(hours('00:00', '24:00'), at('2026-03-01T00:00Z'))).toEqual({ isOpen: true, changesAtMs: Infinity })
  expect(hoursAt(hours('07:00', '07:00'), at('2026-03-01T00:00Z')).isOpen).toBe(true)
  expect(hoursAt(null, 0)).toEqual({ isOpen: true, changesAtMs: Infinity })
})

// The rule once more, in words of Intl and without any arithmetic on offsets: what the clocks of the zone show.
const formats = new Map<string, Intl.DateTimeFormat>()
function shown(atMs: number, zone: string): { readonly weekday: number; readonly minutes: number } {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    })
  formats.set(zone, format)
  const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]))
  const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(parts['weekday'] ?? '') + 1
  return { weekday, minutes: Number(parts['hour']) * 60 + Number(parts['minute']) }
}
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
function isOpenByClock({ start, end, timezone, days }: Hours, atMs: number): boolean {
  const { weekday, minutes } = shown(atMs, timezone)
  const [from, until] = [minutesOf(start), minutesOf(end)]
  const yesterday = weekday === 1 ? 7 : weekday - 1
  if (from < until) return days.includes(weekday) && from <= minutes && minutes < until
  return (days.includes(weekday) && minutes >= from) || (days.includes(yesterday) && minutes < until)
}

/** The changes of the clocks of a zone in 2026 and 2027. */
const HOUR_MS = 3_600_000
const changes = new Map<string, number[]>()
function changesOf(zone: string): number[] {
  const known = changes.get(zone)
  if (known !== undefined) return known
  const offset = (ms: number) => (shown(ms, zone).minutes - Math.floor(ms / 60_000) + 1_000_000_080) % 1_440
  const found: number[] = []
  for (let ms = at('2026-01-01T00:00Z'); ms < at('2028-01-01T00:00Z'); ms += 24 * HOUR_MS) {
    if (offset(ms) === offset(ms + 24 * HOUR_MS)) continue
    let quarter = ms
    while (offset(quarter) === offset(ms)) quarter += HOUR_MS / 4
    found.push(quarter)
  }
  changes.set(zone, found)
  return found
}

const ZONES = Intl.supportedValuesOf('timeZone')
const changing = ZONES.filter((zone) => changesOf(zone).length > 0)
/** One for each way in which the clocks change. */
const distinct = [...new Map(changing.map((zone) => [changesOf(zone).join(), zone])).values()]

const time = fc
  .integer({ min: 0, max: 95 })
  .map((n) => `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`)
const anyHours = (zone: fc.Arbitrary<string>) =>
  fc
    .tuple(time, fc.oneof(time, fc.constant('24:00')), zone, fc.subarray(ALL, { minLength: 1 }))
    .filter(([start, end]) => start !== end)
    .map(([start, end, timezone, days]) => hours(start, end, timezone, days))
const anyMoment = fc.integer({ min: at('2026-01-01T00:00Z'), max: at('2028-01-01T00:00Z') })
const byAChange = fc.tuple(fc.nat(), fc.integer({ min: -30 * HOUR_MS, max: 30 * HOUR_MS }))

describe('in every time zone', () => {
  test('the state lasts until it changes, and is another one then', () => {
    fc.assert(
      fc.property(anyHours(fc.constantFrom(...changing)), byAChange, (of, [which, distanceMs]) => {
        const known = changesOf(of.timezone)
        const atMs = (known[which % known.length] ?? 0) + distanceMs
        const { isOpen, changesAtMs } = hoursAt(of, atMs)
        if (changesAtMs === Infinity) {
          expect(isOpen).toBe(true)
          return
        }
        expect(changesAtMs).toBeGreaterThan(atMs)
        expect(hoursAt(of, changesAtMs).isOpen).toBe(!isOpen)
        expect(hoursAt(of, changesAtMs - 1)).toEqual({ isOpen, changesAtMs })
        expect(hoursAt(of, Math.floor((atMs + changesAtMs) / 2))).toEqual({ isOpen, changesAtMs })
      }),
      { numRuns: 3_000 },
    )
  })

  test('it is open by the local clocks, except within a day of a clock change', () => {
    fc.assert(
      fc.property(anyHours(fc.constantFrom(...ZONES)), anyMoment, (of, atMs) => {
        fc.pre(changesOf(of.timezone).every((change) => Math.abs(change - atMs) > 26 * HOUR_MS))
        expect(hoursAt(of, atMs).isOpen).toBe(isOpenByClock(of, atMs))
      }),
      { numRuns: 3_000 },
    )
  })

  test('every listed day of two years has its hours, whatever the clocks do', () => {
    for (const zone of distinct) {
      for (const change of changesOf(zone)) {
        for (const [start, end] of [
          ['00:15', '00:45'],
          ['01:15', '01:45'],
          ['02:10', '02:20'],
          ['23:30', '00:30'],
        ] as const) {
          const found = openings(
            hours(start, end, zone),
            iso(change - 72 * HOUR_MS) + 'Z',
            iso(change + 72 * HOUR_MS) + 'Z',
          )
          const starts = found.map((opening) => at(`${opening.slice(0, 16)}Z`))
          const label = `${zone} ${start} ${iso(change)}`
          expect(starts.length, label).toBeGreaterThanOrEqual(5)
          for (const [index, startMs] of starts.slice(1).entries()) {
            const apartMs = startMs - (starts[index] ?? 0)
            expect(apartMs, label).toBeGreaterThanOrEqual(21 * HOUR_MS)
            expect(apartMs, label).toBeLessThanOrEqual(27 * HOUR_MS)
          }
        }
      }
    }
  })
})
