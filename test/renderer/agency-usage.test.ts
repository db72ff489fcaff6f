import { afterEach, expect, test } from 'vitest'
import { daysOf } from '../../renderer/rooms/agency/usage.ts'

const zone = process.env['TZ']
afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

test.each([
  ['America/Sao_Paulo', '2026-11-30T01:30:00Z', '2026-11-29'],
  ['Asia/Tokyo', '2026-11-29T22:00:00Z', '2026-11-30'],
  ['America/New_York', '2026-11-02T04:30:00Z', '2026-11-01'],
])('the usage days end today in %s', (name, now, today) => {
  process.env['TZ'] = name
  const days = daysOf(7, Date.parse(now))
  expect(days.at(-1)).toBe(today)
  expect(new Set(days).size).toBe(7)
  expect(days.toSorted()).toEqual(days)
})
