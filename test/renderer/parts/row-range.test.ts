import { expect, test } from 'vitest'
import { widenRange } from '../../../renderer/parts/row-range.ts'

test('renders the same number of rows at every position', () => {
  const size = 7
  for (let first = 0; first < 95; first++) {
    const sight = widenRange({ first, last: first + 4 }, { size, count: 100 })
    expect(sight.last - sight.first + 1).toBe(size)
    expect(sight.first).toBeLessThanOrEqual(first)
    expect(sight.last).toBeGreaterThanOrEqual(first + 4)
    const places = Array.from({ length: size }, (_, n) => (sight.first + n) % size)
    expect(new Set(places).size).toBe(size)
  }
})

test.each([
  [3, { first: 0, last: 2 }],
  [0, { first: 0, last: -1 }],
])('renders a list of %i completely', (count, whole) => {
  expect(widenRange({ first: 0, last: count - 1 }, { size: 7, count })).toEqual(whole)
})
