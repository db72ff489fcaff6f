import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTls, type TlsOptions } from 'node:tls'
import type { Dial, Resolve } from '../../main/outbound/outbound.ts'
import { receiverAuthority } from './receiver.ts'

/** A server that says whatever the test wants, byte by byte; for receivers that break the protocol. */
export interface RawServer {
  readonly port: number
  readonly connections: number
  /** Connections that are still open. */
  readonly open: number
  /** Every name leads to a public address, and that address to this server. */
  readonly outside: { readonly resolve: Resolve; readonly dial: Dial }
  close(): Promise<void>
}

/** @param layer `tcp` leaves TLS out: the socket is what the client's handshake meets. */
export async function startRawServer(
  speak: (socket: Socket) => void,
  { layer = 'tls', tls = {} }: { layer?: 'tls' | 'tcp'; tls?: TlsOptions } = {},
): Promise<RawServer> {
  let connections = 0
  const sockets = new Set<Socket>()
  const accept = (socket: Socket) => {
    // Clients that break off are part of the tests.
    socket.on('error', () => {})
    speak(socket)
    // Unread, the client's goodbye would not be noticed.
    socket.resume()
  }
  const identity = receiverAuthority().issue(['receiver.example'])
  const server: Server = layer === 'tls' ? createTls({ ...identity, ...tls }, accept) : createServer(accept)
  server.on('tlsClientError', () => {})
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    outside: {
      resolve: async () => ['93.184.216.34'],
      dial: () => ({ address: '127.0.0.1', port }),
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
