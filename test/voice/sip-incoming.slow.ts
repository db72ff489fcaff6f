import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { systemResolve } from '../../main/outbound/outbound.ts'
import { createVoiceNetwork } from '../../main/voice/network.ts'
import { createSipSocket } from '../../main/voice/gateways/sip/sip-socket.ts'
import type { SipTrunk } from '../../main/voice/voice-process.ts'
import { voiceInProcess } from '../support/voice.ts'
import { expectSound, isPortFree } from './rtp-phone.ts'
import { peaksOf, sipCalls, trunkAt, until } from './sip-calls.ts'
import { exchange, type Exchange } from './sip-exchange.ts'
import { header, requestUri, uriOf } from './sip-messages.ts'
import { proxy } from './sip-proxy.ts'
import { baresip, ownAddress } from './sip-servers.ts'

/** Telephone calls that come in over a registered trunk. */

const NUMBER = '12025550151'
const { voice, place, nextIncoming } = sipCalls()

const trunkTo = ({ port, ca, transport }: Exchange): SipTrunk =>
  trunkAt(port, { transport, ...(transport !== 'tcp' && { host: 'localhost', ca }) })

/** Keeps the trunk registered until the test has finished. */
function register(line: string, trunk: SipTrunk, process = voice): void {
  process.register(line, trunk)
  onTestFinished(() => process.register(line, null))
}

async function registeredAt(transport: SipTrunk['transport'], line: string) {
  const office = await exchange({ transport })
  register(line, trunkTo(office))
  await office.registered()
  return office
}

describe('a call from baresip', () => {
  test.each(['us', 'them'])('is heard both ways, and hung up by %s', async (who) => {
    const address = ownAddress()
    const office = await proxy('1001', 'right', address)
    register('line', trunkAt(office.port, { host: address }))
    await office.registered()
    const phone = await baresip(NUMBER, who === 'us' ? 25_090 : 25_100)
    await phone.dial(office.uri)
    const { from, incomingId } = await nextIncoming('line')
    expect(from).toBe(NUMBER)
    const call = place({ kind: 'sip_incoming', incomingId }, `baresip-${who}`)
    await until(() => call.said.length > 0, 'The greeting')
    if (who === 'us') call.hangUp('operator_hung_up')
    else await phone.hangUp()
    const end = await call.ended
    expect(call.states).toEqual(['in_progress'])
    expect(end?.reason).toBe(who === 'us' ? 'operator_hung_up' : 'person_hung_up')
    expect(end?.media.framesIn).toBeGreaterThan(100)
    expect(end?.media.framesLost).toBe(0)
    expect(Math.min(...peaksOf(end))).toBeGreaterThan(20)
    if (who === 'us') await until(() => phone.said().includes('session closed: Connection reset by peer'), 'Their end')
    await until(() => phone.heardPeak() > 2_000, 'The greeting at the other side')
  })

  test('is declined', async () => {
    const address = ownAddress()
    const office = await proxy('1001', 'right', address)
    register('line', trunkAt(office.port, { host: address }))
    await office.registered()
    const phone = await baresip(NUMBER, 25_110)
    await phone.dial(office.uri)
    voice.refuse((await nextIncoming('line')).incomingId)
    await until(() => phone.said().includes('session closed: 603 '), 'The refusal')
    expect(phone.said()).toContain('180 Ringing')
  })
})

