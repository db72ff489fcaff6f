import type { InstanceRecord } from '../../../main/contract/instance.ts'
import type { InstanceStatus } from '../../../main/contract/shapes.ts'

interface StatusStyle {
  readonly color: 'neutral' | 'info' | 'success' | 'warning' | 'error'
  readonly icon: string
}

/** How a status looks; its word is `instances.status.<status>`. */
export const STATUS_STYLES = {
  created: { color: 'neutral', icon: 'i-lucide-circle-dashed' },
  connecting: { color: 'info', icon: 'i-lucide-loader' },
  qr: { color: 'info', icon: 'i-lucide-qr-code' },
  connected: { color: 'success', icon: 'i-lucide-circle-check' },
  disconnected: { color: 'warning', icon: 'i-lucide-unplug' },
  auth_failed: { color: 'error', icon: 'i-lucide-circle-x' },
  passkey_required: { color: 'warning', icon: 'i-lucide-fingerprint' },
  recreating: { color: 'info', icon: 'i-lucide-refresh-cw' },
} as const satisfies Record<InstanceStatus, StatusStyle>

/** What brings an instance on line: scan a code, take the stored session up again, or finish on the page of the network. */
export type ConnectStep = 'pair' | 'reconnect' | 'onboard'

/** `last_disconnect_reason`s after which no session is left to take up. */
const SESSION_ENDED = new Set(['qr_expired', 'logout', 'logged_out', 'session_lost', 'pairing_interrupted'])

type Facts = Pick<InstanceRecord, 'engine' | 'status' | 'last_connected_at' | 'last_disconnect_reason'> &
  Partial<Pick<InstanceRecord, 'onboarding_url'>>

export function nextStep({ engine, status, last_connected_at, last_disconnect_reason, onboarding_url }: Facts) {
  return engine === 'official' ? (onboarding_url === undefined ? undefined : 'onboard') : phoneStep()

  function phoneStep(): ConnectStep | undefined {
    switch (status) {
      case 'created':
      case 'qr':
      case 'passkey_required':
        return 'pair'
      case 'connecting':
        return last_connected_at === null ? 'pair' : undefined
      case 'auth_failed':
        return last_disconnect_reason === 'temporary_ban' ? 'reconnect' : 'pair'
      case 'disconnected':
        return last_connected_at === null || SESSION_ENDED.has(last_disconnect_reason ?? '') ? 'pair' : 'reconnect'
      case 'connected':
      case 'recreating':
        return undefined
    }
  }
}

const isBanned = ({ status, last_disconnect_reason }: Facts) =>
  status === 'auth_failed' && last_disconnect_reason === 'banned'

/**
 * What a phone's QR code would bring on line, the oldest first: the order in which they were made is that of the list in
 * somebody's hand. A banned number is not among them: nobody can scan for it, and a new code would end what is known of the ban.
 */
export function listUnpaired(records: readonly InstanceRecord[]): InstanceRecord[] {
  return records
    .filter((record) => nextStep(record) === 'pair' && !isBanned(record))
    .toSorted((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id))
}
