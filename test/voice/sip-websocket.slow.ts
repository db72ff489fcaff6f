import { describe, expect, onTestFinished, test } from 'vitest'
import type { CallPlan, SipTrunk } from '../../main/voice/voice-process.ts'
import { expectSound, isPortFree } from './rtp-phone.ts'
import { sipCalls, trunkAt, until } from './sip-calls.ts'
import { exchange, type Exchange } from './sip-exchange.ts'
import { header, headers, methodOf, requestUri, uriOf } from './sip-messages.ts'

/** SIP over WebSocket (RFC 7118), with an exchange that was written for these tests. */

const NUMBER = '12025550151'
const { voice, place, nextIncoming } = sipCalls()

const trunkTo = ({ port, ca, transport }: Exchange): SipTrunk => trunkAt(port, { transport, host: 'localhost', ca })
const dial = (office: Exchange, callId: string, more: Partial<CallPlan> = {}) =>
  place({ kind: 'sip', trunk: trunkTo(office), number: NUMBER }, callId, more)

function register(line: string, office: Exchange): void {
  voice.register(line, trunkTo(office))
  onTestFinished(() => voice.register(line, null))
}

describe('the registration', () => {
  test('is checked with the right password, and taken back', async () => {
    const office = await exchange({ transport: 'wss' })
    expect(await voice.checkTrunk(trunkTo(office))).toMatchObject({ ok: true })
    expect(office.offered).toEqual([['sip']])
    const [first] = office.requests
    expect(first && header(first, 'via')).toMatch(/^SIP\/2\.0\/WSS \w+\.invalid;branch=z9hG4bK/)
    expect(first && uriOf(header(first, 'contact'))).toMatch(/^sip:\w+@\w+\.invalid;transport=ws$/)
    const { expires, link } = await office.registered(2)
    expect(expires).toBe(0)
    await until(() => !link.isOpen(), 'The end of the connection')
    expect(office.registrations.map((one) => one.expires)).toEqual([300, 0])
  })

  test('fails with a wrong password, which is tried once', async () => {
    const office = await exchange({ transport: 'wss' })
    const result = await voice.checkTrunk({ ...trunkTo(office), password: 'wrong' })
    expect(result).toEqual({ ok: false, error: 'Authentication Error' })
    expect(office.requests.map(methodOf)).toEqual(['REGISTER', 'REGISTER'])
    expect(office.registrations).toEqual([])
    await until(() => office.openLinks() === 0, 'The end of the connection')
  })

  test('fails at a certificate of somebody else', async () => {
    const office = await exchange({ transport: 'wss' })
    const other = await exchange({ transport: 'wss' })
    expect(await voice.checkTrunk({ ...trunkTo(office), ca: other.ca })).toMatchObject({ ok: false })
    expect(office.requests).toEqual([])
  })

  test('fails at a server that does not speak SIP', async () => {
    const office = await exchange({ transport: 'wss', subprotocol: null })
    expect(await voice.checkTrunk(trunkTo(office))).toMatchObject({ ok: false })
    expect(office.requests).toEqual([])
  })

  test('comes back when the connection breaks', async () => {
    const office = await exchange({ transport: 'wss' })
    office.failAt('REGISTER', 'breaks')
    register('line', office)
    const { link } = await office.registered()
    expect(office.offered).toHaveLength(2)
    // The first request was never answered; the second connection asks again, and then with digest.
    expect(office.requests.map((one) => headers(one, 'authorization').length)).toEqual([0, 0, 1])

    link.end()
    const { link: next } = await office.registered(2)
    expect(office.offered).toHaveLength(3)
    expect(link.isOpen()).toBe(false)
    expect(office.openLinks()).toBe(1)

    const theirs = await office.call()
    voice.refuse((await nextIncoming('line')).incomingId)
    await until(() => theirs.statuses.includes(603), 'The refusal')
    voice.register('line', null)
    expect((await office.registered(3)).expires).toBe(0)
    await until(() => !next.isOpen(), 'The end of the connection')
  })
})

