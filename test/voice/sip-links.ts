import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { selfSigned } from '../support/certificates.ts'
import { createFraming } from './sip-messages.ts'

export type SipTransport = 'tcp' | 'tls' | 'wss'

/** A connection that somebody made to the exchange. */
export interface SipLink {
  send(message: string): void
  /** Breaks it, without a word. */
  drop(): void
  /** Ends it as the protocol wants it. */
  end(): void
  isOpen(): boolean
  onMessage(listener: (message: string) => void): void
}

interface ListenOptions {
  readonly transport: SipTransport
  readonly address: string
  readonly subprotocol?: 'sip' | null
}

/** Accepts connections over one transport, and closes all when the test has finished. */
export async function listenForLinks(
  { transport, address, subprotocol = 'sip' }: ListenOptions,
  onLink: (link: SipLink) => void,
) {
  const { cert, key } = selfSigned(['localhost'])
  const sockets = new Set<Socket>()
  const accept = (socket: Socket) => onLink(overStream(socket))
  const server =
    transport === 'tcp'
      ? createServer(accept)
      : transport === 'tls'
        ? createTlsServer({ cert, key }, accept)
        : createHttpsServer({ cert, key })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const offered: string[][] = []
  if (transport === 'wss') {
    // RFC 7118, section 4.1: both sides agree on the subprotocol `sip`.
    const handleProtocols = (protocols: Set<string>) => {
      offered.push([...protocols])
      return subprotocol !== null && protocols.has(subprotocol) && subprotocol
    }
    const webSockets = new WebSocketServer({ server: server as ReturnType<typeof createHttpsServer>, handleProtocols })
    webSockets.on('connection', (socket) => onLink(overWebSocket(socket)))
  }
  server.listen(0, address)
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  })
  return { port: (server.address() as AddressInfo).port, ca: cert, offered }
}

function overStream(socket: Socket): SipLink {
  const listeners: ((message: string) => void)[] = []
  socket.on('error', () => {})
  socket.on(
    'data',
    createFraming((message) => listeners.forEach((listener) => listener(message))),
  )
  return {
    send: (message) => void socket.write(message),
    drop: () => void socket.destroy(),
    end: () => void socket.end(),
    isOpen: () => !socket.destroyed,
    onMessage: (listener) => void listeners.push(listener),
  }
}

/** One SIP message is one WebSocket message, of text or binary (RFC 7118, section 4.2): they come by turns. */
function overWebSocket(socket: WebSocket): SipLink {
  let sent = 0
  socket.on('error', () => {})
  return {
    send: (message) => socket.send(sent++ % 2 === 0 ? message : Buffer.from(message)),
    drop: () => socket.terminate(),
    end: () => socket.close(1001),
    isOpen: () => socket.readyState === socket.OPEN,
    onMessage: (listener) => void socket.on('message', (data) => listener((data as Buffer).toString())),
  }
}