describe.each(['tcp', 'tls', 'wss'] as const)('a call from an exchange over %s', (transport) => {
  test.each(['us', 'them'])('is heard both ways, and hung up by %s', async (who) => {
    const line = `${transport}-${who}`
    const office = await registeredAt(transport, line)
    const theirs = await office.call({ from: NUMBER })
    const { from, incomingId } = await nextIncoming(line)
    expect(from).toBe(NUMBER)
    await until(() => theirs.statuses.includes(180), 'Ringing')
    expect(theirs.statuses).toEqual([100, 180])
    const call = place({ kind: 'sip_incoming', incomingId }, line)
    await until(() => call.said.length > 0, 'The greeting')
    expect(theirs.statuses).toEqual([100, 180, 200])
    const answer = theirs.remote()
    expect(answer.body).toMatch(/^m=audio [1-9]\d* RTP\/AVP 0 101\r$/m)
    expect(uriOf(header(answer, 'contact'))).toBe(uriOf((await office.registered()).contact))

    if (who === 'us') call.hangUp('operator_hung_up')
    else expect(await theirs.hangUp()).toBe(200)
    const end = await call.ended
    expect(call.states).toEqual(['in_progress'])
    expect(end?.reason).toBe(who === 'us' ? 'operator_hung_up' : 'person_hung_up')
    expectSound(end, theirs.phone)
    if (who === 'us') {
      await until(() => office.in(theirs, 'BYE').length > 0, 'Their end')
      const [bye] = office.in(theirs, 'BYE')
      expect(bye && requestUri(bye)).toBe(uriOf(office.contact))
      expect(bye && uriOf(header(bye, 'route'))).toBe(uriOf(office.recordRoute))
    }
    expect(office.in(theirs, 'BYE')).toHaveLength(who === 'us' ? 1 : 0)
    await until(() => isPortFree(answer.body), 'The port of the sound is closed, which')
  })
})

describe('a call that is not taken', () => {
  test('is declined, and the next one comes in', async () => {
    const office = await registeredAt('tcp', 'refusing')
    for (let i = 0; i < 2; i++) {
      const theirs = await office.call()
      const { incomingId } = await nextIncoming('refusing')
      voice.refuse(incomingId)
      await until(() => theirs.statuses.length === 3, 'The refusal')
      expect(theirs.statuses).toEqual([100, 180, 603])
      const late = place({ kind: 'sip_incoming', incomingId }, `refused-${i}`)
      expect(await late.ended).toMatchObject({ talkedMs: null, recording: null })
    }
  })

  test('ends when the caller gives up', async () => {
    const office = await registeredAt('tcp', 'given-up')
    const theirs = await office.call()
    const { incomingId } = await nextIncoming('given-up')
    expect(await theirs.cancel()).toBe(200)
    await until(() => theirs.statuses.length === 3, 'The end')
    expect(theirs.statuses).toEqual([100, 180, 487])
    const late = place({ kind: 'sip_incoming', incomingId }, 'given-up')
    expect(await late.ended).toMatchObject({ reason: 'person_hung_up', talkedMs: null })
  })

  test('ends when the INVITE expires', async () => {
    const office = await registeredAt('tcp', 'expiring')
    const theirs = await office.call({ headers: [['Expires', '1']] })
    await nextIncoming('expiring')
    await until(() => theirs.statuses.length === 3, 'The end')
    expect(theirs.statuses).toEqual([100, 180, 487])
  })

  test('without G.711 is not acceptable', async () => {
    const office = await registeredAt('tcp', 'opus')
    const theirs = await office.call({ formats: '96' })
    const { incomingId } = await nextIncoming('opus')
    const call = place({ kind: 'sip_incoming', incomingId }, 'opus')
    expect(await call.ended).toMatchObject({ reason: 'codec_not_supported', talkedMs: null })
    await until(() => theirs.statuses.length === 3, 'The refusal')
    expect(theirs.statuses).toEqual([100, 180, 488])
  })

  test('ends with 480 when the trunk is left, which unregisters', async () => {
    const office = await registeredAt('tcp', 'leaving')
    const { link } = await office.registered()
    const theirs = await office.call()
    await nextIncoming('leaving')
    voice.register('leaving', null)
    await until(() => theirs.statuses.length === 3, 'The refusal')
    expect(theirs.statuses).toEqual([100, 180, 480])
    expect((await office.registered(2)).expires).toBe(0)
    await until(() => !link.isOpen(), 'The end of the connection')
  })
})

