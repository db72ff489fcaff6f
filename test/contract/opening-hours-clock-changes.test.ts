import fc from 'fast-check'
import { DateTime } from 'luxon'
import { describe, expect, test } from 'vitest'
import { afterQuietMs, nextOpenMs } from '../../main/capabilities/ai/hours.ts'
import { firstOpenMs, hoursAt } from '../../main/contract/opening-hours.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const ALL = [1, 2, 3, 4, 5, 6, 7]
const at = (iso: string) => Date.parse(iso)
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)

const ORDINARY_DAY = '2026-03-01'
/** Zones and the days, in UTC, on which their clocks change; an ordinary day in those where they do not. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-29', '2026-10-25'],
  ['America/New_York', '2026-03-08', '2026-11-01'],
  ['America/Sao_Paulo', '2018-11-04', '2019-02-17', ORDINARY_DAY],
  ['Australia/Lord_Howe', '2026-04-04', '2026-10-03'],
  ['Africa/Casablanca', '2026-02-15', '2026-03-22'],
  ['Asia/Kathmandu', ORDINARY_DAY],
  ['Pacific/Apia', '2011-12-30', '2021-04-03', ORDINARY_DAY],
  ['Pacific/Kiritimati', ORDINARY_DAY],
  ['America/Santiago', '2026-04-05', '2026-09-06'],
  ['Asia/Beirut', '2026-03-29', '2026-10-25'],
] as const
const PLACES = CHANGES.flatMap(([zone, ...days]) => days.map((day) => ({ zone, day })))

interface Window {
  readonly start: string
  readonly end: string
  readonly days: readonly number[]
}
interface Walk {
  readonly zone: string
  readonly fromMs: number
  /** What the clocks show in each minute, as text of which the order is that of time. */
  readonly shown: readonly string[]
}

const walks = new Map<string, Walk>()
/** Every minute of the nine days around a change. */
function walkOver({ zone, day }: (typeof PLACES)[number]): Walk {
  const known = walks.get(zone + day)
  if (known !== undefined) return known
  const fromMs = at(`${day}T00:00Z`) - 4 * DAY_MS
  const shown = Array.from({ length: 9 * 1_440 }, (_, minute) =>
    DateTime.fromMillis(fromMs + minute * MINUTE_MS, { zone }).toFormat("yyyy-MM-dd'T'HH:mm"),
  )
  const walk = { zone, fromMs, shown }
  walks.set(zone + day, walk)
  return walk
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/**
 * The minutes in which a window is open: on each of its days from the first minute that shows its start or a later time
 * until the first that shows its end or a later one. One that is skipped as a whole keeps its length.
 */
function openMinutes({ shown }: Walk, { start, end, days }: Window): boolean[] {
  const open = shown.map(() => false)
  const first = DateTime.fromISO(shown[0] ?? '', { zone: 'UTC' }).startOf('day')
  for (let ahead = -1; ahead < 10; ahead++) {
    const day = first.plus({ days: ahead })
    if (!days.includes(day.weekday)) continue
    const text = (date: DateTime, time: string) => `${date.toISODate()}T${time}`
    const isOvernight = minutesOf(end) <= minutesOf(start)
    const until = text(isOvernight ? day.plus({ days: 1 }) : day, end)
    const length = minutesOf(end) - minutesOf(start) + (isOvernight ? 1_440 : 0)
    const opens = indexOf(shown, text(day, start))
    const closes = indexOf(shown, until)
    open.fill(true, opens, closes > opens || opens === shown.length ? closes : opens + length)
  }
  return open
}

/** The first minute that shows this time or a later one; `24:00` sorts after every time of its day. */
function indexOf(shown: readonly string[], text: string): number {
  const found = shown.findIndex((each) => each >= text)
  return found === -1 ? shown.length : found
}

/** Windows at the edges of the hours that are skipped and shown twice in these zones, and over midnight. */
const EDGES: readonly (readonly [string, string])[] = [
  ['02:00', '03:00'],
  ['02:15', '02:45'],
  ['01:30', '02:30'],
  ['02:30', '05:00'],
  ['01:45', '02:15'],
  ['00:00', '01:00'],
  ['00:00', '24:00'],
  ['00:30', '08:00'],
  ['23:00', '24:00'],
  ['23:30', '00:30'],
  ['22:00', '02:30'],
  ['22:00', '00:00'],
  ['20:00', '08:00'],
  ['09:00', '18:00'],
]

const clock = fc
  .integer({ min: 0, max: 1_439 })
  .map((n) => `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`)
const times = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.tuple(clock, fc.oneof(clock, fc.constant('24:00'))).filter(([start, end]) => start !== end),
)
const someWindow = fc
  .tuple(times, fc.oneof(fc.constant(ALL), fc.subarray(ALL, { minLength: 1 })))
  .map(([[start, end], days]): Window => ({ start, end, days }))

