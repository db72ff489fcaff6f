import type { InstanceRecord } from './instance.ts'

/**
 * Why a restart skips an instance: it has no stored session to reconnect with.
 * `signed_out` was connected before and must be paired again; `not_paired` never was.
 */
export type RestartSkip = 'official' | 'recreating' | 'banned' | 'signed_out' | 'not_paired'

type Facts = Pick<
  InstanceRecord,
  'engine' | 'status' | 'logged_in' | 'last_connected_at' | 'last_disconnect_reason' | 'banned_until'
>

/** @returns null if a restart can reconnect it: it is connected, or lost its connection and kept its session. */
export function findRestartSkip(instance: Facts, nowMs: number): RestartSkip | null {
  if (instance.engine === 'official') return 'official'
  if (instance.status === 'recreating') return 'recreating'
  if (instance.logged_in) return null
  if (isBanned(instance, nowMs)) return 'banned'
  // The network keeps the session during a temporary ban, so a restart works once the ban is over.
  if (instance.status === 'auth_failed' && instance.last_disconnect_reason === 'temporary_ban') return null
  return instance.last_connected_at === null ? 'not_paired' : 'signed_out'
}

/** Whether the number is banned. Stays true during an attempt to pair it again. */
export function isBanned(
  {
    logged_in,
    last_disconnect_reason,
    banned_until,
  }: Pick<Facts, 'logged_in' | 'last_disconnect_reason' | 'banned_until'>,
  nowMs: number,
): boolean {
  if (logged_in) return false
  if (last_disconnect_reason === 'banned') return true
  return last_disconnect_reason === 'temporary_ban' && (banned_until === null || Date.parse(banned_until) > nowMs)
}
