import { connect as connectTcp, type Socket as TcpSocket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Socket } from 'jssip'
import { WebSocket } from 'ws'
import type { SipTrunk } from '../../protocol.ts'

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

type Runs = (act: () => void) => void

/** @param run calls back into JsSIP. */
export function createSipSocket(trunk: SipTrunk, run: Runs): SipSocket {
  return trunk.transport === 'wss' ? overWebSocket(trunk, run) : overStream(trunk, run)
}

const HEAD_END = '\r\n\r\n'
const LONGEST_BYTES = 256 * 1024
/** Until the connection can be used, its handshakes included. */
const OPEN_MS = 10_000
/** Routers forget a silent connection, and then no call comes in. */
const KEEP_ALIVE_MS = 30_000

function overStream(trunk: SipTrunk, run: Runs): SipSocket {
  const { host, port, transport, ca } = trunk
  const isTls = transport === 'tls'
  let stream: TcpSocket | undefined
  let isUp = false
  let waiting = Buffer.alloc(0)

  /** A stream has no ends of messages: Content-Length says where each is. */
  function take(chunk: Buffer): void {
    waiting = Buffer.concat([waiting, chunk])
    if (waiting.length > LONGEST_BYTES) return void stream?.destroy()
    for (;;) {
      // Blank lines keep the connection open.
      while (waiting.subarray(0, 2).toString() === '\r\n') waiting = waiting.subarray(2)
      const headEnd = waiting.indexOf(HEAD_END)
      if (headEnd < 0) return
      const head = waiting.subarray(0, headEnd).toString()
      const length = Number(/^(?:content-length|l)\s*:\s*(\d+)/im.exec(head)?.[1] ?? 0)
      const end = headEnd + HEAD_END.length + length
      if (waiting.length < end) return
      const message = waiting.subarray(0, end).toString()
      waiting = waiting.subarray(end)
      run(() => socket.ondata(message))
    }
  }

  const socket: SipSocket = {
    via_transport: isTls ? 'TLS' : 'TCP',
    url: `${transport}://${host}:${port}`,
    sip_uri: `sip:${host}:${port};transport=${transport}`,
    onconnect() {},
    ondisconnect() {},
    ondata() {},
    connect() {
      if (stream !== undefined) return
      const opened = isTls
        ? connectTls({ host, port, servername: host, ...(ca !== undefined && { ca }) })
        : connectTcp({ host, port })
      stream = opened
      opened.setNoDelay()
      opened.setKeepAlive(true, KEEP_ALIVE_MS)
      opened.setTimeout(OPEN_MS, () => opened.destroy(new Error('The trunk did not answer.')))
      opened.once(isTls ? 'secureConnect' : 'connect', () => {
        opened.setTimeout(0)
        isUp = true
        run(() => socket.onconnect())
      })
      opened.on('data', (chunk: Buffer) => take(chunk))
      let reason = ''
      opened.once('error', (error: Error) => (reason = error.message))
      opened.once('close', () => {
        if (stream !== opened) return
        stream = undefined
        isUp = false
        waiting = Buffer.alloc(0)
        run(() => socket.ondisconnect(true, 1, reason))
      })
    },
    disconnect() {
      const closing = stream
      stream = undefined
      isUp = false
      closing?.destroy()
    },
    send(message) {
      if (!isUp || stream === undefined) return false
      // JsSIP sends text.
      stream.write(message as string)
      return true
    },
    isConnected: () => isUp,
    isConnecting: () => stream !== undefined && !isUp,
    localAddress: () => stream?.localAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1',
    localPort: () => stream?.localPort ?? null,
    drop: () => void stream?.destroy(),
  }
  return socket
}

function overWebSocket({ host, port, ca }: SipTrunk, run: Runs): SipSocket {
  const url = `wss://${host}:${port}`
  let stream: WebSocket | undefined
  let local = '127.0.0.1'
  const isUp = () => stream?.readyState === WebSocket.OPEN
  const socket: SipSocket = {
    via_transport: 'WSS',
    url,
    sip_uri: `sip:${host}:${port};transport=ws`,
    onconnect() {},
    ondisconnect() {},
    ondata() {},
    connect() {
      if (stream !== undefined) return
      const opened = new WebSocket(url, 'sip', {
        ...{ followRedirects: false, handshakeTimeout: OPEN_MS },
        ...(ca !== undefined && { ca }),
      })
      stream = opened
      opened.on('upgrade', ({ socket: connection }) => {
        connection.setKeepAlive(true, KEEP_ALIVE_MS)
        local = connection.localAddress?.replace(/^::ffff:/, '') ?? local
      })
      opened.on('open', () => run(() => socket.onconnect()))
      opened.on('message', (data) => run(() => socket.ondata((data as Buffer).toString())))
      let reason = ''
      opened.on('error', (error) => (reason = error.message))
      opened.on('close', () => {
        if (stream !== opened) return
        stream = undefined
        run(() => socket.ondisconnect(true, 1, reason))
      })
    },
    disconnect() {
      const closing = stream
      stream = undefined
      closing?.terminate()
    },
    send(message) {
      if (!isUp()) return false
      stream?.send(message as string)
      return true
    },
    isConnected: isUp,
    isConnecting: () => stream?.readyState === WebSocket.CONNECTING,
    localAddress: () => local,
    localPort: () => null,
    drop: () => stream?.terminate(),
  }
  return socket
}
