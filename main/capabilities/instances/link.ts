import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import { preserveBan } from './ban.ts'
import type { Announcement, Change, LinkEvent } from './link-event.ts'
import { findStep, type Condition } from './status.ts'
import type { Link } from './store.ts'

type Of<K extends LinkEvent['kind']> = Extract<LinkEvent, { kind: K }>
/** The fields that a trigger writes besides the status, and the data of its event. */
type Effect = { readonly fields: Partial<Link>; readonly announcement: Announcement | null }

/** @returns what the event makes of the link; undefined when it changes nothing. Pure. */
export function applyEvent(link: Link, event: LinkEvent, nowMs: number): Change | undefined {
  const change = nextChange(link, event, nowMs)
  return change && preserveBan(link, event, change, nowMs)
}

function nextChange(link: Link, event: LinkEvent, nowMs: number): Change | undefined {
  const step = findStep(link.status, event.kind)
  if (!step || !meetsCondition(step.when, link) || isStale(link, event)) return changeInPlace(link, event, nowMs)
  const { fields, announcement } = effectOf(link, event, nowMs)
  const statusAtMs = step.to === link.status ? link.statusAtMs : nowMs
  return {
    link: { ...link, ...fields, status: step.to, statusAtMs },
    announcement: step.event === null ? null : announcement,
    reconnected: event.kind === 'connected' && isRecovery(link),
  }
}

function meetsCondition(condition: Condition | undefined, link: Link): boolean {
  if (condition === 'link_lost') return link.linkLostAtMs !== null
  return condition !== 'retrying' || link.willRetry
}

/** A repeat, or older than the present state. */
function isStale(link: Link, event: LinkEvent): boolean {
  if (event.kind === 'outage') return event.linkLostAtMs !== link.linkLostAtMs
  if (event.kind !== 'qr') return false
  return event.attempt === link.qrAttempt && event.expiresAtMs === link.qrExpiresAtMs
}

/** Shorter waits are not stored: several follow each other within a minute. */
const LONG_WAIT_MS = 60_000
const isLongWait = ({ nextRetryAtMs }: Of<'link_lost'>, nowMs: number) =>
  nextRetryAtMs !== null && nextRetryAtMs - nowMs >= LONG_WAIT_MS

/** Fields that change although the status stays. */
function changeInPlace(link: Link, event: LinkEvent, nowMs: number): Change | undefined {
  const silent = (fields: Partial<Link>): Change => ({
    link: { ...link, ...fields },
    announcement: null,
    reconnected: false,
  })
  if (event.kind === 'connected' && link.status === 'connected') {
    const { number, name } = event
    if (number === link.phoneNumber && name === link.profileName) return undefined
    return silent({ phoneNumber: number, profileName: name })
  }
  if (event.kind === 'link_lost') {
    const { reason, code, nextRetryAtMs } = event
    const isNews = isLongWait(event, nowMs) || reason !== link.lastDisconnectReason
    if (link.status === 'disconnected' && link.willRetry && isNews)
      return silent({ lastDisconnectReason: reason, disconnectCode: code, nextRetryAtMs })
    // Connecting, and not soon: lost, and announced like every other loss.
    if (link.status === 'connecting' && isLongWait(event, nowMs))
      return silent({
        ...EFFECTS.link_lost(link, event, nowMs).fields,
        downAtMs: link.downAtMs ?? nowMs,
        linkLostAtMs: link.linkLostAtMs ?? nowMs,
      })
  }
  if (event.kind === 'stop' && event.logout && !HAS_NO_SESSION.has(link.status)) {
    const isDone = !link.loggedIn && link.lastDisconnectReason === 'logout'
    return isDone ? undefined : silent({ ...loggedOut, lastDisconnectReason: 'logout' })
  }
  return undefined
}

/** There is no session to log out from, or it is already being wiped. */
const HAS_NO_SESSION: ReadonlySet<Link['status']> = new Set<Link['status']>(['created', 'recreating'])

/** The session the link had is still good, so a connection now is its return and no new pairing. */
const isReconnect = (link: Link) => link.downAtMs !== null && link.loggedIn

/** The connection was ended on request, so it is no failure. */
const REQUESTED: ReadonlySet<string | null> = new Set(['user', 'logout', 'moved', 'restart', 'service_restarted'])

/** What `reconnects_24h` counts: only what receivers were told about, so that it agrees with the events. */
const isRecovery = (link: Link) =>
  isReconnect(link) && link.linkLostAtMs === null && !REQUESTED.has(link.lastDisconnectReason)

const ended = {
  willRetry: false,
  nextRetryAtMs: null,
  linkLostAtMs: null,
  qrAttempt: null,
  qrExpiresAtMs: null,
} as const
const loggedOut = { loggedIn: false, phoneNumber: null, profileName: null, downAtMs: null, discard: 'logout' } as const

/** The fields of an instance that was never connected: a new or a recreated one. */
const neverConnected = {
  loggedIn: false,
  phoneNumber: null,
  profileName: null,
  downAtMs: null,
  attempts: 0,
  lastConnectedAtMs: null,
  lastDisconnectReason: null,
  disconnectCode: null,
  blockedUntilMs: null,
} as const

