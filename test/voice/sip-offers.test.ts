import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { systemResolve } from '../../main/outbound/outbound.ts'
import { createTrunks } from '../../main/voice/gateways/sip/trunks.ts'
import type { LegEvents } from '../../main/voice/leg.ts'
import { createVoiceNetwork } from '../../main/voice/network.ts'
import { trunkAt, until } from './sip-calls.ts'
import {
  createFraming,
  header,
  headers,
  methodOf,
  parseMessage,
  statusOf,
  tagOf,
  uriOf,
  writeMessage,
  type Header,
  type SipMessage,
} from './sip-messages.ts'

/** What a trunk may offer in a call to us, and while it runs: RFC 3261 (14), 3264 (8), 3311 and 4028. */

const SDP = ['v=0', 'o=- 7 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0']
const sdpOf = (...media: string[]) => [...SDP, ...media, ''].join('\r\n')
const AUDIO = 'm=audio 40000 RTP/AVP 0'

/** A trunk that is registered with, calls, and may change the call. */
async function callingTrunk() {
  const network = createVoiceNetwork({ clock: systemClock, resolve: systemResolve })
  const incoming: string[] = []
  const trunks = createTrunks({
    ...{ clock: systemClock, network, onIncoming: ({ incomingId }) => incoming.push(incomingId) },
  })
  onTestFinished(() => trunks.close())
  const responses: SipMessage[] = []
  const requests: SipMessage[] = []
  const sockets: Socket[] = []
  let contact = ''
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    const onMessage = (text: string) => {
      const message = parseMessage(text)
      if (statusOf(message) !== undefined) return void responses.push(message)
      requests.push(message)
      if (methodOf(message) === 'REGISTER') contact = header(message, 'contact')
      if (methodOf(message) === 'ACK') return
      const copied = headers(message, 'via').map((via): Header => ['Via', via])
      for (const name of ['From', 'Call-ID', 'CSeq']) copied.push([name, header(message, name)])
      const to = header(message, 'to')
      copied.push(['To', tagOf(to) === undefined ? `${to};tag=1` : to])
      if (contact !== '') copied.push(['Contact', contact])
      socket.write(writeMessage('SIP/2.0 200 OK', copied))
    }
    socket.on('data', createFraming(onMessage))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  trunks.register('line', trunkAt((server.address() as AddressInfo).port))
  await until(() => contact !== '', 'The registration')

  const callId = `call-${performance.now()}`
  let number = 0
  let to = '<sip:1001@127.0.0.1>'
  const write = (method: string, cseq: number, more: readonly Header[], body: string) =>
    sockets
      .at(-1)
      ?.write(
        writeMessage(
          `${method} ${uriOf(contact)} SIP/2.0`,
          [
            ['Via', `SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK${method}${cseq}${callId}`],
            ['From', '<sip:12025550151@127.0.0.1>;tag=theirs'],
            ['To', to],
            ['Call-ID', callId],
            ['CSeq', `${cseq} ${method}`],
            ['Contact', '<sip:gateway@127.0.0.1;transport=tcp>'],
            ...more,
          ],
          body,
        ),
      )
  const finalFor = (cseq: number, method: string) =>
    responses.filter((one) => header(one, 'cseq') === `${cseq} ${method}` && (statusOf(one) ?? 0) >= 200)

  /** @returns the final answers, which has to be one; the ACK is sent. */
  async function ask(
    method: 'INVITE' | 'UPDATE' | 'OPTIONS' | 'BYE' | 'INFO',
    body: string,
    more: readonly Header[] = [],
    ackBody = '',
  ) {
    const cseq = ++number
    write(method, cseq, more, body)
    await until(() => finalFor(cseq, method).length > 0, `An answer to ${method} with ${JSON.stringify(body)}`)
    const [answer] = finalFor(cseq, method) as [SipMessage]
    if (method === 'INVITE') {
      if (statusOf(answer) === 200) to = header(answer, 'to')
      write('ACK', cseq, [], ackBody)
    }
    return { status: statusOf(answer), answer, count: () => finalFor(cseq, method).length }
  }

  /** Calls, and is answered. */
  async function connect() {
    const events: string[] = []
    const answered = ask('INVITE', sdpOf(AUDIO))
    await until(() => incoming.length > 0, 'The call')
    const leg = trunks.answer(incoming.shift() ?? '')
    leg.start({
      onConnected: () => events.push('connected'),
      onEnded: (reason) => events.push(reason),
      onRinging() {},
    } as Partial<LegEvents> as LegEvents)
    expect((await answered).status).toBe(200)
    await until(() => events.includes('connected'), 'The connection')
    return { leg, events }
  }

  const answerNext = () =>
    trunks
      .answer(incoming.shift() ?? '')
      .start({ onConnected() {}, onEnded() {}, onRinging() {} } as Partial<LegEvents> as LegEvents)

  return { ask, connect, answerNext, requests, sockets, incoming }
}

