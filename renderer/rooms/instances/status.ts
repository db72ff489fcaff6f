import { TRAITS } from '../../../main/contract/engine-traits.ts'
import { isBanned } from '../../../main/contract/ban.ts'
import type { InstanceRecord } from '../../../main/contract/instance.ts'
import type { InstanceStatus } from '../../../main/contract/shapes.ts'
import { PASSKEY_ENDS, passkeyEnd } from './passkey.ts'

interface StatusStyle {
  readonly color: 'neutral' | 'info' | 'success' | 'warning' | 'error'
  readonly icon: string
}

const STATUS_STYLES = {
  created: { color: 'neutral', icon: 'i-lucide-circle-dashed' },
  connecting: { color: 'info', icon: 'i-lucide-loader' },
  qr: { color: 'info', icon: 'i-lucide-qr-code' },
  connected: { color: 'success', icon: 'i-lucide-circle-check' },
  disconnected: { color: 'warning', icon: 'i-lucide-unplug' },
  auth_failed: { color: 'error', icon: 'i-lucide-circle-x' },
  passkey_required: { color: 'warning', icon: 'i-lucide-fingerprint' },
  recreating: { color: 'info', icon: 'i-lucide-refresh-cw' },
} as const satisfies Record<InstanceStatus, StatusStyle>

/**
 * What connects an instance: scan a code, resume the stored session, or finish on the setup page. For a banned
 * number, the ban must be read first.
 */
export type ConnectStep = 'pair' | 'reconnect' | 'onboard' | 'details'

type Facts = Pick<
  InstanceRecord,
  'engine' | 'status' | 'logged_in' | 'last_connected_at' | 'last_disconnect_reason' | 'banned_until'
> &
  Partial<Pick<InstanceRecord, 'onboarding_url'>>

/** Whether the ban is shown first. While somebody pairs the number again, it is not. */
export const showsBan = (instance: Facts, nowMs: number): boolean =>
  (instance.status === 'auth_failed' || instance.status === 'disconnected') && isBanned(instance, nowMs)

/** The action of the main button of an instance. */
export const nextStep = (instance: Facts, nowMs: number): ConnectStep | undefined =>
  showsBan(instance, nowMs) ? 'details' : connectStep(instance)

/**
 * The step that would connect the instance. It includes banned numbers, which get it in the menu but never as the
 * main button.
 */
export function connectStep({ engine, status, logged_in, last_disconnect_reason, onboarding_url }: Facts) {
  if (TRAITS[engine].isLinkedPhone) return phoneStep()
  return onboarding_url === undefined ? undefined : 'onboard'

  function phoneStep(): Exclude<ConnectStep, 'details'> | undefined {
    switch (status) {
      case 'created':
      case 'qr':
      case 'passkey_required':
        return 'pair'
      case 'connecting':
        return logged_in ? undefined : 'pair'
      case 'auth_failed':
        return last_disconnect_reason === 'temporary_ban' ? 'reconnect' : 'pair'
      case 'disconnected':
        return logged_in ? 'reconnect' : 'pair'
      case 'connected':
      case 'recreating':
        return undefined
    }
  }
}

/** True for a linked phone whose session is kept, but whose connection was lost or is being restored. */
export const hasLostConnection = ({ engine, status, logged_in, last_disconnect_reason }: Facts): boolean =>
  TRAITS[engine].isLinkedPhone &&
  logged_in &&
  (status === 'connecting' ||
    (status === 'disconnected' && last_disconnect_reason !== 'user' && last_disconnect_reason !== 'moved'))

/**
 * True if a phone was linked and the session was lost. A new code would erase the record of which phone number it
 * was.
 */
const isSignedOut = ({ status, last_connected_at, last_disconnect_reason: reason }: Facts): boolean =>
  status === 'auth_failed' ||
  (status === 'disconnected' &&
    last_connected_at !== null &&
    reason !== 'qr_expired' &&
    reason !== 'pairing_interrupted' &&
    passkeyEnd(reason) === undefined)

/**
 * Numbers that wait for a phone, oldest first, as on the wall. Banned numbers are left out: nobody can scan for them,
 * and a new code would overwrite the ban.
 * @param withSignedOut also includes numbers that had a phone, if somebody selected them.
 */
export function listUnpaired(
  records: readonly InstanceRecord[],
  { withSignedOut, nowMs }: { readonly withSignedOut: boolean; readonly nowMs: number },
): InstanceRecord[] {
  return records
    .filter((record) => nextStep(record, nowMs) === 'pair' && (withSignedOut || !isSignedOut(record)))
    .toSorted((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id))
}

/** Reasons for which the state says more than `disconnected`. The texts are `instances.state.<name>`. */
const DISCONNECTED_STATES: Readonly<Record<string, string>> = {
  user: 'disconnected',
  moved: 'moved',
  logout: 'signedOut',
  logged_out: 'signedOut',
  session_lost: 'signedOut',
  restored: 'signedOut',
  bad_session: 'signedOut',
  qr_expired: 'codeExpired',
  pairing_interrupted: 'interrupted',
  ...Object.fromEntries(PASSKEY_ENDS.map((end) => [`passkey_${end}`, 'codeExpired'])),
  replaced: 'replaced',
  client_outdated: 'outdated',
}

export interface StateView extends StatusStyle {
  /** The texts are `instances.state.<name>`. */
  readonly name: string
  /** When the connection was lost. */
  readonly lostAt?: string
  /** When a temporary ban ends. */
  readonly until?: string
}

/** The state in user-facing terms: “Banned” and “Signed out” instead of `auth_failed`. */
export function toStateView(instance: Facts & Pick<InstanceRecord, 'status_since'>, nowMs: number): StateView {
  const { status, last_disconnect_reason: reason, banned_until } = instance
  const style = STATUS_STYLES[status]
  if (showsBan(instance, nowMs)) {
    const view = {
      color: 'error',
      icon: 'i-lucide-ban',
      name: reason === 'banned' ? 'banned' : 'temporaryBan',
    } as const
    return banned_until === null ? view : { ...view, until: banned_until }
  }
  if (status === 'auth_failed') {
    if (reason === 'temporary_ban') return { color: 'warning', icon: 'i-lucide-unplug', name: 'banEnded' }
    return { ...style, icon: 'i-lucide-log-out', name: reason === 'token_revoked' ? 'tokenRevoked' : 'signedOut' }
  }
  if (status === 'connecting' && hasLostConnection(instance))
    return { ...style, color: 'warning', name: 'reconnecting' }
  // Only linked phones are paired.
  if (status === 'created' && !TRAITS[instance.engine].isLinkedPhone) return { ...style, name: 'notConnected' }
  if (status !== 'disconnected') return { ...style, name: status }
  if (hasLostConnection(instance) && DISCONNECTED_STATES[reason ?? ''] === undefined)
    return { ...style, name: 'lost', lostAt: instance.status_since }
  const name = DISCONNECTED_STATES[reason ?? ''] ?? 'disconnected'
  return name === 'codeExpired' || name === 'interrupted'
    ? { color: 'neutral', icon: 'i-lucide-timer-off', name }
    : { ...style, name }
}
