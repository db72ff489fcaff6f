import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LinkSignal } from '../../../main/capabilities/instances/index.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

let room: InstancesRoom
let id: InstanceId

const NUMBER = '12025550123'
const DAY_MS = 86_400_000
const QR: LinkSignal = { kind: 'qr', attempt: 1, expiresAtMs: 9e12 }
const BANNED: LinkSignal = { kind: 'auth_failed', reason: 'banned', code: 403, untilMs: null }
const iso = (ms: number) => new Date(ms).toISOString()
const signal = (happened: LinkSignal) => room.instances.onSignal(id, happened)
const read = () => room.instances.get(id)

beforeEach(async () => {
  room = await instancesRoom()
  ;({ id } = await room.connected(NUMBER))
})
afterEach(() => room.close())

async function ban(refusal: LinkSignal = BANNED): Promise<void> {
  await signal(refusal)
  room.newEvents()
}

/** Everything a person can read of a ban, whatever was tried meanwhile. */
async function expectBanned(status: string): Promise<void> {
  expect(await read()).toMatchObject({
    status,
    connected: false,
    logged_in: false,
    phone_number: NUMBER,
    profile_name: 'Acme',
    last_disconnect_reason: 'banned',
  })
}

const FAILURES: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a code that nobody scans', () => signal({ kind: 'qr_expired' })],
  ['a session the network rejects', () => signal({ kind: 'link_ended', reason: 'bad_session', code: 500 })],
  ['a disconnect', () => room.instances.disconnect(id, false)],
  ['a logout', () => room.instances.disconnect(id, true)],
  [
    'a restart of the service',
    async () => {
      room.smv2.script.links.set(id, 'no_session')
      await room.restarted().resumeAll()
    },
  ],
]

describe.each([
  ['a restart', () => room.instances.restart(id)],
  ['a new QR code', () => room.instances.qr.refresh(id)],
])('a banned number after %s', (_name, begin) => {
  test.each(FAILURES)('is still banned after %s', async (_failure, fail) => {
    await ban()
    await begin()
    await expectBanned('connecting')
    await signal(QR)
    await expectBanned('qr')
    room.newEvents()
    await fail()
    await expectBanned('auth_failed')
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.auth_failed', data: { reason: 'banned', code: 403, until: null } },
    ])
    expect((await room.instances.health(id)).issues).toMatchObject([{ code: 'banned' }])
  })

  test('stays banned if the network answers that it is signed out', async () => {
    await ban()
    await begin()
    await signal({ kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null })
    await expectBanned('auth_failed')
  })

  test('keeps the facts about its ban while the account asks for a passkey', async () => {
    await ban()
    await begin()
    await signal(QR)
    await signal({ kind: 'passkey_required' })
    await expectBanned('passkey_required')
  })

  test('is no longer banned once a pairing succeeds', async () => {
    await ban()
    await begin()
    await signal(QR)
    await signal({ kind: 'connected', number: '12025550177', name: 'New' })
    await signal({ kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: null })
    await room.clock.advance(5_000)
    expect(await read()).toMatchObject({
      status: 'disconnected',
      phone_number: '12025550177',
      last_disconnect_reason: 'connection_lost',
    })
  })
})

test('a logout of a banned number discards its session and keeps the ban', async () => {
  await ban()
  await room.instances.disconnect(id, true)
  await expectBanned('auth_failed')
  expect(room.smv2.calls.at(-1)).toContain('logout')
  expect(room.newEvents()).toEqual([])
})

test('a recreate removes the ban', async () => {
  await ban()
  const subject = await room.instances.subject(room.accountId, id)
  if (subject) await room.instances.recreate.one(subject)
  expect(await read()).toMatchObject({ status: 'recreating', phone_number: null, last_disconnect_reason: null })
})