const EFFECTS: { [K in LinkEvent['kind']]: (link: Link, event: Of<K>, nowMs: number) => Effect } = {
  start(link, { by }) {
    const attempts = link.attempts + 1
    const reason = by === 'restart' && link.status !== 'created' ? 'restart' : 'start'
    return {
      fields: { ...ended, attempts },
      announcement: { type: 'instance.connecting', data: { reason, attempt: attempts } },
    }
  },
  stop(link, { logout, moved }, nowMs) {
    const reason = logout ? 'logout' : moved ? 'moved' : 'user'
    const downAtMs = link.status === 'connected' ? nowMs : link.downAtMs
    return disconnectedFor(reason, { downAtMs, ...(logout ? loggedOut : {}) })
  },
  qr(_link, { attempt, expiresAtMs }) {
    // A pairing code means that there is no session. The number is kept, because it tells which phone to use.
    return {
      fields: { ...ended, loggedIn: false, downAtMs: null, qrAttempt: attempt, qrExpiresAtMs: expiresAtMs },
      announcement: { type: 'instance.qr.updated', data: { attempt, expires_at: isoTime(expiresAtMs) } },
    }
  },
  qr_expired: () => disconnectedFor('qr_expired', {}),
  passkey_required: () => ({ fields: ended, announcement: null }),
  passkey_accepted: ({ attempts }) => ({
    fields: ended,
    announcement: { type: 'instance.connecting', data: { reason: 'passkey', attempt: Math.max(attempts, 1) } },
  }),
  passkey_failed: (_link, { reason, code }) => disconnectedFor(`passkey_${reason}`, {}, code),
  connected(link, { number, name }, nowMs) {
    const isSilent = link.linkLostAtMs !== null
    const reconnected = isReconnect(link)
    const downtime = reconnected ? Math.max(0, Math.floor((nowMs - (link.downAtMs ?? nowMs)) / 1_000)) : null
    return {
      fields: {
        ...ended,
        loggedIn: true,
        phoneNumber: number,
        profileName: name,
        downAtMs: null,
        attempts: 0,
        lastConnectedAtMs: nowMs,
        blockedUntilMs: null,
      },
      announcement: isSilent
        ? null
        : { type: 'instance.connected', data: { number, name, reconnected, downtime_seconds: downtime } },
    }
  },
  link_lost: (_link, { reason, code, nextRetryAtMs }, nowMs) => ({
    fields: {
      willRetry: true,
      nextRetryAtMs,
      linkLostAtMs: nowMs,
      downAtMs: nowMs,
      lastDisconnectReason: reason,
      disconnectCode: code,
    },
    announcement: null,
  }),
  outage(link, _event, nowMs) {
    const nextRetryAtMs = link.nextRetryAtMs !== null && link.nextRetryAtMs > nowMs ? link.nextRetryAtMs : null
    return {
      fields: { linkLostAtMs: null, nextRetryAtMs },
      announcement: {
        type: 'instance.disconnected',
        data: {
          reason: link.lastDisconnectReason ?? 'link_lost',
          code: link.disconnectCode,
          will_retry: true,
          next_retry_at: isoTimeOrNull(nextRetryAtMs),
        },
      },
    }
  },
  link_ended: (link, { reason, code }, nowMs) =>
    disconnectedFor(reason, { downAtMs: link.status === 'connected' ? nowMs : link.downAtMs }, code),
  auth_failed: (_link, { reason, code, untilMs }) => ({
    fields: {
      ...ended,
      loggedIn: false,
      downAtMs: null,
      lastDisconnectReason: reason,
      disconnectCode: code,
      blockedUntilMs: untilMs,
    },
    announcement: { type: 'instance.auth_failed', data: { reason, code, until: isoTimeOrNull(untilMs) } },
  }),
  session_lost: (link) =>
    disconnectedFor(link.loggedIn ? 'session_lost' : 'pairing_interrupted', { loggedIn: false, downAtMs: null }),
  recreate: () => ({ fields: { ...ended, ...neverConnected, discard: 'wipe' }, announcement: null }),
  wiped: () => ({
    fields: { discard: null, attempts: 1 },
    announcement: { type: 'instance.connecting', data: { reason: 'start', attempt: 1 } },
  }),
}

/** Disconnected for a reason that no retry heals. */
function disconnectedFor(reason: string, fields: Partial<Link>, code: number | null = null): Effect {
  return {
    fields: { ...ended, lastDisconnectReason: reason, disconnectCode: code, blockedUntilMs: null, ...fields },
    announcement: {
      type: 'instance.disconnected',
      data: { reason, code, will_retry: false, next_retry_at: null },
    },
  }
}

function effectOf<K extends LinkEvent['kind']>(link: Link, event: Of<K>, nowMs: number): Effect {
  // The table's key is the event's kind; the compiler does not connect an index with its own discriminant.
  const effect = EFFECTS[event.kind] as (link: Link, event: Of<K>, nowMs: number) => Effect
  return effect(link, event, nowMs)
}
