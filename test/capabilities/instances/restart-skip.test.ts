import { describe, expect, test } from 'vitest'
import { findRestartSkip, isBanned } from '../../../main/contract/restart-skip.ts'
import { INSTANCE_STATUSES } from '../../../main/contract/shapes.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const PAIRED = {
  engine: 'smv2',
  status: 'connected',
  logged_in: true,
  last_connected_at: '2026-03-01T09:30:00.000Z',
  last_disconnect_reason: null,
  banned_until: null,
} as const
const OUT = { ...PAIRED, status: 'auth_failed', logged_in: false } as const

describe('a restart in bulk', () => {
  test.each(INSTANCE_STATUSES.filter((status) => status !== 'recreating'))(
    'includes an instance with a session that is %s',
    (status) => expect(findRestartSkip({ ...PAIRED, status }, NOW)).toBeNull(),
  )

  test.each([
    ['official', { ...PAIRED, engine: 'official' }],
    ['recreating', { ...PAIRED, status: 'recreating', logged_in: false }],
    ['banned', { ...OUT, last_disconnect_reason: 'banned' }],
    ['banned', { ...OUT, status: 'qr', last_disconnect_reason: 'banned' }],
    ['banned', { ...OUT, last_disconnect_reason: 'temporary_ban', banned_until: '2026-03-01T12:00:00.001Z' }],
    ['banned', { ...OUT, last_disconnect_reason: 'temporary_ban' }],
    ['signed_out', { ...OUT, last_disconnect_reason: 'logged_out' }],
    ['signed_out', { ...OUT, status: 'qr', last_disconnect_reason: 'logout' }],
    ['not_paired', { ...OUT, status: 'created', last_connected_at: null }],
    ['not_paired', { ...OUT, status: 'qr', last_connected_at: null }],
  ] as const)('leaves out as %s: %j', (skip, instance) => expect(findRestartSkip(instance, NOW)).toBe(skip))

  test('includes a number whose temporary ban is over: its session is still good', () => {
    const over = { ...OUT, last_disconnect_reason: 'temporary_ban', banned_until: '2026-03-01T12:00:00.000Z' }
    expect(findRestartSkip(over, NOW)).toBeNull()
    expect(isBanned(over, NOW)).toBe(false)
  })

  test('does not take an earlier ban of a number that was paired again for a ban', () => {
    expect(isBanned({ ...PAIRED, last_disconnect_reason: 'banned' }, NOW)).toBe(false)
  })
})
