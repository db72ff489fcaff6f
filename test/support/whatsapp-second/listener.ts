import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { createAuthority } from '../certificates.ts'
import type { Faults } from '../whatsapp/faults.ts'
import type { Route } from '../whatsapp/route.ts'
import { serveLink, type Link, type Visitor } from './link.ts'
import { createTrust } from './noise.ts'

type ArrivalFault = NonNullable<Parameters<Faults['onArrival']>[0]>

interface Behind {
  readonly arrival: () => ArrivalFault | null
  greet(link: Link): Visitor
  complain(what: string): void
  serveFile(request: IncomingMessage, response: ServerResponse): void
}

const CHAT_HOST = 'web.whatsapp.com'
/** Clients upload to the first host. The files of other people are on the second. */
export const UPLOAD_HOST = 'media-fra5-2.whatsapp.net'
export const DOWNLOAD_HOST = 'mmg.whatsapp.net'

/** One TLS port serves all hosts. */
export async function listen(behind: Behind) {
  const authority = createAuthority('Second stand-in')
  const trust = createTrust()
  const foreign = createTrust()
  const sockets = new Set<Socket>()
  const chats = new WebSocketServer({ noServer: true })
  const server = createServer(authority.issue([CHAT_HOST, UPLOAD_HOST, DOWNLOAD_HOST]), (request, response) =>
    behind.serveFile(request, response),
  )
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  server.on('upgrade', (request, socket: Duplex, head) => {
    socket.on('error', () => {})
    const fault = behind.arrival()
    const isChat = request.headers.host === CHAT_HOST && request.url?.startsWith('/ws/chat')
    if (fault?.kind === 'no_upgrade') return
    if (fault?.kind === 'status' || !isChat) {
      socket.end(`HTTP/1.1 ${fault?.kind === 'status' ? fault.status : 404} Refused\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    chats.handleUpgrade(request, socket, head, (ws) => {
      if (fault?.kind === 'no_hello') return
      if (fault?.kind === 'garbage_hello') {
        ws.once('message', () => ws.send(Buffer.concat([Buffer.from([0, 0, 40]), randomBytes(40)])))
        return
      }
      serveLink(ws, {
        trust: fault?.kind === 'foreign_root' ? foreign : trust,
        greet: behind.greet,
        cut: () => void socket.destroy(),
        complain: behind.complain,
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const route: Route = {
    port: (server.address() as AddressInfo).port,
    authority: authority.cert,
    noiseRoot: trust.root.public.toString('hex'),
  }
  return {
    route,
    get connections() {
      return chats.clients.size
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((done) => void server.close(() => done()))
    },
  }
}
