import type { InstanceRecord } from './instance.ts'

/**
 * Why a restart would not help an instance: it has no stored session to reconnect with.
 * `signed_out` was connected once and must be paired again; `not_paired` never was.
 */
export type RestartSkip = 'official' | 'recreating' | 'banned' | 'signed_out' | 'not_paired'

type Facts = Pick<
  InstanceRecord,
  'engine' | 'status' | 'logged_in' | 'last_connected_at' | 'last_disconnect_reason' | 'banned_until'
>

/** @returns null for what a restart reconnects: an instance that is connected, or lost its link and kept its session. */
export function findRestartSkip(instance: Facts, nowMs: number): RestartSkip | null {
  if (instance.engine === 'official') return 'official'
  if (instance.status === 'recreating') return 'recreating'
  if (instance.logged_in) return null
  if (isBanned(instance, nowMs)) return 'banned'
  // The network keeps the session through a temporary ban, so one that is over reconnects.
  if (instance.status === 'auth_failed' && instance.last_disconnect_reason === 'temporary_ban') return null
  return instance.last_connected_at === null ? 'not_paired' : 'signed_out'
}

/** Whether the number is banned, also while somebody tries to pair it again. */
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
