import { describe, expect, test } from 'vitest'
import type { LinkEvent } from '../../../main/capabilities/instances/link-event.ts'
import { applyEvent } from '../../../main/capabilities/instances/link.ts'
import { TRIGGERS, type Trigger } from '../../../main/capabilities/instances/status.ts'
import type { Link } from '../../../main/capabilities/instances/store.ts'
import { INSTANCE_STATUSES } from '../../../main/contract/instance-statuses.ts'
import type { InstanceStatus } from '../../../main/contract/shapes.ts'

const NOW = 1_000_000

const HAPPENINGS: { [T in Trigger]: Extract<LinkEvent, { kind: T }> } = {
  start: { kind: 'start', by: 'restart' },
  stop: { kind: 'stop', logout: false },
  qr: { kind: 'qr', attempt: 1, expiresAtMs: NOW + 60_000 },
  qr_expired: { kind: 'qr_expired' },
  passkey_required: { kind: 'passkey_required' },
  passkey_accepted: { kind: 'passkey_accepted' },
  passkey_failed: { kind: 'passkey_failed', reason: 'phone_silent', code: null },
  connected: { kind: 'connected', number: '12025550123', name: 'Acme' },
  link_lost: { kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: NOW + 8_000 },
  link_ended: { kind: 'link_ended', reason: 'bad_session', code: 500 },
  outage: { kind: 'outage', linkLostAtMs: NOW - 5_000 },
  auth_failed: { kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null },
  session_lost: { kind: 'session_lost' },
  recreate: { kind: 'recreate' },
  wiped: { kind: 'wiped' },
}

const FRESH: Link = {
  status: 'created',
  statusAtMs: 0,
  loggedIn: false,
  phoneNumber: null,
  profileName: null,
  willRetry: false,
  nextRetryAtMs: null,
  linkLostAtMs: null,
  downAtMs: null,
  attempts: 0,
  qrAttempt: null,
  qrExpiresAtMs: null,
  lastConnectedAtMs: null,
  lastDisconnectReason: null,
  disconnectCode: null,
  blockedUntilMs: null,
  discard: null,
}
const PAIRED = { loggedIn: true, phoneNumber: '12025550123', profileName: 'Acme', lastConnectedAtMs: 10 } as const

/** The states an instance can be in; two of the statuses come in two kinds. */
const STATES: Record<string, Link> = {
  created: FRESH,
  connecting: { ...FRESH, status: 'connecting', attempts: 1 },
  'connecting, link lost': {
    ...FRESH,
    ...PAIRED,
    status: 'connecting',
    willRetry: true,
    linkLostAtMs: NOW - 5_000,
    downAtMs: NOW - 5_000,
  },
  qr: { ...FRESH, status: 'qr', qrAttempt: 6, qrExpiresAtMs: NOW },
  connected: { ...FRESH, ...PAIRED, status: 'connected' },
  disconnected: { ...FRESH, ...PAIRED, status: 'disconnected', lastDisconnectReason: 'user' },
  'disconnected, retrying': { ...FRESH, ...PAIRED, status: 'disconnected', willRetry: true, downAtMs: NOW - 9_000 },
  auth_failed: { ...FRESH, status: 'auth_failed', lastDisconnectReason: 'logged_out' },
  passkey_required: { ...FRESH, status: 'passkey_required' },
  recreating: { ...FRESH, status: 'recreating', discard: 'wipe' },
}

type Outcome = readonly [to: InstanceStatus, event: string | null]