describe('a request that requires an unsupported extension', () => {
  test.each([
    ['INVITE with an extension', [['Require', '100rel, timer, path']], 420, ['unsupported', '100rel, path']],
    ['INVITE with a session that is too short', [['Session-Expires', '30;refresher=uac']], 422, ['min-se', '90']],
  ] as const)('refuses %s before it rings', async (_, more, status, [name, value]) => {
    const trunk = await callingTrunk()
    const refused = await trunk.ask('INVITE', sdpOf(AUDIO), more)
    expect([refused.status, header(refused.answer, name)]).toEqual([status, value])
    expect(trunk.incoming).toEqual([])
  })

  test('is refused within a call too, and the call continues', async () => {
    const trunk = await callingTrunk()
    const { events } = await trunk.connect()
    for (const method of ['INVITE', 'UPDATE'] as const) {
      expect((await trunk.ask(method, sdpOf(AUDIO), [['Require', '100rel']])).status).toBe(420)
      expect((await trunk.ask(method, sdpOf(AUDIO), [['Session-Expires', '89']])).status).toBe(422)
      const accepted = await trunk.ask(method, sdpOf(AUDIO), [['Session-Expires', '600;refresher=uac']])
      expect([accepted.status, header(accepted.answer, 'session-expires')]).toEqual([200, '600;refresher=uac'])
    }
    expect(events).toEqual(['connected'])
  })
})

describe('a session interval longer than a timer can wait', () => {
  test.each(['uac', 'uas'])('neither refreshes in a loop nor ends: refresher %s', async (refresher) => {
    const trunk = await callingTrunk()
    const { events } = await trunk.connect()
    for (const method of ['INVITE', 'UPDATE'] as const) {
      const wanted: readonly Header[] = [['Session-Expires', `4294967295;refresher=${refresher}`]]
      expect((await trunk.ask(method, sdpOf(AUDIO), wanted)).status).toBe(200)
    }
    // Another exchange over the same connection: what a timer sent before has arrived.
    await systemClock.sleep(100)
    expect((await trunk.ask('OPTIONS', '')).status).toBe(200)
    expect(trunk.requests.map(methodOf).filter((method) => method !== 'REGISTER')).toEqual([])
    expect(events).toEqual(['connected'])
  })

  test('a call with a ring time of years can be answered', async () => {
    const trunk = await callingTrunk()
    const answered = trunk.ask('INVITE', sdpOf(AUDIO), [['Expires', '4294967295']])
    await until(() => trunk.incoming.length > 0, 'The call')
    await systemClock.sleep(100)
    trunk.answerNext()
    expect((await answered).status).toBe(200)
  })
})

describe('OPTIONS, INFO and BYE that require an unsupported extension', () => {
  const needs: readonly Header[] = [['Require', 'path, timer']]

  test('refuses OPTIONS outside and within a call, and answers it without the requirement', async () => {
    const trunk = await callingTrunk()
    const refused = await trunk.ask('OPTIONS', '', needs)
    expect([refused.status, header(refused.answer, 'unsupported')]).toEqual([420, 'path'])
    expect((await trunk.ask('OPTIONS', '', [['Require', 'timer']])).status).toBe(200)
    const { events } = await trunk.connect()
    const inCall = await trunk.ask('OPTIONS', '', needs)
    expect([inCall.status, header(inCall.answer, 'unsupported'), inCall.count()]).toEqual([420, 'path', 1])
    expect((await trunk.ask('OPTIONS', '')).status).toBe(200)
    expect(events).toEqual(['connected'])
  })

  test('refuses BYE and INFO, continues the call, and ends it at a plain BYE', async () => {
    const trunk = await callingTrunk()
    const { events } = await trunk.connect()
    for (const method of ['INFO', 'BYE'] as const) {
      const refused = await trunk.ask(method, '', needs)
      expect([refused.status, header(refused.answer, 'unsupported'), refused.count()]).toEqual([420, 'path', 1])
    }
    expect(events).toEqual(['connected'])
    expect((await trunk.ask('UPDATE', sdpOf(AUDIO))).status).toBe(200)
    expect((await trunk.ask('BYE', '')).status).toBe(200)
    await until(() => events.length === 2, 'The end of the call')
    expect(events[1]).toBe('person_hung_up')
  })
})

