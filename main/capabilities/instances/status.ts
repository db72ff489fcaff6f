import type { EventType } from '../../contract/events.ts'
import type { InstanceStatus } from '../../contract/shapes.ts'

/** What can change the status of an instance: calls, signals of its engine, and five seconds without a connection. */
export const TRIGGERS = [
  /** Restart, qr/refresh, the first QR read. */
  'start',
  /** POST disconnect. */
  'stop',
  'qr',
  'qr_expired',
  'passkey_required',
  /** The passkey was accepted and the phone has linked the device. */
  'passkey_accepted',
  'passkey_failed',
  'connected',
  'link_lost',
  /** The engine has given the link up, and keeps its session. */
  'link_ended',
  /** The link was not back after five seconds. */
  'outage',
  'auth_failed',
  /** The engine has no session to take up after a restart of the service. */
  'session_lost',
  /** POST recreate. */
  'recreate',
  /** The engine has discarded everything of an instance that is recreated. */
  'wiped',
] as const
export type Trigger = (typeof TRIGGERS)[number]

export interface Step {
  readonly to: InstanceStatus
  /** null: no event. */
  readonly event: EventType | null
  /** Only while this holds. */
  readonly when?: Condition
}

/**
 * - `link_lost`: the link is lost and that is not announced yet.
 * - `retrying`: the outage is announced and the engine goes on trying; after a disconnect by the user it does not,
 *   so that a late signal cannot connect an instance somebody has just disconnected.
 */
export type Condition = 'link_lost' | 'retrying'

const recreate = { to: 'recreating', event: null } as const
const start = { to: 'connecting', event: 'instance.connecting' } as const
const stop = { to: 'disconnected', event: 'instance.disconnected' } as const
const connect = { to: 'connected', event: 'instance.connected' } as const
const refuse = { to: 'auth_failed', event: 'instance.auth_failed' } as const
const code = { to: 'qr', event: 'instance.qr.updated' } as const

/**
 * The transitions of an instance. A trigger without a transition changes nothing, such as a signal that is late, repeated
 * or out of order. Creation and deletion are not among them. `recreating` is left in one way only, so that no call and no
 * late signal connects an instance while its session is being wiped.
 */
const STEPS = {
  created: { start, recreate },
  connecting: {
    stop,
    qr: code,
    // No event while `link_lost`: the loss was not announced, so the return is not, either (lifecycle.ts).
    connected: connect,
    auth_failed: refuse,
    outage: { ...stop, when: 'link_lost' },
    link_ended: stop,
    session_lost: stop,
    recreate,
  },
  qr: {
    stop,
    qr: code,
    connected: connect,
    qr_expired: stop,
    link_ended: stop,
    passkey_required: { to: 'passkey_required', event: null },
    passkey_failed: stop,
    session_lost: stop,
    recreate,
  },
  connected: {
    stop,
    link_lost: { to: 'connecting', event: null },
    link_ended: stop,
    auth_failed: refuse,
    session_lost: stop,
    recreate,
  },
  disconnected: {
    start,
    // Stays disconnected, but the retries end; that it is disconnected was announced before.
    stop: { to: 'disconnected', event: null, when: 'retrying' },
    connected: { ...connect, when: 'retrying' },
    link_ended: { to: 'disconnected', event: null, when: 'retrying' },
    auth_failed: { ...refuse, when: 'retrying' },
    session_lost: { to: 'disconnected', event: null, when: 'retrying' },
    recreate,
  },
  auth_failed: { start, recreate },
  passkey_required: {
    start,
    stop,
    passkey_accepted: start,
    // The engine can report the connection before the step before it was recorded.
    connected: connect,
    passkey_failed: stop,
    link_ended: stop,
    session_lost: stop,
    recreate,
  },
  recreating: { wiped: start, recreate },
} as const satisfies Record<InstanceStatus, Partial<Record<Trigger, Step>>>

/** The step a trigger makes from a status, conditions not yet considered; undefined: it changes nothing. */
export function findStep(status: InstanceStatus, trigger: Trigger): Step | undefined {
  const steps: Partial<Record<Trigger, Step>> = STEPS[status]
  return steps[trigger]
}