/** The life of an instance, row by row, written down a second time. What is not in a row changes nothing. */
const ROWS: Record<string, Partial<Record<Trigger, Outcome>>> = {
  created: { start: ['connecting', 'instance.connecting'] },
  connecting: {
    qr: ['qr', 'instance.qr.updated'],
    connected: ['connected', 'instance.connected'],
    auth_failed: ['auth_failed', 'instance.auth_failed'],
    link_ended: ['disconnected', 'instance.disconnected'],
    stop: ['disconnected', 'instance.disconnected'],
    session_lost: ['disconnected', 'instance.disconnected'],
  },
  'connecting, link lost': {
    qr: ['qr', 'instance.qr.updated'],
    connected: ['connected', null],
    outage: ['disconnected', 'instance.disconnected'],
    auth_failed: ['auth_failed', 'instance.auth_failed'],
    link_ended: ['disconnected', 'instance.disconnected'],
    stop: ['disconnected', 'instance.disconnected'],
    session_lost: ['disconnected', 'instance.disconnected'],
  },
  qr: {
    qr: ['qr', 'instance.qr.updated'],
    connected: ['connected', 'instance.connected'],
    qr_expired: ['disconnected', 'instance.disconnected'],
    link_ended: ['disconnected', 'instance.disconnected'],
    passkey_required: ['passkey_required', null],
    passkey_failed: ['disconnected', 'instance.disconnected'],
    stop: ['disconnected', 'instance.disconnected'],
    session_lost: ['disconnected', 'instance.disconnected'],
  },
  connected: {
    link_lost: ['connecting', null],
    link_ended: ['disconnected', 'instance.disconnected'],
    auth_failed: ['auth_failed', 'instance.auth_failed'],
    stop: ['disconnected', 'instance.disconnected'],
    session_lost: ['disconnected', 'instance.disconnected'],
  },
  disconnected: { start: ['connecting', 'instance.connecting'] },
  'disconnected, retrying': {
    start: ['connecting', 'instance.connecting'],
    connected: ['connected', 'instance.connected'],
    auth_failed: ['auth_failed', 'instance.auth_failed'],
    link_lost: ['disconnected', null],
    stop: ['disconnected', null],
    link_ended: ['disconnected', null],
    session_lost: ['disconnected', null],
  },
  auth_failed: { start: ['connecting', 'instance.connecting'] },
  passkey_required: {
    start: ['connecting', 'instance.connecting'],
    passkey_accepted: ['connecting', 'instance.connecting'],
    connected: ['connected', 'instance.connected'],
    passkey_failed: ['disconnected', 'instance.disconnected'],
    link_ended: ['disconnected', 'instance.disconnected'],
    stop: ['disconnected', 'instance.disconnected'],
    session_lost: ['disconnected', 'instance.disconnected'],
  },
  recreating: { wiped: ['connecting', 'instance.connecting'] },
}
/** The row "any". */
const ANY: Partial<Record<Trigger, Outcome>> = { recreate: ['recreating', null] }

test('the table above covers every status and every trigger', () => {
  expect(new Set(Object.values(STATES).map(({ status }) => status))).toEqual(new Set(INSTANCE_STATUSES))
  expect(Object.keys(ROWS)).toEqual(Object.keys(STATES))
  expect(Object.keys(HAPPENINGS)).toEqual([...TRIGGERS])
})

describe.each(Object.entries(STATES))('an instance in the state %s', (state, link) => {
  test.each(TRIGGERS)('on %s changes as the table says, or not at all', (trigger) => {
    const outcome = applyEvent(link, HAPPENINGS[trigger], NOW)
    const wanted = ROWS[state]?.[trigger] ?? ANY[trigger]
    if (wanted) expect([outcome?.link.status, outcome?.announcement?.type ?? null]).toEqual(wanted)
    else expect(outcome).toBeUndefined()
  })

  test.each(TRIGGERS)('changes statusAtMs on %s only if the status changes', (trigger) => {
    const after = applyEvent(link, HAPPENINGS[trigger], NOW)?.link
    if (after) expect(after.statusAtMs).toBe(after.status === link.status ? link.statusAtMs : NOW)
  })
})

