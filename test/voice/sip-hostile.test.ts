import { EventEmitter, once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { systemResolve, type Outbound, type WebSocket } from '../../main/outbound/outbound.ts'
import { createSipSocket } from '../../main/voice/gateways/sip/sip-socket.ts'
import { createTrunks } from '../../main/voice/gateways/sip/trunks.ts'
import { createVoiceNetwork } from '../../main/voice/network.ts'
import type { SipTrunk } from '../../main/voice/protocol.ts'
import { shortestOf, slowness } from '../support/loop-stretch.ts'
import { trunkAt, until } from './sip-calls.ts'
import {
  createFraming,
  header,
  headers,
  parseMessage,
  writeMessage,
  type Header,
  type SipMessage,
} from './sip-messages.ts'

/** All accounts share the voice process: a trunk that one of them set must not end or slow the calls of the others. */

const network = createVoiceNetwork({ clock: systemClock, resolve: systemResolve })
const newTrunks = () => {
  const trunks = createTrunks({ clock: systemClock, network, onIncoming() {} })
  onTestFinished(() => trunks.close())
  return trunks
}

const answerTo = (message: SipMessage, status: string, more: readonly Header[] = []) =>
  writeMessage(`SIP/2.0 ${status}`, [
    ...headers(message, 'via').map((via): Header => ['Via', via]),
    ...(['From', 'Call-ID', 'CSeq'] as const).map((name): Header => [name, header(message, name)]),
    ['To', `${header(message, 'to')};tag=1`],
    ...more,
  ])

/** A trunk that answers each request as told, and says on its own what the test wants. */
async function trunkThat(answer: (message: SipMessage) => string) {
  const requests: SipMessage[] = []
  const statuses: string[] = []
  let connection: Socket | undefined
  const server = createServer((socket) => {
    connection = socket
    socket.on('error', () => {})
    const take = createFraming((text) => {
      const message = parseMessage(text)
      if (message.firstLine.startsWith('SIP/2.0')) return void statuses.push(message.firstLine)
      requests.push(message)
      socket.write(answer(message))
    })
    socket.on('data', take)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    ...{ requests, statuses, port: (server.address() as AddressInfo).port },
    say: (message: string) => connection?.write(message),
    stopReading: () => connection?.pause(),
    isOpen: () => connection?.destroyed === false,
  }
}

const registering = (contact: string) => (message: SipMessage) =>
  answerTo(message, '200 OK', [['Contact', contact === '' ? header(message, 'contact') : contact]])

let branches = 0
const options = (to: SipMessage, more: readonly Header[]) =>
  writeMessage(`OPTIONS ${/<([^>]+)>/.exec(header(to, 'contact'))?.[1] ?? ''} SIP/2.0`, [
    ['Via', `SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK${++branches}`],
    ['From', '<sip:office@127.0.0.1>;tag=1'],
    ['To', '<sip:1001@127.0.0.1>'],
    ['Call-ID', `call-${branches}`],
    ['CSeq', '1 OPTIONS'],
    ...more,
  ])

test('drops a message with a malformed header and answers the next one', async () => {
  const office = await trunkThat(registering(''))
  newTrunks().register('line', trunkAt(office.port))
  await until(() => office.requests.length > 0, 'The registration')
  const [registration] = office.requests as [SipMessage]
  office.say(options(registration, [['Contact', 'foo/bar;q=']]))
  office.say(options(registration, []))
  await until(() => office.statuses.includes('SIP/2.0 200 OK'), 'The answer')
})

describe('a request with too many headers', () => {
  const many = (name: string, value: string) => Array.from({ length: 300 }, (): Header => [name, value])

  test.each([
    ['Via', '400', many('Via', 'SIP/2.0/TCP 10.0.0.1;branch=z9hG4bKv')],
    ['Contact', '400', many('Contact', '<sip:a@b>')],
    ['long headers', '513', [['Contact', '<sip:a@b>,'.repeat(3_000)] as const]],
    ['other headers', '400', many('X', 'y')],
  ])('is refused, and the next request is answered: %s', async (_, status, more) => {
    const office = await trunkThat(registering(''))
    newTrunks().register('line', trunkAt(office.port))
    await until(() => office.requests.length > 0, 'The registration')
    const [registration] = office.requests as [SipMessage]
    office.say(options(registration, more))
    office.say(options(registration, []))
    await until(() => office.statuses.includes('SIP/2.0 200 OK'), 'The answer')
    expect(office.statuses).toEqual([expect.stringMatching(`^SIP/2.0 ${status} `), 'SIP/2.0 200 OK'])
  })

  test('occupies the thread of all calls no longer than any other request', async () => {
    const office = await trunkThat(registering(''))
    newTrunks().register('line', trunkAt(office.port))
    await until(() => office.requests.length > 0, 'The registration')
    const [registration] = office.requests as [SipMessage]
    const flood = options(
      registration,
      Array.from({ length: 10_000 }, (): Header => ['v', 'a']),
    )
    let asked = 0
    const ask = async () => {
      office.say(flood)
      asked++
      await until(() => office.statuses.length === asked, 'The answer')
    }
    expect((await shortestOf(4, ask, 50)) / slowness()).toBeLessThan(50)
  })
})

describe('a trunk with characters that a URI must escape', () => {
  test.each(['é', '<>', '\ud800'])('escapes a user name: %s', async (username) => {
    const office = await trunkThat(registering(''))
    newTrunks().register('line', trunkAt(office.port, { username }))
    await until(() => office.requests.length > 0, 'The registration')
  })

  test.each([
    ...['a..b', '123', '-', '::::'].map((host) => ({ host })),
    ...['a%', '"'].map((username) => ({ username })),
  ])('does not affect other trunks: %o', async (more) => {
    const trunks = newTrunks()
    const config = trunkAt(5_060, more)
    trunks.register('line', config)
    expect(await trunks.check(config)).toEqual({ ok: false, error: 'its host or user name is not valid in SIP' })
    const reasons: string[] = []
    const ended = { onEnded: (reason: string) => reasons.push(reason) }
    trunks.dial(config, '12025550100').start(ended as never)
    expect(reasons).toEqual(['gateway_unavailable'])
  })
})

test.each([
  [
    'asks for another expiry',
    (message: SipMessage) => answerTo(message, '423 Interval Too Brief', [['Min-Expires', '900']]),
  ],
  [
    'names an expiry that no timer can wait for',
    (message: SipMessage) =>
      registering(`${header(message, 'contact').replace(/;expires=\d+/, '')};expires=99999999999`)(message),
  ],
  [
    'names no number as its expiry',
    (message: SipMessage) =>
      registering(`${header(message, 'contact').replace(/;expires=\d+/, '')};expires=soon`)(message),
  ],
])('does not register in a loop with a trunk that %s', async (_, answer) => {
  const office = await trunkThat(answer)
  newTrunks().register('line', trunkAt(office.port))
  await until(() => office.requests.length > 0, 'The registration')
  await systemClock.sleep(500)
  expect(office.requests).toHaveLength(1)
})

test('throttles a trunk that sends without end', async () => {
  const office = await trunkThat(registering(''))
  newTrunks().register('line', trunkAt(office.port))
  await until(() => office.requests.length > 0, 'The registration')
  const [registration] = office.requests as [SipMessage]
  office.say(Array.from({ length: 800 }, () => options(registration, [['Subject', 'x'.repeat(1_000)]])).join(''))
  await until(() => office.statuses.length > 0, 'An answer')
  await systemClock.sleep(1_500)
  // A megabyte, of which two seconds take an eighth. Nobody is hung up on.
  expect(office.statuses.length).toBeGreaterThan(40)
  expect(office.statuses.length).toBeLessThan(300)
  expect(office.isOpen()).toBe(true)
})

describe('disconnects a trunk that reads no answers', () => {
  const trunkOver = (transport: SipTrunk['transport'], network: Partial<Outbound>) => {
    const socket = createSipSocket(trunkAt(5_060, { transport }), {
      ...{ network: network as Outbound, clock: systemClock, run: (act) => act() },
    })
    let losses = 0
    socket.ondisconnect = () => losses++
    return { socket, losses: () => losses }
  }

  test('over TCP', async () => {
    // What is written to it never leaves.
    const stream = Object.assign(new Duplex({ read() {}, write() {} }), { setKeepAlive() {} })
    const opened = Promise.resolve({ socket: stream as unknown as Socket, ip: '127.0.0.1' })
    const { socket, losses } = trunkOver('tcp', { connect: () => ({ opened, cancel() {} }) })
    socket.connect()
    await until(() => socket.isConnected(), 'The connection')
    for (let i = 0; i < 200; i++) socket.send('x'.repeat(1_000))
    expect(socket.isConnected()).toBe(true)
    for (let i = 0; i < 200; i++) socket.send('x'.repeat(1_000))
    await until(() => losses() === 1, 'The end of the connection')
    expect([stream.destroyed, socket.isConnected()]).toEqual([true, false])
  })

  test('over WebSocket', () => {
    const stream = Object.assign(new EventEmitter(), {
      ...{ OPEN: 1, readyState: 1, bufferedAmount: 0, pause() {}, resume() {} },
      send: (text: string) => void (stream.bufferedAmount += text.length),
      terminate: () => void stream.emit('close'),
    })
    const { socket, losses } = trunkOver('wss', { webSocket: () => stream as unknown as WebSocket })
    socket.connect()
    for (let i = 0; i < 200; i++) socket.send('x'.repeat(1_000))
    expect(losses()).toBe(0)
    for (let i = 0; i < 200; i++) socket.send('x'.repeat(1_000))
    expect(losses()).toBe(1)
    expect(socket.send('x')).toBe(false)
  })
})