test('the answer names the address of its own trunk', async () => {
  const office = await registeredAt('tcp', 'near')
  const far = await exchange({ transport: 'tcp', address: ownAddress() })
  const theirs = await office.call()
  const { incomingId } = await nextIncoming('near')
  register('far', trunkAt(far.port, { host: ownAddress() }))
  await far.registered()
  const call = place({ kind: 'sip_incoming', incomingId }, 'near')
  await until(() => call.said.length > 0, 'The greeting')
  expect(theirs.remote().body).toContain('c=IN IP4 127.0.0.1\r\n')
  expect(theirs.phone.heard.loud).toBeGreaterThan(50)
  call.hangUp('operator_hung_up')
  await call.ended
})

describe('within a minute, which passes in no time', () => {
  const here = sipCalls(voiceInProcess(systemClock))
  const skipTime = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
  }

  test('a trunk that could not register tries again', async () => {
    skipTime()
    const office = await exchange({ transport: 'tcp' })
    office.failAt('REGISTER', 503)
    register('unavailable', trunkTo(office), here.voice)
    await until(() => office.requests.length === 1, 'The registration')
    await vi.advanceTimersByTimeAsync(31_000)
    await office.registered()
    expect(office.requests).toHaveLength(3)
    expect(office.openLinks()).toBe(1)
  })

  test('a connection on which nobody answers is replaced', async () => {
    skipTime()
    const office = await exchange({ transport: 'tcp' })
    office.failAt('REGISTER', 'silent')
    register('silent', trunkTo(office), here.voice)
    await until(() => office.requests.length === 1, 'The registration')
    await vi.advanceTimersByTimeAsync(36_000)
    await office.registered()
    expect(office.openLinks()).toBe(1)
  })

  test('a trunk with a wrong password does not try again', async () => {
    skipTime()
    const office = await exchange({ transport: 'tcp' })
    register('wrong', { ...trunkTo(office), password: 'wrong' }, here.voice)
    await until(() => office.requests.length === 2, 'The registration')
    await vi.advanceTimersByTimeAsync(61_000)
    expect(office.requests).toHaveLength(2)
  })

  test('a call that nobody takes ends with 408', async () => {
    skipTime()
    const office = await exchange({ transport: 'tcp' })
    register('nobody', trunkTo(office), here.voice)
    await office.registered()
    const theirs = await office.call()
    const { incomingId } = await here.nextIncoming('nobody')
    await until(() => theirs.statuses.length === 2, 'Ringing')
    await vi.advanceTimersByTimeAsync(59_000)
    expect(theirs.statuses).toEqual([100, 180])
    await vi.advanceTimersByTimeAsync(1_500)
    await until(() => theirs.statuses.length === 3, 'The end')
    expect(theirs.statuses).toEqual([100, 180, 408])
    const late = here.place({ kind: 'sip_incoming', incomingId }, 'nobody')
    expect((await late.ended)?.reason).toBe('person_hung_up')
  })
})

test.each(['tls', 'wss'] as const)(
  'a server that accepts the connection and says nothing over %s is left',
  async (transport) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const network = createVoiceNetwork({ clock: systemClock, resolve: systemResolve })
    onTestFinished(() => network.close())
    const guard = network.within(trunkAt(port))
    const socket = createSipSocket(trunkAt(port, { transport }), {
      ...{ network: guard, clock: systemClock, run: (act) => act() },
    })
    const { promise: left, resolve } = Promise.withResolvers<number>()
    const sinceMs = performance.now()
    socket.ondisconnect = () => resolve(performance.now() - sinceMs)
    socket.connect()
    const ms = await left
    expect(ms).toBeGreaterThan(9_000)
    // Over WebSocket both handshakes have their ten seconds.
    expect(ms).toBeLessThan(25_000)
    expect([socket.isConnected(), socket.isConnecting()]).toEqual([false, false])
  },
)
