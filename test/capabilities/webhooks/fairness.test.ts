import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextWindow, shareSlots, splitLanes, type QueueLoad } from '../../../main/capabilities/webhooks/fairness.ts'

const seat = (limit: number, inFlight = 0, isWaiting = true): QueueLoad => ({ limit, inFlight, isWaiting })
const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0)

test('one webhook gets its limit and no more', () => {
  expect(shareSlots([seat(8)], 256, 0)).toEqual([8])
  expect(shareSlots([seat(8, 5)], 256, 0)).toEqual([3])
  expect(shareSlots([seat(8, 9)], 256, 0)).toEqual([0])
  expect(shareSlots([seat(8, 0, false)], 256, 0)).toEqual([0])
  expect(shareSlots([], 256, 0)).toEqual([])
})

test('ten webhooks are each guaranteed 25, also against nine that want 64', () => {
  const nine = Array.from({ length: 9 }, () => seat(64))
  const first = shareSlots([...nine, seat(64, 0, false)], 256, 0)
  expect(sum(first)).toBe(231)
  const busy = first.slice(0, 9).map((inFlight) => seat(64, inFlight))
  expect(shareSlots([...busy, seat(64)], 256, 0).at(-1)).toBe(25)
})

test('slots that are not guaranteed to anybody are lent one at a time, starting with another webhook each time', () => {
  const seats = [seat(64), seat(64), seat(64)]
  expect(shareSlots(seats, 256, 0, 10)).toEqual([4, 3, 3])
  expect(shareSlots(seats, 256, 1, 10)).toEqual([3, 4, 3])
})

test('a webhook with a small limit leaves its guarantee to the others', () => {
  expect(shareSlots([seat(1), seat(64)], 256, 0, 20)).toEqual([1, 19])
})

test('with more webhooks than slots, each turn serves others', () => {
  const seats = Array.from({ length: 6 }, () => seat(8))
  expect(shareSlots(seats, 256, 0, 4)).toEqual([1, 1, 1, 1, 0, 0])
  expect(shareSlots(seats, 256, 4, 4)).toEqual([1, 1, 0, 0, 1, 1])
})

test('nobody exceeds a limit, the total never exceeds cap or budget, and a guaranteed slot is always available', () => {
  const seats = fc.array(
    fc.record({
      limit: fc.integer({ min: 1, max: 64 }),
      inFlight: fc.integer({ min: 0, max: 20 }),
      isWaiting: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  fc.assert(
    fc.property(seats, fc.integer({ min: 1, max: 64 }), fc.nat(100), (all, most, turn) => {
      const fitting = all.map((one) => ({
        ...one,
        inFlight: Math.min(one.inFlight, one.limit, Math.floor(256 / all.length)),
      }))
      const given = shareSlots(fitting, most, turn % all.length)
      const busy = sum(fitting.map((one) => one.inFlight))
      expect(sum(given)).toBeLessThanOrEqual(Math.min(most, 256 - busy))
      for (const [i, slots] of given.entries()) {
        const one = fitting[i]
        if (!one) throw new Error('unreachable')
        expect(slots).toBeGreaterThanOrEqual(0)
        expect(one.inFlight + slots).toBeLessThanOrEqual(Math.max(one.limit, one.inFlight))
        if (!one.isWaiting) expect(slots).toBe(0)
      }
      const unlimited = shareSlots(fitting, 256, turn % all.length)
      for (const [i, one] of fitting.entries()) {
        const guaranteed = Math.min(Math.floor(256 / all.length), one.limit)
        if (one.isWaiting) expect(one.inFlight + (unlimited[i] ?? 0)).toBeGreaterThanOrEqual(guaranteed)
      }
    }),
    { numRuns: 500, seed: 1 },
  )
})

test.each([
  { slots: 8, fresh: 100, retry: 100, expected: { fresh: 4, retry: 4 }, why: 'half each when both wait' },
  { slots: 7, fresh: 100, retry: 100, expected: { fresh: 3, retry: 4 }, why: 'the odd one goes to the retries' },
  { slots: 8, fresh: 0, retry: 100, expected: { fresh: 0, retry: 8 }, why: 'all to retries when nothing is fresh' },
  { slots: 8, fresh: 100, retry: 0, expected: { fresh: 8, retry: 0 }, why: 'all to fresh when nothing is retried' },
  { slots: 8, fresh: 1, retry: 100, expected: { fresh: 1, retry: 7 }, why: 'what fresh leaves goes to retries' },
  { slots: 8, fresh: 100, retry: 2, expected: { fresh: 6, retry: 2 }, why: 'what retries leave goes to fresh' },
  { slots: 0, fresh: 1, retry: 1, expected: { fresh: 0, retry: 0 }, why: 'nothing' },
])('lanes: $why', ({ slots, fresh, retry, expected }) => {
  expect(splitLanes(slots, { fresh, retry }, false)).toEqual(expected)
})

test('a single slot goes to each lane in turn', () => {
  expect(splitLanes(1, { fresh: 9, retry: 9 }, false)).toEqual({ fresh: 1, retry: 0 })
  expect(splitLanes(1, { fresh: 9, retry: 9 }, true)).toEqual({ fresh: 0, retry: 1 })
})

test('the window stays between 1 and the most', () => {
  expect(nextWindow(1, 'halve', 64)).toBe(1)
  expect(nextWindow(9, 'halve', 64)).toBe(4)
  expect(nextWindow(64, 'grow', 64)).toBe(64)
  expect(nextWindow(3, 'keep', 64)).toBe(3)
})
