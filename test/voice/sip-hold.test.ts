import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock, type Clock } from '../../main/kernel/clock.ts'
import { systemResolve } from '../../main/outbound/outbound.ts'
import { FRAME } from '../../main/voice/audio.ts'
import { createTrunks } from '../../main/voice/gateways/sip/trunks.ts'
import type { CallLeg, LegEvents } from '../../main/voice/leg.ts'
import { createVoiceNetwork } from '../../main/voice/network.ts'
import { trunkAt, until } from './sip-calls.ts'
import { exchange, type ExchangeCall } from './sip-exchange.ts'
import { header, statusOf } from './sip-messages.ts'

/** What we change in a running call of a trunk: hold (RFC 3264, 8.4), keys (RFC 4733), transfers (RFC 3515). */

type Options = Partial<Parameters<typeof exchange>[0]>

const SILENCE = new Int16Array(FRAME)

/** Time that passes faster. */
function hurriedClock(times: number): Clock {
  const startedMs = systemClock.mono()
  return {
    ...systemClock,
    mono: () => startedMs + times * (systemClock.mono() - startedMs),
    after: (ms, act) => systemClock.after(ms / times, act),
  }
}

function follow(leg: CallLeg) {
  const events: string[] = []
  leg.start({
    onLocalSdp() {},
    onRinging() {},
    onConnected: () => events.push('connected'),
    onCaption() {},
    onDigit() {},
    onHeld: (isHeld) => events.push(isHeld ? 'held' : 'resumed'),
    onNotTransferred: (failure) => events.push(`not transferred: ${failure}`),
    onEnded: (reason) => events.push(reason),
  } satisfies LegEvents)
  // As a session does it.
  const pace = systemClock.every(20, () => {
    leg.send(SILENCE)
    leg.take()
  })
  onTestFinished(() => {
    pace.cancel()
    leg.hangUp('operator_hung_up')
  })
  return events
}

function trunksWith(clock: Clock, onIncoming: (id: string) => void = () => {}) {
  const network = createVoiceNetwork({ clock: systemClock, resolve: systemResolve })
  const trunks = createTrunks({ clock, network, onIncoming: ({ incomingId }) => onIncoming(incomingId) })
  onTestFinished(() => trunks.close())
  return trunks
}

/** A call that we make and the exchange has answered. */
async function dialed(options: Options = {}, clock: Clock = systemClock) {
  const office = await exchange({ transport: 'tcp', formats: '0 101', ...options })
  const leg = trunksWith(clock).dial(trunkAt(office.port), '12025550151')
  const events = follow(leg)
  const call = await office.nextCall()
  await until(() => events.includes('connected'), 'The connection')
  await office.acknowledged(call)
  return { office, leg, events, call }
}

/** A call of the exchange that we have answered. */
async function received(options: Options = {}, clock: Clock = systemClock) {
  const office = await exchange({ transport: 'tcp', formats: '0 101', ...options })
  let incoming: string | undefined
  const trunks = trunksWith(clock, (id) => (incoming = id))
  trunks.register('line', trunkAt(office.port))
  onTestFinished(() => trunks.register('line', null))
  await office.registered()
  const call = await office.call({ formats: '0 101' })
  await until(() => incoming !== undefined, 'The call')
  const leg = trunks.answer(incoming ?? '')
  const events = follow(leg)
  await until(() => events.includes('connected'), 'The connection')
  return { office, leg, events, call }
}

async function expectNoFaults({ changes, phone }: ExchangeCall): Promise<void> {
  await until(() => changes.waiting() === 0, 'The ACK for each answer')
  expect(changes.faults).toEqual([])
  expect(phone.heard.faults).toEqual([])
}