describe('a status change', () => {
  const after = (state: string, happening: LinkEvent) => applyEvent(STATES[state] ?? FRESH, happening, NOW)

  test('sets willRetry only after a lost connection', () => {
    for (const link of Object.values(STATES)) {
      for (const trigger of TRIGGERS) {
        const made = applyEvent(link, HAPPENINGS[trigger], NOW)?.link
        if (made?.willRetry) expect(['link_lost', 'outage']).toContain(trigger)
      }
    }
  })

  test('to connected sets a valid session, and one to auth_failed or qr removes it', () => {
    for (const link of Object.values(STATES)) {
      for (const trigger of TRIGGERS) {
        const made = applyEvent(link, HAPPENINGS[trigger], NOW)?.link
        if (made?.status === 'connected')
          expect(made).toMatchObject({ loggedIn: true, linkLostAtMs: null, downAtMs: null, willRetry: false })
        if (made?.status === 'auth_failed' || made?.status === 'qr') expect(made.loggedIn).toBe(false)
      }
    }
  })

  test('to an outage is reported with its facts, and with a retry only if that is in the future', () => {
    const lost: Link = {
      ...(STATES['connecting, link lost'] ?? FRESH),
      lastDisconnectReason: 'connection_lost',
      disconnectCode: 428,
    }
    const data = (nextRetryAtMs: number) =>
      applyEvent({ ...lost, nextRetryAtMs }, HAPPENINGS.outage, NOW)?.announcement?.data
    expect(data(NOW + 3_000)).toEqual({
      reason: 'connection_lost',
      code: 428,
      will_retry: true,
      next_retry_at: new Date(NOW + 3_000).toISOString(),
    })
    expect(data(NOW - 1)).toMatchObject({ next_retry_at: null })
  })

  test('for an outage is dropped if the connection was lost again meanwhile', () => {
    expect(after('connecting, link lost', { kind: 'outage', linkLostAtMs: NOW - 5_001 })).toBeUndefined()
  })

  test('is not repeated for the same code', () => {
    expect(after('qr', { kind: 'qr', attempt: 6, expiresAtMs: NOW })).toBeUndefined()
    expect(after('qr', { kind: 'qr', attempt: 6, expiresAtMs: NOW + 1 })?.announcement?.type).toBe(
      'instance.qr.updated',
    )
  })

  test('to connected with other facts updates the record without an event', () => {
    expect(after('connected', HAPPENINGS.connected)).toBeUndefined()
    const renamed = after('connected', { kind: 'connected', number: '12025550123', name: 'Acme Ltd' })
    expect(renamed).toEqual({
      link: { ...STATES['connected'], profileName: 'Acme Ltd' },
      announcement: null,
      reconnected: false,
    })
  })

  test.each(['auth_failed', 'disconnected'])('by a logout from %s discards the rest of the session, once', (state) => {
    const made = after(state, { kind: 'stop', logout: true })
    expect(made).toMatchObject({
      announcement: null,
      link: { status: state, loggedIn: false, phoneNumber: null, discard: 'logout', lastDisconnectReason: 'logout' },
    })
    expect(made && applyEvent(made.link, { kind: 'stop', logout: true }, NOW)).toBeUndefined()
  })

  test.each(['created', 'recreating'])('does not happen on a logout from %s, because there is no session', (state) => {
    expect(after(state, { kind: 'stop', logout: true })).toBeUndefined()
  })

  test('by a recreate resets everything except what still has to be wiped', () => {
    for (const link of Object.values(STATES)) {
      const used: Link = { ...link, discard: 'logout', attempts: 7, blockedUntilMs: NOW, disconnectCode: 401 }
      const made = applyEvent(used, HAPPENINGS.recreate, NOW)?.link
      expect(made).toEqual({ ...FRESH, status: 'recreating', statusAtMs: made?.statusAtMs, discard: 'wipe' })
      const begun = made && applyEvent(made, HAPPENINGS.wiped, NOW)
      expect(begun?.link).toEqual({ ...FRESH, status: 'connecting', statusAtMs: NOW, attempts: 1 })
      expect(begun?.announcement?.data).toEqual({ reason: 'start', attempt: 1 })
    }
  })

  test('by a start contains its reason and the number of the attempt', () => {
    const data = (state: string, by: 'restart' | 'pairing') => after(state, { kind: 'start', by })?.announcement?.data
    expect(data('created', 'restart')).toEqual({ reason: 'start', attempt: 1 })
    expect(data('disconnected', 'pairing')).toEqual({ reason: 'start', attempt: 1 })
    expect(data('disconnected', 'restart')).toEqual({ reason: 'restart', attempt: 1 })
    const tried: Link = { ...FRESH, status: 'auth_failed', attempts: 2 }
    expect(applyEvent(tried, HAPPENINGS.start, NOW)?.announcement?.data).toEqual({ reason: 'restart', attempt: 3 })
  })
})
