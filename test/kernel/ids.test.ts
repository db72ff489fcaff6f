import { describe, expect, test } from 'vitest'
import { createIds, systemRandom, type Ids } from '../../main/kernel/ids.ts'
import { fakeClock } from '../support/clock.ts'
import { seededRandom } from '../support/random.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const uuids = ['account', 'key', 'instance', 'batch', 'uuid'] as const satisfies (keyof Ids)[]
const prefixes = {
  message: 'msg',
  event: 'evt',
  webhook: 'whk',
  approval: 'apr',
  delivery: 'dlv',
  request: 'req',
  boot: 'boot',
} as const satisfies Record<Exclude<keyof Ids, (typeof uuids)[number] | 'tagged'>, string>
const kinds = [...uuids, ...(Object.keys(prefixes) as (keyof typeof prefixes)[])]

test.each(uuids)('the id of an %s is a version 7 UUID', (kind) => {
  const ids = createIds(fakeClock(), systemRandom)

  for (let i = 0; i < 500; i++) expect(ids[kind]()).toMatch(UUID_V7)
})

test.each(Object.entries(prefixes) as [keyof typeof prefixes, string][])(
  'the id of a %s is %s_ and 26 characters without I, L, O and U',
  (kind, prefix) => {
    const ids = createIds(fakeClock(), systemRandom)

    for (let i = 0; i < 500; i++) expect(ids[kind]()).toMatch(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`))
  },
)

describe.each(kinds)('ids of the kind %s', (kind) => {
  test('sort by creation time, also when a digit carries over', async () => {
    const clock = fakeClock(0x0190_0000_fffc)
    const ids = createIds(clock, systemRandom)
    const made: string[] = []
    for (let i = 0; i < 200; i++) {
      made.push(ids[kind]())
      await clock.advance(i < 100 ? 1 : 997_001)
    }

    expect(made).toEqual([...made].sort())
  })

  test('are unique within a millisecond', () => {
    const ids = createIds(fakeClock(), systemRandom)

    expect(new Set(Array.from({ length: 5_000 }, () => ids[kind]())).size).toBe(5_000)
  })
})

test('both kinds of id begin with the time', () => {
  const ids = createIds(fakeClock(Date.UTC(2026, 0, 5, 12)), seededRandom())

  expect(ids.instance().replaceAll('-', '').slice(0, 12)).toBe(Date.UTC(2026, 0, 5, 12).toString(16).padStart(12, '0'))
  const digits = Array.from(ids.message().slice(4, 14), (letter) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(letter))
  expect(digits.reduce((number, digit) => number * 32 + digit, 0)).toBe(Date.UTC(2026, 0, 5, 12))
})

test('the same seed produces the same ids', () => {
  const once = createIds(fakeClock(), seededRandom(7))
  const again = createIds(fakeClock(), seededRandom(7))
  const other = createIds(fakeClock(), seededRandom(8))

  expect(once.message()).toBe(again.message())
  expect(once.message()).not.toBe(other.message())
})

test('the system random source returns fractions in [0, 1)', () => {
  const drawn = Array.from({ length: 2_000 }, () => systemRandom.fraction())

  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...drawn)).toBeLessThan(1)
  expect(Math.max(...drawn) - Math.min(...drawn)).toBeGreaterThan(0.9)
})