describe('a call that we make', () => {
  test.each(['us', 'them'])('is heard both ways, and hung up by %s', async (who) => {
    const office = await exchange({ transport: 'wss' })
    const call = dial(office, who)
    const theirs = await office.nextCall()
    await until(() => call.said.length > 0, 'The greeting')
    expect(call.states).toEqual(['ringing', 'in_progress'])
    const invite = theirs.remote()
    expect(requestUri(invite)).toBe(`sip:${NUMBER}@localhost:${office.port};transport=ws`)
    expect(header(invite, 'via')).toMatch(/^SIP\/2\.0\/WSS \w+\.invalid;/)
    expect(invite.body).toMatch(/^m=audio [1-9]\d* RTP\/AVP 0 8 101\r$/m)
    // 407, its ACK, and the INVITE again with the next number.
    const number = parseInt(header(invite, 'cseq'))
    expect(office.in(theirs, 'INVITE').map((one) => header(one, 'cseq'))).toEqual([
      `${number - 1} INVITE`,
      `${number} INVITE`,
    ])
    const acks = office.in(theirs, 'ACK')
    expect(acks.map((one) => header(one, 'cseq'))).toEqual([`${number - 1} ACK`, `${number} ACK`])
    expect(acks[1] && requestUri(acks[1])).toBe(uriOf(office.contact))
    expect(acks[1] && uriOf(header(acks[1], 'route'))).toBe(uriOf(office.recordRoute))

    if (who === 'us') call.hangUp('operator_hung_up')
    else expect(await theirs.hangUp()).toBe(200)
    const end = await call.ended
    expect(end?.reason).toBe(who === 'us' ? 'operator_hung_up' : 'person_hung_up')
    expectSound(end, theirs.phone)
    if (who === 'us') await until(() => office.in(theirs, 'BYE').length > 0, 'Their end')
    expect(office.in(theirs, 'BYE')).toHaveLength(who === 'us' ? 1 : 0)
    await until(() => isPortFree(invite.body), 'The port of the sound is closed, which')
    await until(() => office.openLinks() === 0, 'The end of the connection')
  })

  test.each(['tls', 'wss'] as const)(
    'goes on when its %s connection breaks, and ends over the next one',
    async (transport) => {
      const office = await exchange({ transport })
      const call = dial(office, `broken-${transport}`)
      const theirs = await office.nextCall()
      await until(() => call.said.length > 0, 'The greeting')
      await office.acknowledged(theirs)
      office.dropLinks()
      expect(office.openLinks()).toBe(0)
      await until(() => office.openLinks() === 1, 'The next connection')
      expect(call.states).toEqual(['ringing', 'in_progress'])
      call.hangUp('operator_hung_up')
      const end = await call.ended
      expect(end?.reason).toBe('operator_hung_up')
      await until(() => office.in(theirs, 'BYE').length > 0, 'Their end')
      expect(office.in(theirs, 'BYE')).toHaveLength(1)
      expectSound(end, theirs.phone)
      await until(() => office.openLinks() === 0, 'The end of the connection')
    },
  )

  test.each(['tcp', 'tls', 'wss'] as const)(
    'is found again by the other side over the next %s connection',
    async (transport) => {
      const office = await exchange({ transport })
      const call = dial(office, `found-${transport}`)
      const theirs = await office.nextCall()
      await until(() => call.said.length > 0, 'The greeting')
      await office.acknowledged(theirs)
      const before = uriOf(header(theirs.remote(), 'contact'))
      office.dropLinks()
      await until(() => theirs.changes.offers.length > 0, 'The offer over the next connection')
      const [offer] = theirs.changes.requests
      const contact = offer === undefined ? '' : uriOf(header(offer, 'contact'))
      if (transport === 'wss') expect(contact).toBe(before)
      else expect(contact).toMatch(new RegExp(`^sip:\\w+@127\\.0\\.0\\.1:[1-9]\\d*;transport=${transport}\\b`))
      if (transport !== 'wss') expect(contact).not.toBe(before)
      await until(() => office.in(theirs, 'ACK').length === 3, 'The ACK')
      expect(theirs.changes.faults).toEqual([])
      expect(await theirs.hangUp()).toBe(200)
      const end = await call.ended
      expect(end?.reason).toBe('person_hung_up')
      expect(call.states).toEqual(['ringing', 'in_progress'])
      expectSound(end, theirs.phone)
      await until(() => office.openLinks() === 0, 'The end of the connection')
    },
  )

  test('ends when the other side has hung up while its connection was broken', async () => {
    const office = await exchange({ transport: 'tls' })
    const call = dial(office, 'forgotten')
    const theirs = await office.nextCall()
    await until(() => call.said.length > 0, 'The greeting')
    await office.acknowledged(theirs)
    office.dropLinks()
    theirs.forget()
    const end = await call.ended
    expect(end?.reason).toBe('person_hung_up')
    expect(theirs.changes.offers).toEqual([])
    await until(() => office.openLinks() === 0, 'The end of the connection')
  })

  test.each([
    [404, 'number_not_callable'],
    [480, 'no_answer'],
    [486, 'busy'],
    [488, 'codec_not_supported'],
    [503, 'gateway_unavailable'],
    [603, 'rejected'],
  ] as const)('is refused with %i: %s', async (status, reason) => {
    const office = await exchange({ transport: 'wss', onInvite: status })
    const call = dial(office, `refused-${status}`)
    expect(await call.ended).toMatchObject({ reason, talkedMs: null, recording: null })
    const theirs = await office.nextCall()
    await until(() => office.in(theirs, 'ACK').length === 2, 'The ACK')
    expect(theirs.statuses).toEqual([100, status])
  })

  test('is given up when nobody answers', async () => {
    const office = await exchange({ transport: 'wss', onInvite: 'rings' })
    const call = dial(office, 'ringing', { ringMs: 1_000 })
    const theirs = await office.nextCall()
    expect(await call.ended).toMatchObject({ reason: 'no_answer', talkedMs: null })
    expect(call.states).toEqual(['ringing'])
    await until(() => office.in(theirs, 'ACK').length === 2, 'The ACK')
    expect(office.in(theirs, 'CANCEL')).toHaveLength(1)
    expect(theirs.statuses).toEqual([100, 180, 487])
    await until(() => isPortFree(theirs.remote().body), 'The port of the sound is closed, which')
  })

  test('ends when it is answered without G.711', async () => {
    const office = await exchange({ transport: 'wss', formats: '96' })
    const call = dial(office, 'opus')
    const theirs = await office.nextCall()
    expect(await call.ended).toMatchObject({ reason: 'codec_not_supported', talkedMs: null })
    await until(() => office.in(theirs, 'BYE').length > 0, 'The BYE')
    // RFC 3261, section 13.2.2.4: a 2xx that is of no use is acknowledged, then the call ends.
    expect(office.requests.map(methodOf)).toEqual(['INVITE', 'ACK', 'INVITE', 'ACK', 'BYE'])
  })
})
