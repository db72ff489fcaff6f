import { expect, test } from 'vitest'
import { isBanned } from '../../../main/contract/ban.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const OUT = { logged_in: false, last_disconnect_reason: null, banned_until: null } as const

test.each([
  ['a ban without an end', { ...OUT, last_disconnect_reason: 'banned' }, true],
  [
    'a ban that ends later',
    { ...OUT, last_disconnect_reason: 'temporary_ban', banned_until: '2026-03-01T12:00:00.001Z' },
    true,
  ],
  ['a ban for a time nobody named', { ...OUT, last_disconnect_reason: 'temporary_ban' }, true],
  [
    'a ban that is over',
    { ...OUT, last_disconnect_reason: 'temporary_ban', banned_until: '2026-03-01T12:00:00Z' },
    false,
  ],
  [
    'an earlier ban of a number that was paired again',
    { ...OUT, logged_in: true, last_disconnect_reason: 'banned' },
    false,
  ],
  ['a number that was signed out', { ...OUT, last_disconnect_reason: 'logged_out' }, false],
])('%s', (_, instance, banned) => expect(isBanned(instance, NOW)).toBe(banned))
