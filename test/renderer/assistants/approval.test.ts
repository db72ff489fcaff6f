import { describe, expect, test } from 'vitest'
import {
  countdown,
  failureOf,
  hasShifted,
  oldestFirst,
  isOpen,
  outcomeOf,
  shareLeft,
} from '../../../renderer/rooms/assistants/approval.ts'

const NOW = Date.parse('2026-03-01T09:32:00.000Z')
const pending = {
  state: 'pending',
  created_at: '2026-03-01T09:30:00.000Z',
  expires_at: '2026-03-01T09:35:00.000Z',
  result: null,
} as any

describe('a call that waits for a person', () => {
  test('counts down in minutes and seconds, and stops at nothing', () => {
    expect(countdown(pending.expires_at, NOW)).toBe('3:00')
    expect(countdown(pending.expires_at, NOW + 120_500)).toBe('1:00')
    expect(countdown(pending.expires_at, NOW + 900_000)).toBe('0:00')
    expect(shareLeft(pending, NOW)).toBeCloseTo(0.6)
    expect(shareLeft(pending, NOW + 900_000)).toBe(0)
  })

  test('does not wait any more once its time is over, even before the service says so', () => {
    expect(isOpen(pending, NOW)).toBe(true)
    expect(isOpen(pending, NOW + 180_000)).toBe(false)
    expect(outcomeOf(pending, NOW + 180_000)).toBe('expired')
  })
})

describe('several calls that wait', () => {
  test('stand in the order in which they came, so that another one moves none of them', () => {
    const later = { ...pending, id: 'later', expires_at: '2026-03-01T09:36:00.000Z' }
    const over = { ...pending, id: 'over', expires_at: '2026-03-01T09:31:00.000Z' }
    const ids = oldestFirst([later, { ...pending, id: 'first' }, over], NOW).map(({ id }) => id)
    expect(ids).toEqual(['first', 'later'])
  })

  test.each([
    [['a', 'b'], ['a', 'b', 'c'], false],
    [['a', 'b'], ['b'], true],
    [['a'], [], true],
    [[], ['a'], false],
  ])('%j, then %j: a card stands where another one stood: %s', (before, after, moved) => {
    expect(hasShifted(before, after)).toBe(moved)
  })
})

describe('what became of it', () => {
  test.each([
    [{ ...pending, state: 'approved' }, 'running'],
    [{ ...pending, state: 'executed', result: { status: 200, body: {} } }, 'done'],
    [{ ...pending, state: 'executed', result: { status: 409, body: {} } }, 'failed'],
    [{ ...pending, state: 'refused' }, 'refused'],
    [{ ...pending, state: 'expired' }, 'expired'],
  ] as const)('%o: %s', (record, outcome) => {
    expect(outcomeOf(record, NOW)).toBe(outcome)
  })

  test('why it did not work is told in the words of the service', () => {
    const body = { error: { message: 'The instance is not connected.' } }
    expect(failureOf({ ...pending, state: 'executed', result: { status: 409, body } })).toBe(body.error.message)
    expect(failureOf({ ...pending, state: 'executed', result: { status: 200, body } })).toBeUndefined()
  })
})
