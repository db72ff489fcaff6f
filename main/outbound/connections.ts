import { isIP, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { Client, Pool } from 'undici'
import type { Connector, PendingConnection } from './connector.ts'
import type { Peer } from './destination.ts'
import type { Exchange, PeerInfo } from './exchange.ts'
import type { AddressPolicy } from './public-address.ts'

/** The request line and the headers. */
interface OutgoingRequest {
  readonly path: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'HEAD' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | Readable | null
}

/** Keep-alive connections of HTTP/1.1 by origin. */
export interface Connections {
  /** Runs the exchange on an idle connection or a new one; resolves when the exchange has settled. */
  run(origin: string, sending: OutgoingRequest, exchange: Exchange): Promise<void>
  dropIdle(): void
}

interface Connection {
  readonly client: Client
  readonly line: PeerInfo & { socket: Socket | null; opening: PendingConnection | null; connectTimeoutMs: number }
}

const HEADER_BYTES = 16 * 1024
/** Longer keep-alive times of a receiver are ignored, because routers drop idle connections. */
const IDLE_MAX_MS = 60_000

/**
 * One connection per concurrent request: the scheduler limits them per webhook, because with a limit here a hanging
 * webhook would starve another one on the same host. The most recently used connection is reused first, so that spare
 * ones time out. undici's own Agent is not used: it counts connections by origin across its closed pools and, after
 * the first broken connection, stops reusing any (seen in 7.30.2). The proxy variables of the environment are
 * ignored, because such a proxy would resolve names itself.
 */
export function createConnections(connector: Connector, policy: AddressPolicy): Connections {
  const idle = new Map<string, Connection[]>()

  const removeIdle = (origin: string, closed: Connection) => {
    const rest = idle.get(origin)?.filter((one) => one !== closed) ?? []
    if (rest.length > 0) idle.set(origin, rest)
    else idle.delete(origin)
  }

  const open = (origin: string): Connection => {
    const line: Connection['line'] = { socket: null, opening: null, ip: null, revision: 0, connectTimeoutMs: 0 }
    const client = new Client(origin, {
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: HEADER_BYTES,
      keepAliveMaxTimeout: IDLE_MAX_MS,
      // The exchange has its own timeouts: undici's are coarse and do not end a request that is still connecting.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect(target, done) {
        line.opening = connector(peerOf(target), line.connectTimeoutMs)
        line.opening.opened.then(
          ({ socket, ip }) => {
            Object.assign(line, { socket, ip, revision: policy.revision() })
            done(null, socket)
          },
          (error: unknown) => done(asError(error), null),
        )
      },
    })
    const connection = { client, line }
    client.on('disconnect', () => removeIdle(origin, connection))
    return connection
  }

  return {
    async run(origin, sending, exchange) {
      const connection = idle.get(origin)?.pop() ?? open(origin)
      const { client, line } = connection
      line.connectTimeoutMs = exchange.limits.connectTimeoutMs
      exchange.line = line
      client.dispatch(sending, exchange)
      const answer = await exchange.answer
      const isReusable = answer.kind === 'response' && !answer.truncated && line.socket?.destroyed === false
      if (!isReusable) return destroy(connection)
      const others = idle.get(origin)
      if (others) others.push(connection)
      else idle.set(origin, [connection])
    },
    dropIdle() {
      for (const connection of [...idle.values()].flat()) destroy(connection)
      idle.clear()
    },
  }
}

/** Timeouts of a fetch outside this guard. */
export interface FetchTimeouts {
  /** DNS, TCP and TLS together. */
  readonly connectTimeoutMs: number
  /** From the request to the response header, and between two parts of the response; accurate to about a second. */
  readonly idleTimeoutMs: number
}

/** Connections to one origin, for `fetch`: checked like all others, and always made to that origin. */
export function createPool(
  connector: Connector,
  origin: string,
  { connectTimeoutMs, idleTimeoutMs }: FetchTimeouts,
): Pool {
  return new Pool(origin, {
    allowH2: false,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    connect(target, done) {
      connector(peerOf(target), connectTimeoutMs).opened.then(
        ({ socket }) => done(null, socket),
        (error: unknown) => done(asError(error), null),
      )
    },
  })
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

function destroy({ client, line }: Connection): void {
  line.opening?.cancel()
  void client.destroy()
}

export function peerOf({ protocol, hostname, port }: { protocol: string; hostname: string; port: string }): Peer {
  const scheme = protocol === 'https:' || protocol === 'wss:' ? 'https' : 'http'
  const host = hostname.replace(/\.$/, '')
  return {
    scheme,
    host,
    port: port === '' ? { https: 443, http: 80 }[scheme] : Number(port),
    isLiteral: isIP(host) !== 0,
  }
}
