import type { Socket as TcpSocket } from 'node:net'
import type { Socket } from 'jssip'
import { ConnectFailure } from '../../../outbound/connect-failure.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { createPace } from '../../../kernel/paced-reading.ts'
import type { Outbound, PendingConnection, WebSocket } from '../../../outbound/outbound.ts'
import type { SipTrunk } from '../../protocol.ts'
import { refusalOf } from './message-bounds.ts'
import { uriHost } from './sip-uri.ts'
import { createTurnQueue } from './turn-queue.ts'

/** A connection to a trunk, as JsSIP uses it. */
export interface SipSocket extends Socket {
  isConnected(): boolean
  isConnecting(): boolean
  /** The address by which the trunk reaches this machine. */
  localAddress(): string
  /** The port of this connection; null over WebSocket, where nobody else can connect. */
  localPort(): number | null
  /** Closes a connection that no longer answers. JsSIP treats it as lost and reconnects. */
  drop(): void
}

interface SocketDeps {
  readonly network: Pick<Outbound, 'connect' | 'webSocket'>
  readonly clock: Pick<Clock, 'mono' | 'after'>
  /** Calls back into JsSIP. */
  readonly run: (act: () => void) => void
}

export function createSipSocket(trunk: SipTrunk, deps: SocketDeps): SipSocket {
  return trunk.transport === 'wss' ? overWebSocket(trunk, deps) : overStream(trunk, deps)
}

/** Passes a message to JsSIP, which throws at some malformed headers. Such a message is dropped (RFC 3261, 16.3). */
function deliver(socket: SipSocket, message: string, { run }: SocketDeps): void {
  const refusal = refusalOf(message)
  if (refusal !== null) {
    if (refusal.answer !== null) socket.send(refusal.answer)
    return
  }
  try {
    run(() => socket.ondata(message))
  } catch {
    // Thrown further, the error would end the calls of every account.
  }
}

const [CR, LF] = [13, 10]
const HEAD_END = '\r\n\r\n'
const LONGEST_BYTES = 64 * 1024
/** About fifty messages. JsSIP needs a few milliseconds for each, in the process that carries the audio of all calls. */
const BYTES_PER_SECOND = 64 * 1024
/** A trunk that never reads our answers is disconnected. */
const UNREAD_AT_MOST = 256 * 1024
/** Time limit for connecting, including handshakes. */
const OPEN_MS = 10_000
/** Routers drop idle connections, and then incoming calls are lost. */
const KEEP_ALIVE_MS = 30_000

/** Hides details, so that a trunk's settings cannot be used to probe its host. */
const reasonOf = (error: unknown): string =>
  error instanceof ConnectFailure ? error.message : 'the connection was interrupted'