describe('a changed offer', () => {
  test('puts the call on hold and resumes it, by INVITE and by UPDATE', async () => {
    const trunk = await callingTrunk()
    const { leg, events } = await trunk.connect()
    for (const method of ['INVITE', 'UPDATE'] as const) {
      const held = await trunk.ask(method, sdpOf(AUDIO, 'a=sendonly'))
      expect([held.status, held.answer.body]).toEqual([200, expect.stringContaining('a=recvonly\r\n')])
      // Ten seconds of frames: without sound, a call that is not on hold ends after five.
      for (let i = 0; i < 500; i++) leg.take()
      const back = await trunk.ask(method, sdpOf(AUDIO))
      expect([back.status, back.answer.body]).toEqual([200, expect.stringContaining('a=sendrecv\r\n')])
    }
    expect(events).toEqual(['connected'])
    for (let i = 0; i < 500; i++) leg.take()
    expect(events).toEqual(['connected', 'media_lost'])
  })

  test('is ours if an INVITE has none', async () => {
    const trunk = await callingTrunk()
    const { events } = await trunk.connect()
    const offered = await trunk.ask('INVITE', '', [], sdpOf(AUDIO, 'a=sendonly'))
    expect([offered.status, offered.answer.body]).toEqual([
      200,
      expect.stringMatching(/^m=audio \d+ RTP\/AVP 0 8 101\r$/m),
    ])
    expect((await trunk.ask('UPDATE', '')).status).toBe(200)
    expect(events).toEqual(['connected'])
  })

  test.each(['INVITE', 'UPDATE'] as const)('gets exactly one final response: %s', async (method) => {
    const trunk = await callingTrunk()
    const { events } = await trunk.connect()
    const bad = [
      ...[
        sdpOf('m=video 5004 RTP/AVP 31'),
        sdpOf('m=audio 0 RTP/AVP 0'),
        sdpOf('m=audio 40000 RTP/SAVP 0'),
        SDP.join(),
      ],
      ...['x', '=', 'm=', 'm=\r\nm=\r\n', 'v=0\r\nm=audio', sdpOf(AUDIO, 'm=audio'), '\u0000', 'a=rtpmap:0\r\na=fmtp:'],
      ...[
        sdpOf(AUDIO).replace('c=IN IP4 127.0.0.1', 'c=IN IP4 169.254.169.254'),
        sdpOf(AUDIO).replace(/^c=.*$/m, 'c='),
      ],
      ...[sdpOf('m=audio 40000 RTP/AVP 9'), sdpOf('m=audio 99999999 RTP/AVP 0'), sdpOf('m=audio -1 RTP/AVP 0')],
    ]
    for (const body of bad) {
      const refused = await trunk.ask(method, body)
      expect([body, refused.status]).toEqual([body, 488])
      const good = await trunk.ask(method, sdpOf(AUDIO))
      expect([body, good.status]).toEqual([body, 200])
      expect([refused.count(), good.count()]).toEqual([1, 1])
    }
    const whole = sdpOf(AUDIO, 'a=rtpmap:0 PCMU/8000', 'a=ptime:20', 'm=video 9 RTP/AVP 31', 'a=inactive')
    for (let at = 1; at < whole.length; at += 5) {
      const cut = await trunk.ask(method, whole.slice(0, at) + whole.slice(at + (at % 3)))
      expect([200, 488]).toContain(cut.status)
    }
    expect(events).toEqual(['connected'])
  })
})

describe('a connection that breaks', () => {
  test('is opened and registered again, and its call continues', async () => {
    const trunk = await callingTrunk()
    const { leg, events } = await trunk.connect()
    trunk.sockets[0]?.destroy()
    const registrations = () => trunk.requests.filter((one) => methodOf(one) === 'REGISTER').length
    await until(() => registrations() === 2, 'The second registration')
    expect(trunk.sockets).toHaveLength(2)
    expect(events).toEqual(['connected'])
    leg.hangUp('operator_hung_up')
    await until(() => trunk.requests.some((one) => methodOf(one) === 'BYE'), 'The end over the new connection')
  })

  test('ends a call whose sound stops with it, and lets another be hung up meanwhile', async () => {
    const trunk = await callingTrunk()
    const { leg, events } = await trunk.connect()
    trunk.sockets[0]?.destroy()
    await systemClock.sleep(50)
    for (let i = 0; i < 500; i++) leg.take()
    expect(events).toEqual(['connected', 'media_lost'])
    const other = await callingTrunk()
    const second = await other.connect()
    other.sockets[0]?.destroy()
    await systemClock.sleep(50)
    second.leg.hangUp('operator_hung_up')
    expect(second.events).toEqual(['connected'])
  })
})
