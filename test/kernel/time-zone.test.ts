import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dayOf,
  daysBetween,
  hourOf,
  readTimeZone,
  requireTimeZone,
  shiftDate,
  type Span,
} from '../../main/kernel/time-zone.ts'
import { timeOn } from '../../main/contract/zone-time.ts'

const at = (iso: string) => Date.parse(iso)
const words = ({ startMs, endMs }: Span) => [startMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 16))

describe('a day', () => {
  test.each([
    ['UTC', '2026-03-01T23:59:59.999Z', '2026-03-01T00:00', '2026-03-02T00:00'],
    ['America/Sao_Paulo', '2026-03-01T02:59:59.999Z', '2026-02-28T03:00', '2026-03-01T03:00'],
    ['America/Sao_Paulo', '2026-03-01T03:00:00Z', '2026-03-01T03:00', '2026-03-02T03:00'],
    // The clocks went from midnight to one: the day began at one and had 23 hours.
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00', '2018-11-05T02:00'],
    // And from midnight back to eleven: the Saturday had 25 hours.
    ['America/Sao_Paulo', '2019-02-17T02:30:00Z', '2019-02-16T02:00', '2019-02-17T03:00'],
    ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00', '2026-03-29T22:00'],
    ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-24T22:00', '2026-10-25T23:00'],
    ['Asia/Kathmandu', '2026-03-01T18:14:59Z', '2026-02-28T18:15', '2026-03-01T18:15'],
    ['Pacific/Apia', '2011-12-31T09:00:00Z', '2011-12-30T10:00', '2011-12-31T10:00'],
  ])('in %s at %s is from %s to %s', (zone, moment, start, end) => {
    expect(words(dayOf(at(moment), zone))).toEqual([start, end])
  })

  test('begins where the previous day ends, in every zone', () => {
    const zones = ['America/Sao_Paulo', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/St_Johns']
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: at('2000-01-01T00:00Z'), max: at('2037-01-01T00:00Z') }),
        (zone, ms) => {
          const day = dayOf(ms, zone)
          expect(day.startMs <= ms && ms < day.endMs).toBe(true)
          expect(dayOf(day.endMs, zone).startMs).toBe(day.endMs)
          expect(dayOf(day.startMs - 1, zone).endMs).toBe(day.startMs)
          const date = (moment: number) => new Date(moment).toLocaleDateString('en', { timeZone: zone })
          expect([date(day.startMs), date(day.endMs - 1)]).toEqual([date(ms), date(ms)])
        },
      ),
      { numRuns: 60 },
    )
  })
})

test.each([
  ['UTC', '2026-03-01T10:59:59Z', '2026-03-01T10:00', '2026-03-01T11:00'],
  ['Asia/Kolkata', '2026-03-01T10:29:00Z', '2026-03-01T09:30', '2026-03-01T10:30'],
  ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25T01:00', '2026-10-25T02:00'],
])('an hour in %s at %s is from %s to %s', (zone, moment, start, end) => {
  expect(words(hourOf(at(moment), zone))).toEqual([start, end])
})

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['UTC', 'UTC'],
  ['Etc/UTC', 'UTC'],
  ['America/Buenos_Aires', readTimeZone('America/Argentina/Buenos_Aires')],
  ['Asia/Calcutta', readTimeZone('Asia/Kolkata')],
  ['Mars/Olympus', undefined],
  ['+03:00', undefined],
  ['local', undefined],
  ['', undefined],
])('%j is parsed as the time zone %j', (name, expected) => expect(readTimeZone(name)).toBe(expected))

test('every zone that Intl lists is known, and keeps its name after it is parsed', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const read = readTimeZone(zone) ?? 'unknown'
    expect(readTimeZone(read), zone).toBe(read)
  }
})

test('an unknown zone is refused with the name of the field', () => {
  expect(() => requireTimeZone('Mars/Olympus', 'window.timezone')).toThrow(
    expect.objectContaining({ code: 'validation_error', message: expect.stringContaining('window.timezone') }),
  )
})

describe('a time of a day', () => {
  const time = (date: string, minutes: number, zone: string) =>
    new Date(timeOn(Date.parse(`${date}T00:00:00Z`), minutes, zone)).toISOString().slice(0, 16)

  test.each([
    ['as the clocks show it', '2026-07-01', 9 * 60, 'Europe/Berlin', '2026-07-01T07:00'],
    ['skipped: the moment of the change', '2026-03-29', 2 * 60 + 30, 'Europe/Berlin', '2026-03-29T01:00'],
    ['shown twice: the first one', '2026-10-25', 2 * 60 + 30, 'Europe/Berlin', '2026-10-25T00:30'],
    ['after the repeated hour', '2026-10-25', 3 * 60, 'Europe/Berlin', '2026-10-25T02:00'],
    ['a midnight that is skipped', '2026-04-24', 0, 'Africa/Cairo', '2026-04-23T22:00'],
    ['on the next day', '2026-03-28', 26 * 60, 'Europe/Berlin', '2026-03-29T01:00'],
    ['skipped by half an hour', '2026-10-04', 2 * 60 + 15, 'Australia/Lord_Howe', '2026-10-03T15:30'],
  ])('%s', (_name, date, minutes, zone, expected) => expect(time(date, minutes, zone)).toBe(expected))
})

test('days across a clock change are counted by the calendar', () => {
  const zone = 'Europe/Berlin'
  expect(daysBetween(at('2026-03-28T23:30Z'), at('2026-03-29T22:30Z'), zone)).toBe(1)
  expect(daysBetween(at('2026-10-24T22:30Z'), at('2026-10-25T22:30Z'), zone)).toBe(0)
  expect(shiftDate('2026-03-01', -1)).toBe('2026-02-28')
  expect(shiftDate('2026-12-31', 1)).toBe('2027-01-01')
})
