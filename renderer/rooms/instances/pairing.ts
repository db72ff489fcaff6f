import type { QrView } from '../../../main/contract/instance.ts'
import type { Problem } from '../../app/problem.ts'
import type { PasskeyEnd } from './passkey.ts'

/** What the pairing screen shows. */
export type Phase =
  | 'loading'
  | 'refreshing'
  | 'waiting'
  | 'expired'
  | 'connected'
  | 'passkey'
  /** The account asked for its passkey, and the phone was not linked. */
  | 'unconfirmed'
  | 'failed'
  | 'offline'

export interface PairingSnapshot {
  readonly view: QrView | undefined
  readonly problem: Problem | undefined
  readonly nowMs: number
  /** The service is unreachable. No code is shown, because it may be invalid by now. */
  readonly isOffline?: boolean
  /** A new code is requested automatically when one expires. */
  readonly restarts?: boolean
  /** Why the confirmation with a passkey failed. Then no new code is requested until the person has read the reason. */
  readonly end?: PasskeyEnd | undefined
}

export function toPhase({ view, problem, nowMs, isOffline = false, restarts = false, end }: PairingSnapshot): Phase {
  if (view?.state === 'connected') return 'connected'
  if (isOffline) return 'offline'
  if (problem) return 'failed'
  switch (view?.state) {
    case undefined:
      return 'loading'
    case 'pending':
      return 'refreshing'
    case 'expired':
      if (end) return 'unconfirmed'
      return restarts ? 'refreshing' : 'expired'
    case 'passkey_required':
      return 'passkey'
    case 'ready':
      // An expired code is not shown for scanning while the next one is being loaded.
      return leftMs(view, nowMs) === 0 ? 'refreshing' : 'waiting'
  }
}

/** Remaining validity of the shown code or of the passkey step; undefined if its end is unknown. */
export function leftMs(view: QrView | undefined, nowMs: number): number | undefined {
  const end = view?.passkey?.deadline ?? view?.expires_at
  return end ? Math.max(0, Date.parse(end) - nowMs) : undefined
}

const PENDING_MS = 1_000
/** The engine shows the next code shortly after the previous one expired. */
const AFTER_END_MS = 150
const UNKNOWN_END_MS = 5_000
const RETRY_MS = 4_000

/** When to read again without a notice; undefined if only a notice causes the next read. */
export function nextPollMs({ view, problem, nowMs }: PairingSnapshot): number | undefined {
  if (problem) return problem.isRetryable ? RETRY_MS : undefined
  // The next step of a passkey depends on the phone, and the current code does not say when it comes.
  if (view?.state === 'pending' || view?.state === 'passkey_required') return PENDING_MS
  if (view?.state !== 'ready') return undefined
  const left = leftMs(view, nowMs)
  if (left === undefined) return UNKNOWN_END_MS
  return left === 0 ? PENDING_MS : left + AFTER_END_MS
}

/** The content of a phone field in the format of the service; undefined if it is not a phone number. */
export function parsePhoneNumber(text: string): string | undefined {
  const digits = text.replace(/\D/g, '').replace(/^00/, '')
  return /^\d{7,15}$/.test(digits) ? digits : undefined
}

/** Fictional North American numbers end in 0100 to 0199. 0190 is left out, because the sandbox revokes its token. */
const AREAS = [202, 212, 213, 303, 305, 312, 404, 415, 503, 512, 602, 617, 702, 713, 801, 808, 901, 907, 919, 972]

/** A sandbox number that no other instance has, because people tell instances apart by their numbers. */
export function freeSandboxNumber(taken: ReadonlySet<string>): string {
  for (const area of AREAS) {
    for (let last = 100; last < 200; last++) {
      const number = `1${area}5550${last}`
      if (last !== 190 && !taken.has(number)) return number
    }
  }
  return `1${AREAS[0]}5550123`
}