describe('a temporary ban', () => {
  const until = () => room.clock.now() + DAY_MS

  test('shows its end in the record and in the health', async () => {
    const untilMs = until()
    await ban({ kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs })
    expect(await read()).toMatchObject({ last_disconnect_reason: 'temporary_ban', banned_until: iso(untilMs) })
    await room.instances.restart(id)
    await signal(QR)
    const restriction = { active: true, kind: 'temporary_ban', until: iso(untilMs) }
    expect(await room.instances.health(id)).toMatchObject({ restriction })
    await signal({ kind: 'qr_expired' })
    expect(await read()).toMatchObject({ status: 'auth_failed', banned_until: iso(untilMs) })
    expect(await room.instances.health(id)).toMatchObject({ restriction, issues: [{ code: 'temporary_ban' }] })
  })

  test('is replaced by newer facts about the ban', async () => {
    await ban({ kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs: until() })
    await room.instances.restart(id)
    await signal(BANNED)
    expect(await read()).toMatchObject({ last_disconnect_reason: 'banned', banned_until: null })
  })

  test('that is over does not hide later events', async () => {
    await ban({ kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs: until() })
    await room.clock.advance(DAY_MS)
    await room.instances.restart(id)
    await signal({ kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null })
    expect(await read()).toMatchObject({
      status: 'auth_failed',
      last_disconnect_reason: 'logged_out',
      banned_until: null,
      phone_number: NUMBER,
    })
  })

  test('ends when the session reconnects', async () => {
    await ban({ kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs: until() })
    await room.instances.restart(id)
    await signal({ kind: 'connected', number: NUMBER, name: 'Acme' })
    expect(await room.instances.health(id)).toMatchObject({ status: 'ok', restriction: null })
  })
})

describe('after the end of a temporary ban', () => {
  const MINUTE_MS = 60_000
  const HOUR_MS = 60 * MINUTE_MS
  const banUntil = (untilMs: number | null) => ban({ kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs })

  test.each([
    ['a minute after its end', HOUR_MS],
    ['a day later where the network names no end', null],
  ])('the number reconnects automatically, %s', async (_name, lastsMs) => {
    room.jobs.start()
    const starts = () => room.smv2.calls.filter((call) => call.startsWith('start ')).length
    const before = starts()
    await banUntil(lastsMs === null ? null : room.clock.now() + lastsMs)
    await room.clock.advance(lastsMs ?? DAY_MS)
    expect([(await read()).status, starts()]).toEqual(['auth_failed', before])
    await room.clock.advance(2 * MINUTE_MS)
    expect([(await read()).status, starts()]).toEqual(['connecting', before + 1])
  })

  test('the number reconnects even if the service was restarted meanwhile', async () => {
    await banUntil(room.clock.now() + HOUR_MS)
    room.restarted()
    room.jobs.start()
    await room.clock.advance(HOUR_MS + 2 * MINUTE_MS)
    expect(await read()).toMatchObject({ status: 'connecting' })
  })

  test('nothing happens to a number that was paired again or is banned for longer', async () => {
    room.jobs.start()
    await banUntil(room.clock.now() + HOUR_MS)
    await room.instances.restart(id)
    await signal({ kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs: room.clock.now() + 3 * HOUR_MS })
    await room.clock.advance(HOUR_MS + 2 * MINUTE_MS)
    expect(await read()).toMatchObject({ status: 'auth_failed' })
    await room.instances.restart(id)
    await signal({ kind: 'connected', number: NUMBER, name: 'Acme' })
    await room.clock.advance(3 * HOUR_MS)
    expect(await read()).toMatchObject({ status: 'connected' })
  })
})

test('a number that was signed out keeps showing its phone number while it is paired again', async () => {
  await signal({ kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null })
  await room.instances.qr.refresh(id)
  await signal(QR)
  expect(await read()).toMatchObject({ status: 'qr', phone_number: NUMBER })
  expect(await room.instances.connection(id)).toMatchObject({ logged_in: false, number: null })
  await signal({ kind: 'qr_expired' })
  expect(await read()).toMatchObject({ status: 'disconnected', last_disconnect_reason: 'qr_expired' })
})

test('an old session is not mistaken for the new pairing that a restart of the service interrupted', async () => {
  await signal({ kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null })
  await room.instances.qr.refresh(id)
  await signal(QR)
  room.smv2.script.links.set(id, 'connected')
  await room.restarted().resumeAll()
  expect(await read()).toMatchObject({ status: 'qr' })
  await signal({ kind: 'connected', number: '12025550177', name: 'New' })
  expect(await read()).toMatchObject({ status: 'connected', phone_number: '12025550177' })
})
