import type { InstanceRecord } from './instance.ts'

/**
 * Whether the number of an instance is banned. Stays true during an attempt to pair it again, and ends at
 * `banned_until`: the network keeps the session of a temporarily banned number.
 */
export function isBanned(
  instance: Pick<InstanceRecord, 'logged_in' | 'last_disconnect_reason' | 'banned_until'>,
  nowMs: number,
): boolean {
  const { logged_in, last_disconnect_reason: reason, banned_until: until } = instance
  if (logged_in) return false
  if (reason === 'banned') return true
  return reason === 'temporary_ban' && (until === null || Date.parse(until) > nowMs)
}
