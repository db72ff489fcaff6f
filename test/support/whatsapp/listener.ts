import { createServer, type Server } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Curve } from 'baileys'
import { WebSocketServer, type WebSocket } from 'ws'
import { createAuthority } from '../certificates.ts'
import { acceptLink, type Introduction, type Link } from './link.ts'
import { MEDIA_HOST } from './media.ts'
import type { Network } from './network.ts'
import { createNoiseIdentity, type NoiseIdentity } from './noise.ts'
import type { Route } from './route.ts'
import { openSession, type Session } from './session.ts'
import type { Stanza } from './stanza.ts'

export interface Listener {
  readonly route: Route
  /** The number of open connections. */
  readonly connections: number
  /** Cuts every connection. */
  cut(): void
  close(): Promise<void>
}

const CHAT_HOST = 'web.whatsapp.com'
const ORIGIN = `https://${CHAT_HOST}`

/** One TLS listener serves all hosts of the network: the WebSocket of the chat, and the storage of files. */
export async function listen(network: Network): Promise<Listener> {
  const authority = createAuthority('WhatsApp stand-in')
  const root = Curve.generateKeyPair()
  const trusted = createNoiseIdentity(root)
  const foreign = createNoiseIdentity()
  const sockets = new Set<Socket>()
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  const server: Server = createServer(authority.issue([CHAT_HOST, MEDIA_HOST, '*.whatsapp.net']), (request, response) =>
    network.cdn.serve(request, response),
  )
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The tests cut connections, so errors are expected.
    socket.on('error', () => {})
    const refused = refusalOf(request, network)
    if (refused === 'silence') return
    if (refused !== undefined) return void socket.end(`HTTP/1.1 ${refused} Refused\r\nConnection: close\r\n\r\n`)
    webSockets.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, socket))
  })

  function identityFor(arrival: Network['faults']['arrival']): NoiseIdentity {
    switch (arrival?.kind) {
      case 'foreign_root':
        return foreign
      case 'foreign_key':
      case 'foreign_issuer':
      case 'out_of_date':
        return createNoiseIdentity(root, arrival)
      default:
        return trusted
    }
  }

  function accept(webSocket: WebSocket, socket: Duplex): void {
    let session: Session | undefined
    const { arrival } = network.faults
    const identity = identityFor(arrival)
    const instead = INSTEAD[arrival?.kind ?? '']
    acceptLink(
      webSocket,
      socket,
      { identity, instead },
      {
        introduced(link: Link, introduction: Introduction) {
          session = openSession(link, introduction, network)
          return (node: Stanza) => session?.hear(node)
        },
        closed: () => session?.gone(),
      },
    )
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    route: { port, authority: authority.cert, noiseRoot: trusted.root.toString('hex') },
    get connections() {
      return webSockets.clients.size
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Bytes that are sent instead of the server's hello. */
const INSTEAD: Readonly<Record<string, Buffer>> = {
  no_hello: Buffer.alloc(0),
  garbage_hello: Buffer.from('this is not a hello'),
}

function refusalOf({ url, headers }: IncomingMessage, { faults }: Network): number | 'silence' | undefined {
  if (faults.arrival?.kind === 'status') return faults.arrival.status
  if (faults.arrival?.kind === 'no_upgrade') return 'silence'
  const path = new URL(url ?? '/', ORIGIN).pathname
  return path === '/ws/chat' && headers.origin === ORIGIN ? undefined : 403
}