function overStream(trunk: SipTrunk, deps: SocketDeps): SipSocket {
  const { network, run } = deps
  const { host, port, transport } = trunk
  const isTls = transport === 'tls'
  let opening: PendingConnection | undefined
  let stream: TcpSocket | undefined
  let waiting = Buffer.alloc(0)

  /**
   * A stream has no message boundaries: Content-Length gives the end of each message. @returns undefined if none is
   * complete.
   */
  function takeMessage(): string | undefined {
    // Blank lines keep the connection open.
    let blank = 0
    while (waiting[blank] === CR && waiting[blank + 1] === LF) blank += 2
    waiting = waiting.subarray(blank)
    const headEnd = waiting.indexOf(HEAD_END)
    if (headEnd < 0) return undefined
    const head = waiting.subarray(0, headEnd).toString()
    const length = Number(/^(?:content-length|l)\s*:\s*(\d+)/im.exec(head)?.[1] ?? 0)
    const end = headEnd + HEAD_END.length + length
    if (waiting.length < end) return undefined
    const message = waiting.subarray(0, end).toString()
    waiting = waiting.subarray(end)
    return message
  }

  function take(chunk: Buffer, from: TcpSocket, inTurn: (act: () => void) => void): void {
    waiting = Buffer.concat([waiting, chunk])
    for (let message = takeMessage(); message !== undefined; message = takeMessage()) {
      const complete = message
      inTurn(() => {
        if (stream === from) deliver(socket, complete, deps)
      })
    }
    // The rest is the beginning of one message.
    if (waiting.length > LONGEST_BYTES) stream?.destroy()
  }

  function use(opened: TcpSocket): void {
    stream = opened
    opened.setKeepAlive(true, KEEP_ALIVE_MS)
    const pace = createPace(opened, { clock: deps.clock, bytesPerSecond: BYTES_PER_SECOND })
    const inTurn = createTurnQueue()
    opened.on('data', (chunk: Buffer) => {
      take(chunk, opened, inTurn)
      pace(chunk.length)
    })
    let reason = ''
    opened.once('error', (error: Error) => (reason = reasonOf(error)))
    opened.once('close', () =>
      // What it said before it closed is heard first.
      inTurn(() => {
        if (stream === opened) lose(reason)
      }),
    )
    run(() => socket.onconnect())
  }

  function lose(reason: string): void {
    opening = undefined
    stream = undefined
    waiting = Buffer.alloc(0)
    run(() => socket.ondisconnect(true, 1, reason))
  }

  const socket: SipSocket = {
    via_transport: isTls ? 'TLS' : 'TCP',
    url: `${transport}://${uriHost(host)}:${port}`,
    sip_uri: `sip:${uriHost(host)}:${port};transport=${transport}`,
    onconnect() {},
    ondisconnect() {},
    ondata() {},
    connect() {
      if (opening !== undefined) return
      const attempt = network.connect({ host, port, isEncrypted: isTls }, OPEN_MS)
      opening = attempt
      attempt.opened.then(
        ({ socket: opened }) => (opening === attempt ? use(opened) : opened.destroy()),
        (error: unknown) => {
          if (opening === attempt) lose(reasonOf(error))
        },
      )
    },
    disconnect() {
      const [cancelled, closing] = [opening, stream]
      opening = undefined
      stream = undefined
      cancelled?.cancel()
      closing?.destroy()
    },
    send(message) {
      if (stream === undefined) return false
      // JsSIP sends text.
      stream.write(message as string)
      if (stream.writableLength > UNREAD_AT_MOST) stream.destroy()
      return true
    },
    isConnected: () => stream !== undefined,
    isConnecting: () => opening !== undefined && stream === undefined,
    localAddress: () => stream?.localAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1',
    localPort: () => stream?.localPort ?? null,
    drop() {
      opening?.cancel()
      stream?.destroy()
    },
  }
  return socket
}

function overWebSocket({ host, port }: SipTrunk, deps: SocketDeps): SipSocket {
  const { network, run } = deps
  const url = `wss://${uriHost(host)}:${port}`
  let stream: WebSocket | undefined
  let local = '127.0.0.1'
  const isUp = () => stream !== undefined && stream.readyState === stream.OPEN
  const socket: SipSocket = {
    via_transport: 'WSS',
    url,
    sip_uri: `sip:${uriHost(host)}:${port};transport=ws`,
    onconnect() {},
    ondisconnect() {},
    ondata() {},
    connect() {
      if (stream !== undefined) return
      const opened = network.webSocket(url, { protocol: 'sip', connectTimeoutMs: OPEN_MS })
      stream = opened
      const pace = createPace(opened, { clock: deps.clock, bytesPerSecond: BYTES_PER_SECOND })
      const inTurn = createTurnQueue()
      opened.on('upgrade', ({ socket: connection }) => {
        connection.setKeepAlive(true, KEEP_ALIVE_MS)
        local = connection.localAddress?.replace(/^::ffff:/, '') ?? local
      })
      opened.on('open', () => run(() => socket.onconnect()))
      opened.on('message', (data) => {
        const message = data as Buffer
        if (message.length > LONGEST_BYTES) return opened.terminate()
        inTurn(() => {
          if (stream === opened) deliver(socket, message.toString(), deps)
        })
        pace(message.length)
      })
      let reason = ''
      opened.on('error', (error) => (reason = reasonOf(error)))
      opened.on('close', () =>
        inTurn(() => {
          if (stream !== opened) return
          stream = undefined
          run(() => socket.ondisconnect(true, 1, reason))
        }),
      )
    },
    disconnect() {
      const closing = stream
      stream = undefined
      closing?.terminate()
    },
    send(message) {
      if (stream === undefined || !isUp()) return false
      stream.send(message as string)
      if (stream.bufferedAmount > UNREAD_AT_MOST) stream.terminate()
      return true
    },
    isConnected: isUp,
    isConnecting: () => stream !== undefined && stream.readyState === stream.CONNECTING,
    localAddress: () => local,
    localPort: () => null,
    drop: () => stream?.terminate(),
  }
  return socket
}