describe('putting a call on hold', () => {
  test.each([
    ['we made', dialed],
    ['came in', received],
  ])('sends a re-INVITE with sendonly for a call that %s, and sendrecv to resume it', async (_, begin) => {
    const { leg, events, call } = await begin()
    expect(await leg.hold?.(true)).toEqual({ ok: true })
    // A second time changes nothing.
    expect(await leg.hold?.(true)).toEqual({ ok: true })
    const before = leg.counts().framesIn
    const heard = call.phone.heard.packets
    for (let i = 0; i < 500; i++) leg.take()
    await until(() => call.phone.heard.packets > heard + 5, 'Silence, which keeps the way open')
    expect(leg.counts().framesIn).toBe(before)
    expect(await leg.hold?.(false)).toEqual({ ok: true })
    await until(() => leg.counts().framesIn > before + 5, 'Their sound')
    expect(leg.counts().framesLost).toBe(0)
    expect(call.changes.directions()).toEqual(['sendonly', 'sendrecv'])
    expect(call.changes.requests.map((one) => header(one, 'session-expires'))).toEqual([
      ...[expect.stringMatching(/^\d+;refresher=u/), expect.stringMatching(/^\d+;refresher=u/)],
    ])
    expect(events).toEqual(['connected', 'held', 'resumed'])
    await expectNoFaults(call)
  })

  test('authenticates again if the exchange asks for it', async () => {
    const { leg, events, call } = await dialed({ challenges: true })
    expect(await leg.hold?.(true)).toEqual({ ok: true })
    expect(await leg.hold?.(false)).toEqual({ ok: true })
    expect(events).toEqual(['connected', 'held', 'resumed'])
    await expectNoFaults(call)
  })

  test('sends inactive if the other side has us on hold, and keeps it in our answers', async () => {
    const { leg, call } = await dialed()
    expect((await call.reinvite('sendonly')).body).toContain('a=recvonly\r\n')
    expect(await leg.hold?.(true)).toEqual({ ok: true })
    expect(call.changes.directions()).toEqual(['inactive'])
    expect((await call.reinvite('sendrecv')).body).toContain('a=sendonly\r\n')
    expect((await call.reinvite('sendonly')).body).toContain('a=inactive\r\n')
    expect(await leg.hold?.(false)).toEqual({ ok: true })
    expect(call.changes.directions()).toEqual(['inactive', 'sendrecv'])
    await until(() => call.changes.waiting() === 0, 'The ACK for each answer')
  })

  test('holds even if their answer does not mention it, and drops their sound', async () => {
    const { leg, call } = await dialed({ onReinvite: () => 'stays' })
    expect(await leg.hold?.(true)).toEqual({ ok: true })
    call.phone.talkTo(call.changes.offers[0] ?? '')
    await systemClock.sleep(100)
    const before = leg.counts().framesIn
    await systemClock.sleep(200)
    expect(leg.counts().framesIn).toBe(before)
  })

  test.each([403, 488, 501, 603])('leaves the call unchanged if it is refused with %i', async (status) => {
    const { leg, events, call } = await dialed({ onReinvite: (count) => (count === 1 ? status : 'accepts') })
    expect(await leg.hold?.(true)).toEqual({ ok: false, why: 'refused', status })
    const before = leg.counts().framesIn
    await until(() => leg.counts().framesIn > before + 5, 'Their sound')
    expect(await leg.hold?.(true)).toEqual({ ok: true })
    expect(await leg.hold?.(false)).toEqual({ ok: true })
    expect(events).toEqual(['connected', 'held', 'resumed'])
    await expectNoFaults(call)
  })

  test('ends the call if the exchange no longer knows it', async () => {
    const { leg, events } = await dialed({ onReinvite: () => 481 })
    expect(await leg.hold?.(true)).toEqual({ ok: false, why: 'refused', status: 481 })
    expect(events).toEqual(['connected', 'person_hung_up'])
  })

  test.each([
    ['we made', dialed, 2_100, 4_000],
    ['came in', received, 0, 2_000],
  ] as const)(
    'repeats the offer for a call that %s after an offer of theirs crossed it',
    async (_, begin, least, most) => {
      const times = 5
      const clock = hurriedClock(times)
      const { leg, events, call } = await begin({ onReinvite: (count) => (count < 3 ? 491 : 'accepts') }, clock)
      const startedAt = performance.now()
      expect(await leg.hold?.(true)).toEqual({ ok: true })
      const [first = 0, second = 0, third = 0] = call.changes.offeredAtMs
      expect(first - startedAt).toBeLessThan(1_000)
      for (const gap of [second - first, third - second]) {
        expect(times * gap).toBeGreaterThanOrEqual(least - 20)
        expect(times * gap).toBeLessThan(most + 2_000)
      }
      expect(call.changes.directions()).toEqual(['sendonly', 'sendonly', 'sendonly'])
      expect(events).toEqual(['connected', 'held'])
      await expectNoFaults(call)
    },
  )

  test('gives up after ten seconds of crossing offers', async () => {
    const clock = hurriedClock(20)
    const { leg, events, call } = await dialed({ onReinvite: () => 491 }, clock)
    const given = await leg.hold?.(true)
    // It may be that the last offer was not answered yet.
    expect(['busy', 'no_answer']).toContain(given?.ok === false && given.why)
    expect(call.changes.offers.length).toBeGreaterThan(1)
    const tried = call.changes.offers.length
    await systemClock.sleep(400)
    expect(call.changes.offers).toHaveLength(tried)
    expect(events).toEqual(['connected'])
    await expectNoFaults(call)
  })

  test('refuses an offer of theirs that arrives meanwhile, once', async () => {
    const { leg, events, call } = await dialed({ onReinvite: (count) => (count === 1 ? 'tries' : 'accepts') })
    const held = leg.hold?.(true)
    await until(() => call.changes.offers.length === 1, 'Our offer')
    expect(statusOf(await call.reinvite('inactive'))).toBe(491)
    call.changes.acceptLate()
    expect(await held).toEqual({ ok: true })
    expect(await leg.hold?.(false)).toEqual({ ok: true })
    expect(events).toEqual(['connected', 'held', 'resumed'])
  })

  test.each(['silent', 'tries'] as const)('gives up if nobody answers (%s), and the call continues', async (how) => {
    const clock = hurriedClock(20)
    const { office, leg, events, call } = await dialed({ onReinvite: () => how }, clock)
    expect(await leg.hold?.(true)).toEqual({ ok: false, why: 'no_answer' })
    const before = leg.counts().framesIn
    await until(() => leg.counts().framesIn > before + 5, 'Their sound')
    expect(office.in(call, 'CANCEL')).toHaveLength(how === 'tries' ? 1 : 0)
    expect(events).toEqual(['connected'])
    // An answer that is late is what both sides agree on.
    call.changes.acceptLate()
    await until(() => events.includes('held'), 'The hold')
    await until(() => call.changes.waiting() === 0, 'The ACK')
  })

  test('acknowledges a repeated answer again', async () => {
    const { office, leg, events, call } = await dialed()
    expect(await leg.hold?.(true)).toEqual({ ok: true })
    const acks = () => office.in(call, 'ACK').length
    await until(() => call.changes.waiting() === 0, 'The ACK')
    const before = acks()
    call.changes.repeat()
    await until(() => acks() === before + 1, 'The second ACK')
    expect(events).toEqual(['connected', 'held'])
  })

  test('stops waiting when the call ends', async () => {
    const { leg, call } = await dialed({ onReinvite: () => 'silent' })
    const held = leg.hold?.(true)
    expect(await leg.hold?.(false)).toEqual({ ok: false, why: 'busy' })
    await until(() => call.changes.offers.length === 1, 'Our offer')
    await call.hangUp()
    expect(await held).toEqual({ ok: false, why: 'not_running' })
    expect(await leg.hold?.(true)).toEqual({ ok: false, why: 'not_running' })
  })

  test('survives a broken connection', async () => {
    const { office, leg, events } = await dialed({ onReinvite: () => 'silent' })
    office.failAt('INVITE', 'breaks')
    const held = await leg.hold?.(true)
    expect(held).toMatchObject({ ok: false })
    expect(events).toEqual(['connected'])
  })
})

