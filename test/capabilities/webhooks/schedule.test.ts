import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSpent, resumeMs, waitMs } from '../../../main/capabilities/webhooks/schedule.ts'
import { seededRandom } from '../../support/random.ts'

const SCHEDULE = [10, 60, 600, 2_700, 7_200, 21_600, 43_200]
const NOW = Date.UTC(2026, 0, 5, 12)
const calm = { schedule: SCHEDULE, isStrained: false, retryAfter: undefined, nowMs: NOW }
const HOUR_MS = 3_600_000

test.each(SCHEDULE.map((seconds, i) => ({ seconds, counted: i + 1, jitter: i < 4 ? 0.2 : 0.05 })))(
  'after failure $counted it waits $seconds s, plus or minus $jitter',
  ({ seconds, counted, jitter }) => {
    const wait = (fraction: number) => waitMs({ ...calm, counted, fraction })
    expect(wait(0.5)).toBe(seconds * 1_000)
    expect(wait(0)).toBe(Math.round(seconds * 1_000 * (1 - jitter)))
    expect(wait(1 - Number.EPSILON)).toBeCloseTo(seconds * 1_000 * (1 + jitter), -1)
  },
)

test('S-01 eight attempts span 19.7 to 22.2 hours for any random jitter', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const random = seededRandom(seed)
      const span = SCHEDULE.reduce(
        (sum, _, i) => sum + waitMs({ ...calm, counted: i + 1, fraction: random.fraction() }),
        0,
      )
      expect(span / HOUR_MS).toBeGreaterThan(19.7)
      expect(span / HOUR_MS).toBeLessThan(22.2)
    }),
    { numRuns: 1_000, seed: 20_260_105 },
  )
  expect([0, 1, 7, 8].map(isSpent)).toEqual([false, false, false, true])
})

test('S-09 a receiver that is slow or busy gets at least a minute', () => {
  const strained = { ...calm, isStrained: true, fraction: 0.5 }
  expect(waitMs({ ...strained, counted: 1 })).toBe(60_000)
  expect(waitMs({ ...strained, counted: 3 })).toBe(600_000)
})

test.each([
  { said: '5', counted: 1, expected: 60_000, why: 'never under a minute when busy' },
  { said: '300', counted: 1, expected: 300_000, why: 'as asked' },
  { said: '99999', counted: 1, expected: 900_000, why: 'at most 15 minutes for a short gap' },
  { said: '99999', counted: 4, expected: 5_400_000, why: 'at most twice a longer gap' },
  { said: new Date(NOW + 120_000).toUTCString(), counted: 1, expected: 120_000, why: 'a date' },
  { said: new Date(NOW - 120_000).toUTCString(), counted: 1, expected: 60_000, why: 'a date that has passed' },
  { said: ' 120 ', counted: 1, expected: 120_000, why: 'space around it' },
  { said: '-1', counted: 1, expected: 60_000, why: 'negative is ignored' },
  { said: '1.5', counted: 1, expected: 60_000, why: 'a fraction is ignored' },
  { said: 'soon', counted: 1, expected: 60_000, why: 'a word is ignored' },
  { said: '2026-01-05T12:02:00Z', counted: 1, expected: 60_000, why: 'another form of date is ignored' },
  { said: '', counted: 1, expected: 60_000, why: 'nothing is ignored' },
])('Retry-After "$said" after failure $counted: $why', ({ said, counted, expected }) => {
  expect(waitMs({ ...calm, isStrained: true, retryAfter: said, counted, fraction: 0.5 })).toBe(expected)
})

test('S-09 Retry-After never shortens the gap', () => {
  expect(waitMs({ ...calm, retryAfter: '1', counted: 3, fraction: 0 })).toBe(480_000)
})

test('an interrupted attempt starts again in 2 to 10 seconds', () => {
  expect(resumeMs(0)).toBe(2_000)
  expect(resumeMs(1 - Number.EPSILON)).toBeLessThan(10_000)
})
