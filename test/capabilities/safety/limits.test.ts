import { describe, expect, test } from 'vitest'
import { limitsOf, ratingOf } from '../../../main/capabilities/safety/limits.ts'
import { DEFAULTS } from './bench.ts'

const LIVE = { engine: 'smv2', network: 'live' } as const
const OFFICIAL = { engine: 'official', network: 'live' } as const
const portfolio = (tier: string) => ({
  ...{ key: 'portfolio 1', id: '1' },
  limit: { tier, source: 'number', atMs: 0 } as const,
})
const of = (days: number, settings = {}) => limitsOf(LIVE, days, null, { ...DEFAULTS, ...settings })

describe('a phone number', () => {
  test.each([
    [0, 50, 20],
    [3, 50, 38],
    [4, 200, 44],
    [6, 200, 56],
    [7, 500, 62],
    [9, 500, 74],
    [10, 1_000, 80],
    [29, 1_000, 194],
    [30, 1_000, 200],
    [400, 1_000, 200],
  ])('%i days after its pairing sends %i messages a day, %i of them to new people', (days, daily, firstContacts) => {
    expect(of(days)).toEqual({ daily, hourly: 80, firstContacts, spacingMs: 5_000 })
  })

  test('never sends more during its warm-up than after it', () => {
    expect([0, 5, 9, 10].map((days) => of(days, { safetyDailyLimit: 120 }).daily)).toEqual([50, 120, 120, 120])
  })

  test('has no warm-up if it lasts no days', () => {
    const none = { safetyWarmupDays: 0, safetyFirstContactsDays: 0 }
    expect(of(0, none)).toMatchObject({ daily: 1_000, firstContacts: 200 })
  })

  test('can start with as many new people as it ends with, or none', () => {
    expect(of(0, { safetyFirstContactsNew: 500 }).firstContacts).toBe(200)
    expect(of(30, { safetyFirstContacts: 0 }).firstContacts).toBe(0)
  })
})

describe('an official number', () => {
  test.each([
    ['TIER_250', 250],
    ['TIER_2K', 2_000],
    ['TIER_10K', 10_000],
    ['TIER_100K', 100_000],
    ['TIER_UNLIMITED', null],
    ['UNKNOWN', 250],
    ['TIER_NOT_SET', 250],
  ])('of a portfolio with %s may reach %s people', (tier, firstContacts) => {
    expect(limitsOf(OFFICIAL, 0, portfolio(tier), DEFAULTS)).toEqual({
      ...{ daily: null, hourly: null, firstContacts, spacingMs: 0 },
    })
  })

  test('may reach 250 people, as a new business, while Meta has never reported a limit', () => {
    expect(limitsOf(OFFICIAL, 0, { ...portfolio(''), limit: null }, DEFAULTS).firstContacts).toBe(250)
    expect(limitsOf(OFFICIAL, 0, null, DEFAULTS).firstContacts).toBe(250)
  })

  test.each([
    ['GREEN', 'high'],
    ['YELLOW', 'medium'],
    ['RED', 'low'],
    ['LOW', 'low'],
    ['UNKNOWN', 'unknown'],
    ['NA', 'unknown'],
  ])('rated %s is rated %s', (rating, expected) =>
    expect(ratingOf({ rating, messagingLimit: 'TIER_250', accountMode: 'LIVE' })).toBe(expected),
  )
})

test.each(['smv2', 'official'] as const)('a sandbox %s number has no limits', (engine) => {
  const sandbox = { engine, network: 'sandbox' } as const
  expect(limitsOf(sandbox, 0, portfolio('TIER_250'), DEFAULTS)).toEqual({
    ...{ daily: null, hourly: null, firstContacts: null, spacingMs: 0 },
  })
})