describe('keys', () => {
  test('last 160 ms each, end three times, and are reported when sent', async () => {
    const { leg, call } = await dialed()
    const startedAt = performance.now()
    expect(await leg.press?.('159*0#D')).toEqual({ ok: true })
    expect(performance.now() - startedAt).toBeGreaterThan(1_500)
    await until(() => call.phone.heard.keys.at(-1)?.ends === 3, 'The last key')
    expect(call.phone.heard.keys).toEqual(Array.from('159*0#D').map((key) => ({ key, milliseconds: 160, ends: 3 })))
    expect(call.phone.heard.faults).toEqual([])
  })

  test('are sent in the order in which they were pressed', async () => {
    const { leg, call } = await dialed()
    await Promise.all(Array.from('1234').map(async (key) => leg.press?.(key)))
    expect(call.phone.heard.keys.map(({ key }) => key).join('')).toBe('1234')
  })

  test('are refused if the other side accepts none, on hold, in too large a number, and after the call', async () => {
    const deaf = await dialed({ formats: '0' })
    expect(await deaf.leg.press?.('1')).toEqual({ ok: false, why: 'no_digits' })
    const { leg, call } = await dialed()
    void leg.press?.('1'.repeat(40))
    expect(await leg.press?.('2'.repeat(40))).toEqual({ ok: false, why: 'busy' })
    const waiting = leg.press?.('3')
    await call.reinvite('sendonly')
    expect(await waiting).toEqual({ ok: false, why: 'on_hold' })
    expect(await leg.press?.('1')).toEqual({ ok: false, why: 'on_hold' })
    await call.reinvite('sendrecv')
    const pressed = leg.press?.('4'.repeat(20))
    await call.hangUp()
    expect(await pressed).toEqual({ ok: false, why: 'not_running' })
    expect(await leg.press?.('1')).toEqual({ ok: false, why: 'not_running' })
  })
})