/** The first and last two days of a walk are left out, because windows that reach beyond it are cut off there. */
const [FIRST, LAST] = [2 * 1_440, 7 * 1_440]
const label = (walk: Walk, { start, end, days }: Window, minute: number) =>
  `${walk.zone} ${start}-${end} on ${days.join('')} at ${iso(walk.fromMs + minute * MINUTE_MS)}`

/** @param isOpen of each minute @returns the first open one from this one on; undefined: none within the walk */
function firstOpen(isOpen: readonly boolean[], from: number): number | undefined {
  const found = isOpen.indexOf(true, from)
  return found === -1 || found >= LAST ? undefined : found
}

function expectAsWalked(walk: Walk, window: Window, minute: number): void {
  const { zone, fromMs } = walk
  const atMs = fromMs + minute * MINUTE_MS + 17_000
  const open = openMinutes(walk, window)
  const name = label(walk, window, minute)
  expect(hoursAt({ ...window, timezone: zone }, atMs).isOpen, name).toBe(open[minute])
  const next = firstOpen(open, minute)
  if (next === undefined) return
  const nextMs = next === minute ? atMs : fromMs + next * MINUTE_MS
  expect(iso(firstOpenMs({ ...window, timezone: zone }, atMs)), name).toBe(iso(nextMs))
  expect(nextOpenMs({ ...window, days: [...window.days] }, zone, atMs), name).toBe(nextMs)
}

test('the clocks change in each walk, except on the ordinary days', () => {
  for (const place of PLACES) {
    const { zone, shown } = walkOver(place)
    const passedMs = at(`${shown.at(-1)}Z`) - at(`${shown[0]}Z`)
    const isEven = passedMs === (shown.length - 1) * MINUTE_MS
    expect(isEven, `${zone} ${place.day}`).toBe(place.day === ORDINARY_DAY)
  }
})

describe('around every change of the clocks, minute by minute', () => {
  test.each(PLACES)('in $zone on $day the edges of the changed hour hold', (place) => {
    const walk = walkOver(place)
    for (const [start, end] of EDGES)
      for (const days of [ALL, [6], [7], [1, 2, 3, 4, 5]]) {
        const window = { start, end, days }
        const open = openMinutes(walk, window)
        const hours = { ...window, timezone: walk.zone }
        for (let minute = FIRST; minute < LAST;) {
          const name = label(walk, window, minute)
          const { isOpen, changesAtMs } = hoursAt(hours, walk.fromMs + minute * MINUTE_MS)
          expect(isOpen, name).toBe(open[minute])
          const change = open.indexOf(!isOpen, minute)
          if (change === -1 || change >= LAST) break
          expect(iso(changesAtMs), name).toBe(iso(walk.fromMs + change * MINUTE_MS))
          minute = change
        }
      }
  })

  test('any window is open, and opens next, as the walk says', () => {
    const minutes = fc.integer({ min: FIRST, max: LAST - 1 })
    fc.assert(
      fc.property(fc.constantFrom(...PLACES), someWindow, minutes, (place, window, minute) =>
        expectAsWalked(walkOver(place), window, minute),
      ),
      { numRuns: 600 },
    )
  })

  test('a follow-up waits until the first minute after the quiet hours', () => {
    const minutes = fc.integer({ min: FIRST, max: LAST - 1 })
    fc.assert(
      fc.property(fc.constantFrom(...PLACES), times, minutes, (place, [start, end], minute) => {
        fc.pre(end !== '24:00')
        const walk = walkOver(place)
        const quiet = openMinutes(walk, { start, end, days: ALL })
        const until = quiet.indexOf(false, minute)
        fc.pre(until !== -1 && until < LAST)
        const atMs = walk.fromMs + minute * MINUTE_MS + 17_000
        const expected = until === minute ? atMs : walk.fromMs + until * MINUTE_MS
        const name = label(walk, { start, end, days: ALL }, minute)
        expect(afterQuietMs({ start, end }, walk.zone, atMs), name).toBe(expected)
      }),
      { numRuns: 600 },
    )
  })
})
