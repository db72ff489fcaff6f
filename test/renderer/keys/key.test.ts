import { describe, expect, test } from 'vitest'
import { expiryOf, isUsable, stateOf, today } from '../../../renderer/rooms/keys/key.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')

describe('the state of a key', () => {
  test.each([
    [{ revoked_at: null, expires_at: null }, 'active'],
    [{ revoked_at: null, expires_at: '2026-03-20T00:00:00.000Z' }, 'active'],
    [{ revoked_at: null, expires_at: '2026-03-05T00:00:00.000Z' }, 'expiring'],
    [{ revoked_at: null, expires_at: '2026-03-01T12:00:00.000Z' }, 'expired'],
    [{ revoked_at: '2026-02-01T00:00:00.000Z', expires_at: '2026-02-02T00:00:00.000Z' }, 'revoked'],
  ] as const)('%o is %s', (key, state) => {
    expect(stateOf(key, NOW)).toBe(state)
    expect(isUsable(key, NOW)).toBe(state === 'active' || state === 'expiring')
  })
})

describe('the end of a new key', () => {
  test('never means no expiry', () => {
    expect(expiryOf('never', '', NOW)).toBeNull()
  })

  test('days are counted from now', () => {
    expect(expiryOf('7', '', NOW)).toBe('2026-03-08T12:00:00.000Z')
  })

  test('a date includes the whole of its day, in local time', () => {
    const end = new Date(expiryOf('date', '2026-04-30', NOW)!)
    expect([end.getFullYear(), end.getMonth(), end.getDate(), end.getHours(), end.getMinutes()]).toEqual([
      2026, 3, 30, 23, 59,
    ])
  })

  test('today is a valid value of a date field', () => {
    expect(today(NOW)).toMatch(/^2026-0[23]-\d\d$/)
  })
})