describe('a transfer', () => {
  const TARGET = 'sip:12025550177@127.0.0.1'
  const ACTIVE = [
    ...([
      ['Event', 'refer'],
      ['Subscription-State', 'active;expires=60'],
      ['Content-Type', 'message/sipfrag;version=2.0'],
    ] as const),
  ]

  test.each([
    ['we made', dialed],
    ['came in', received],
  ])('ends a call that %s once the trunk reports an answer', async (_, begin) => {
    const { office, leg, events, call } = await begin({ challenges: true })
    expect(await leg.transfer?.('12025550177')).toEqual({ ok: true })
    expect(call.changes.targets).toEqual([TARGET])
    expect(await call.notify('SIP/2.0 100 Trying', ACTIVE)).toBe(200)
    expect(await call.notify('SIP/2.0 180 Ringing\r\n', ACTIVE)).toBe(200)
    expect(events).toEqual(['connected'])
    expect(await call.notify('SIP/2.0 200 OK\r\n')).toBe(200)
    await until(() => office.in(call, 'BYE').length === 1, 'Our end')
    expect(events).toEqual(['connected', 'transferred'])
    await expectNoFaults(call)
  })

  test.each([
    ['SIP/2.0 486 Busy Here', 'busy'],
    ['SIP/2.0 603 Decline', 'rejected'],
    ['SIP/2.0 404 Not Found', 'number_not_callable'],
    ['SIP/2.0 480 Temporarily Unavailable', 'no_answer'],
    ['SIP/2.0 503 Service Unavailable', 'failed'],
    ['SIP/2.0 100 Trying', 'null'],
    ['', 'null'],
  ])('fails if the trunk reports %j: %s', async (fragment, failure) => {
    const { office, leg, events, call } = await dialed()
    expect(await leg.transfer?.('12025550177')).toEqual({ ok: true })
    expect(await call.notify(fragment)).toBe(200)
    expect(events).toEqual(['connected', `not transferred: ${failure}`])
    // What comes later is of no transfer.
    expect(await call.notify('SIP/2.0 200 OK')).toBe(481)
    expect(await leg.transfer?.('12025550177')).toEqual({ ok: true })
    expect(office.in(call, 'BYE')).toEqual([])
    await expectNoFaults(call)
  })

  test.each([403, 405, 501, 603])('leaves the call unchanged if it is refused with %i', async (status) => {
    const { leg, events, call } = await dialed({ onRefer: status })
    expect(await leg.transfer?.('12025550177')).toEqual({ ok: false, why: 'refused', status })
    const before = leg.counts().framesIn
    await until(() => leg.counts().framesIn > before + 5, 'Their sound')
    expect(events).toEqual(['connected'])
    expect(await call.notify('SIP/2.0 200 OK')).toBe(481)
  })

  test('accepts a result that arrives before the answer to the request', async () => {
    const { leg, events, call } = await dialed({ onRefer: 'silent' })
    const asked = leg.transfer?.('12025550177')
    await until(() => call.changes.targets.length === 1, 'The request')
    expect(await leg.transfer?.('12025550178')).toEqual({ ok: false, why: 'busy' })
    expect(await call.notify('SIP/2.0 200 OK')).toBe(200)
    expect(await asked).toEqual({ ok: true })
    expect(events).toEqual(['connected', 'transferred'])
  })

  test.each(['silent', 202] as const)('gives up after 90 seconds without a result (%s)', async (onRefer) => {
    const clock = hurriedClock(20)
    const { leg, events, call } = await dialed({ onRefer }, clock)
    const answer = onRefer === 202 ? { ok: true } : { ok: false, why: 'no_answer' }
    expect(await leg.transfer?.('12025550177')).toEqual(answer)
    expect(events).toEqual(['connected'])
    await until(() => events.length > 1, 'The end of the transfer')
    expect(events).toEqual(['connected', 'not transferred: timed_out'])
    expect(await call.notify('SIP/2.0 200 OK')).toBe(481)
    expect(events).toHaveLength(2)
  })

  test('follows only its own reports', async () => {
    const { leg, events, call } = await dialed()
    expect(await call.notify('SIP/2.0 200 OK')).toBe(481)
    expect(await leg.transfer?.('12025550177')).toEqual({ ok: true })
    const [, state, type] = ACTIVE as [readonly [string, string], readonly [string, string], readonly [string, string]]
    expect(await call.notify('SIP/2.0 200 OK', [['Event', 'refer;id=1'], state, type])).toBe(481)
    expect(await call.notify('SIP/2.0 200 OK', [['Event', 'message-summary'], state, type])).toBe(489)
    expect(await call.notify('SIP/2.0 200 OK', [state, type])).toBe(489)
    const id = header(call.changes.requests.at(-1) as NonNullable<(typeof call.changes.requests)[number]>, 'cseq')
    expect(events).toEqual(['connected'])
    expect(await call.notify('SIP/2.0 200 OK', [['Event', `refer; id=${Number.parseInt(id)}`], state, type])).toBe(200)
    expect(events).toEqual(['connected', 'transferred'])
  })

  test('stops waiting when the call ends', async () => {
    const { leg, events, call } = await dialed({ onRefer: 'silent' })
    const asked = leg.transfer?.('12025550177')
    await until(() => call.changes.targets.length === 1, 'The request')
    await call.hangUp()
    expect(await asked).toEqual({ ok: false, why: 'not_running' })
    expect(events).toEqual(['connected', 'person_hung_up'])
  })
})

