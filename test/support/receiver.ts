import {
  createServer as createHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates, type TlsOptions, type TLSSocket } from 'node:tls'
import type { Dial, Resolve } from '../../main/outbound/outbound.ts'
import { createAuthority, type Authority } from './certificates.ts'

/** One request as it arrived. The list of them is only ever appended to. */
interface Received {
  readonly atMs: number
  readonly method: string
  readonly path: string
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The exact bytes. */
  readonly body: Buffer
  /** Which connection of this receiver it came on, from 1. */
  readonly connection: number
}

interface Reply {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Waits before it answers. */
  readonly delayMs?: number
  /** Takes the request and never answers. */
  readonly hang?: boolean
  /** Takes the request, then cuts the connection with a RST. */
  readonly reset?: boolean
}

/** What to answer: always the same, or decided per request (`nth` counts from 1). */
type Script = Reply | ((request: Received, nth: number) => Reply)

/** A server on loopback that stands for one on the Internet. */
export interface Receiver {
  readonly name: string
  /** The public address its name resolves to. */
  readonly address: string
  /** Where it really listens, on 127.0.0.1. */
  readonly port: number
  readonly received: readonly Received[]
  /** Connections accepted so far, and the most requests that were open at once. */
  readonly connections: number
  readonly peak: number
  /** Its public address: `https://receiver.example/hook`. */
  url(path?: string): string
  answer(script: Script): void
  /** Resolves once that many requests have arrived; fails after `withinMs`. */
  waitFor(count: number, withinMs?: number): Promise<readonly Received[]>
  close(): Promise<void>
}

export interface ReceiverOptions {
  readonly name?: string
  readonly address?: string
  readonly script?: Script
  /** Speaks plain HTTP. */
  readonly plain?: boolean
  /** Another identity, TLS version and the like. */
  readonly tls?: TlsOptions
}

let shared: Authority | undefined

/** The authority of all receivers of this process. Once asked for, the process trusts it like a bundled one. */
export function receiverAuthority(): Authority {
  if (!shared) {
    shared = createAuthority()
    setDefaultCACertificates([...getCACertificates('default'), shared.cert])
  }
  return shared
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { name = 'receiver.example', address = '93.184.216.34', plain = false } = options
  const received: Received[] = []
  const numbers = new WeakMap<Socket, number>()
  const waiters = new Set<() => void>()
  let script: Script = options.script ?? {}
  let connections = 0
  let open = 0
  let peak = 0

  const take = async (request: IncomingMessage, response: ServerResponse) => {
    peak = Math.max(peak, ++open)
    response.once('close', () => open--)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url: path = '', headers } = request
    const connection = numbers.get(request.socket) ?? 0
    const taken: Received = { atMs: Date.now(), method, path, headers, body: Buffer.concat(chunks), connection }
    received.push(taken)
    for (const wake of waiters) wake()
    reply(response, typeof script === 'function' ? script(taken, received.length) : script)
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    take(request, response).catch(() => response.destroy())
  }
  const server = plain
    ? createHttp(listener)
    : createHttps({ ...receiverAuthority().issue([name, address]), ...options.tls }, listener)
  server.on(plain ? 'connection' : 'secureConnection', (socket: Socket | TLSSocket) =>
    numbers.set(socket, ++connections),
  )
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Clients that break off are part of the tests.
  server.on('tlsClientError', () => {})
  server.on('clientError', (_, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    name,
    address,
    port,
    received,
    get connections() {
      return connections
    },
    get peak() {
      return peak
    },
    url: (path = '/hook') => `${plain ? 'http' : 'https'}://${name}${path}`,
    answer: (next) => void (script = next),
    waitFor(count, withinMs = 60_000) {
      return new Promise((resolve, reject) => {
        const check = () => {
          if (received.length < count) return
          clearTimeout(limit)
          waiters.delete(check)
          resolve(received)
        }
        const limit = setTimeout(() => {
          waiters.delete(check)
          reject(new Error(`${received.length} of ${count} requests arrived at ${name} within ${withinMs} ms`))
        }, withinMs)
        waiters.add(check)
        check()
      })
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      // Also those in the middle of a handshake, which closeAllConnections() does not know.
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The outside world as these receivers see it: their names resolve, and only they can be reached. */
export function outside(...receivers: readonly Receiver[]): { resolve: Resolve; dial: Dial } {
  return {
    resolve(host) {
      const found = receivers.filter(({ name }) => name === host)
      if (found.length > 0) return Promise.resolve(found.map(({ address }) => address))
      return Promise.reject(Object.assign(new Error(`${host} is not known here`), { code: 'ENOTFOUND' }))
    },
    dial(address) {
      const found = receivers.find((one) => one.address === address)
      // Port 9 of loopback refuses: a test never leaves the machine.
      return { address: '127.0.0.1', port: found?.port ?? 9 }
    },
  }
}

function reply(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', delayMs = 0, hang, reset }: Reply,
): void {
  if (hang) return
  const act = () => {
    if (reset) return resetUnder(response)
    response.writeHead(status, headers)
    response.end(body)
  }
  if (delayMs > 0) setTimeout(act, delayMs)
  else act()
}

function resetUnder(response: ServerResponse): void {
  // Under TLS the RST belongs to the TCP socket beneath, which only the private field names.
  const socket: (Socket & { _parent?: Socket | null }) | null = response.socket
  const tcp = socket?._parent ?? socket
  tcp?.resetAndDestroy()
}
