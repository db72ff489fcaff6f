import type { Key } from '../../../main/capabilities/account/contract.ts'

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked'

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS

export function stateOf(key: Pick<Key, 'revoked_at' | 'expires_at'>, nowMs: number): KeyState {
  if (key.revoked_at !== null) return 'revoked'
  if (key.expires_at === null) return 'active'
  const left = Date.parse(key.expires_at) - nowMs
  return left <= 0 ? 'expired' : left <= SOON_MS ? 'expiring' : 'active'
}

export const isUsable = (key: Pick<Key, 'revoked_at' | 'expires_at'>, nowMs: number): boolean =>
  ['active', 'expiring'].includes(stateOf(key, nowMs))

/** The lifetimes of a new key in days. `never` comes first; with `date`, the person selects the last day. */
export const LIFETIMES = ['never', '7', '30', '90', '365', 'date'] as const
export type Lifetime = (typeof LIFETIMES)[number]

/** @param date in the format of a date field, `2026-03-01`: the key works until the end of that day in local time. */
export function expiryOf(lifetime: Lifetime, date: string, nowMs: number): string | null {
  if (lifetime === 'never') return null
  if (lifetime !== 'date') return new Date(nowMs + Number(lifetime) * DAY_MS).toISOString()
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return new Date(year, month - 1, day, 23, 59, 59, 999).toISOString()
}

/** The first day that a date field offers: today in local time. */
export function today(nowMs: number): string {
  const now = new Date(nowMs)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}