describe('a broken connection', () => {
  test.each([
    ['we made', dialed],
    ['came in', received],
  ] as const)('tells the exchange the new address of a call that %s and keeps the hold', async (_, begin) => {
    const { office, leg, events, call } = await begin()
    expect(await leg.hold?.(true)).toEqual({ ok: true })
    await until(() => call.changes.waiting() === 0, 'The ACK')
    office.dropLinks()
    await until(() => call.changes.offers.length === 2, 'The offer over the next connection')
    await expectNoFaults(call)
    expect(call.changes.directions()).toEqual(['sendonly', 'sendonly'])
    expect(events).toEqual(['connected', 'held'])
    expect(await leg.hold?.(false)).toEqual({ ok: true })
    expect(events).toEqual(['connected', 'held', 'resumed'])
    expect(await call.hangUp()).toBe(200)
    await until(() => events.includes('person_hung_up'), 'The end')
  })

  test('is followed by another offer if it breaks during a change', async () => {
    const { office, leg, events, call } = await dialed({ onReinvite: (count) => (count === 1 ? 'silent' : 'accepts') })
    const held = leg.hold?.(true)
    await until(() => call.changes.offers.length === 1, 'The first offer')
    office.dropLinks()
    expect(await held).toMatchObject({ ok: false })
    await until(() => call.changes.offers.length === 2, 'The offer over the next connection')
    expect(call.changes.directions()).toEqual(['sendonly', 'sendrecv'])
    expect(await call.hangUp()).toBe(200)
    await until(() => events.includes('person_hung_up'), 'The end')
  })

  test('does not end a call whose new offer is refused', async () => {
    const { office, leg, events, call } = await dialed({ onReinvite: () => 488 })
    office.dropLinks()
    await until(() => call.changes.offers.length === 1, 'The offer over the next connection')
    await until(() => office.in(call, 'ACK').length === 3, 'The ACK')
    expect(events).toEqual(['connected'])
    leg.hangUp('operator_hung_up')
    await until(() => office.in(call, 'BYE').length === 1, 'The BYE')
  })
})
