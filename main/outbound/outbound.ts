import type { Agent } from 'node:https'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { ApiError } from '../contract/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import { CheckedAgent } from './checked-agent.ts'
import { createConnections, createPool, peerOf, type FetchTimeouts } from './connections.ts'
import { createConnector, type Dial, type PendingConnection } from './connector.ts'
import { startTimeout } from '../kernel/timeout.ts'
import { parseDestination, parseTypedDestination, parseTypedHost, type Destination } from './destination.ts'
import {
  BrokenBody,
  Exchange,
  GatedBody,
  type ExchangeLimits,
  type OutboundAnswer,
  type OutboundFailure,
  type OutboundResponse,
  type OutboundStream,
} from './exchange.ts'
import type { AccountId } from '../kernel/ids.ts'
import { callResponder, type Responder } from './simulated-hosts.ts'
import { createNameLookup, type NameLookup, type Resolve } from './name-lookup.ts'
import type { Proxy } from './proxy.ts'
import { createAddressPolicy, type Interfaces } from './public-address.ts'
import { openWebSocket, type WebSocket, type WebSocketOptions } from './web-socket.ts'

export type { Dial, PendingConnection } from './connector.ts'
export { BrokenBody } from './exchange.ts'
export type { OutboundAnswer, OutboundFailure, OutboundResponse, OutboundStream } from './exchange.ts'
export type { SimulatedRequest, Responder } from './simulated-hosts.ts'
export type { Resolve } from './name-lookup.ts'
export { systemResolve } from './name-lookup.ts'
export type { WebSocket } from './web-socket.ts'

export interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'HEAD' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  /** A stream requires a Content-Length header. */
  readonly body?: Buffer | Readable
  /**
   * Runs on an open connection, before the first byte of the request is written. If it fails, nothing is sent. The
   * request must have a buffer as its body.
   */
  readonly beforeFirstByte?: () => Promise<void>
  /** From the call to the last byte of the response header; 10 s. */
  readonly headersTimeoutMs?: number
  /** DNS, TCP and TLS together, within `headersTimeoutMs`; 5 s. */
  readonly connectTimeoutMs?: number
  /** A longer body is cut off and the connection closed; 16 KiB. */
  readonly maxBodyBytes?: number
  /** From the header to the end of the body; 2 s. For a stream: between two parts while its reader waits. */
  readonly bodyTimeoutMs?: number
  /** Aborting it cancels the request: the answer is a failure with code `aborted`. */
  readonly signal?: AbortSignal
  /** The account of the request; hosts answered inside the service use it to separate accounts. */
  readonly from: { readonly accountId: AccountId }
}

/** The only access to the network for addresses that somebody else chose. */
export interface Outbound {
  /**
   * Checks a URL before it is stored: its form, and the addresses its host resolves to now. A name that does not resolve
   * passes, because this machine may be offline; every request checks again.
   * @returns the URL to store: its `href` is exactly what will be called.
   * @throws ApiError invalid_url
   */
  checkUrl(url: string, rule: { schemes: readonly Scheme[]; field: string }): Promise<URL>
  /** As `checkUrl`, for a host without a scheme: a name or an address. @returns the host to store. @throws ApiError invalid_url */
  checkHost(host: string, field: string): Promise<string>
  /** Never rejects, never follows a redirect, never sends twice. */
  request(request: OutboundRequest): Promise<OutboundAnswer>
  /** As `request`, for a response of any size: resolves with its header, and the body is read as it arrives. */
  open(request: OutboundRequest): Promise<OutboundStream | OutboundFailure>
  /**
   * For a library with its own `fetch`: the dispatcher to pass to it. Every URL it fetches is requested from this
   * origin.
   */
  dispatcher(origin: string, patience: FetchTimeouts): object
  /**
   * For a library that opens its own WebSockets: its connections are checked like all others.
   * @param onConnect called with the result of each connection attempt: null, or the failure.
   */
  agent(connectTimeoutMs: number, onConnect?: (failure: Error | null) => void): Agent
  /** Opens a connection for a protocol other than HTTP. */
  connect(peer: { host: string; port: number; isEncrypted: boolean }, connectTimeoutMs: number): PendingConnection
  /** Opens a WebSocket. A failure to connect is its `error`, a ConnectFailure. @throws SyntaxError for an invalid URL */
  webSocket(url: string, options: WebSocketOptions): WebSocket
  /** Whether datagrams may be sent to this address. Names are not allowed. */
  permits(ip: string): boolean
  /** Whether this address is in a trusted range. Names are not. */
  isTrusted(ip: string): boolean
  /** Connects and closes the connection again. @throws ConnectFailure */
  probe(origin: string, connectTimeoutMs: number): Promise<void>
  /** The destination of a URL by its form alone; undefined if a request would be refused for it. */
  parseHost(url: string): Pick<Destination, 'host' | 'isSimulated'> | undefined
  /** Whether this machine has a network interface besides loopback. */
  hasNetwork(): boolean
  /** Changes whenever this machine's networks change. */
  networkRevision(): number
  /** Lets the service answer a host of the zone `.sandbox` itself, without a socket. */
  addResponder(host: string, responder: Responder): void
  /** Drops idle connections and resolved names, which may be wrong after sleep or a change of networks. */
  reset(): void
  /** Aborts all requests. Idempotent. */
  close(): Promise<void>
}

type Scheme = 'http' | 'https' | 'ws' | 'wss'

export interface OutboundDeps {
  readonly clock: Clock
  readonly resolve: Resolve
  /** CIDR ranges that are allowed although not public. */
  readonly trustedRanges: readonly string[]
  /**
   * If given, only these can be reached: an origin such as `https://graph.facebook.com`, or a zone such as
   * `.fbsbx.com`, which means https on any name in it. For requests that carry a credential.
   */
  readonly only?: (() => readonly string[]) | undefined
  /** All connections go through this proxy, which must be public or in a trusted range. Needs `only`. */
  readonly proxy?: Proxy | undefined
  /** Tests only: connects to another address instead of a checked one. */
  readonly dial?: Dial | undefined
  readonly interfaces?: Interfaces | undefined
  /** PEM certificates trusted in addition to the bundled and the system's. */
  readonly authorities?: readonly string[] | undefined
}

const DEFAULTS: ExchangeLimits = {
  headersTimeoutMs: 10_000,
  connectTimeoutMs: 5_000,
  bodyTimeoutMs: 2_000,
  maxBodyBytes: 16 * 1024,
}
/** How long storing an address waits for DNS before it counts as unresolvable. */
const CHECK_LOOKUP_MS = 2_000
const DESTINATIONS_KEPT = 256

export function createOutbound(deps: OutboundDeps): Outbound {
  const { clock } = deps
  const policy = createAddressPolicy(deps)
  const names = createNameLookup(deps)
  const connector = createConnector({ ...deps, policy, names })
  const connections = createConnections(connector, policy)
  const pools: ReturnType<typeof createPool>[] = []
  const responders = new Map<string, Responder>()
  const open = new Set<Exchange>()
  const simulated = new Set<AbortController>()
  const destinationOf = memoize(parseDestination)
  let isClosed = false

  const send = async (
    request: OutboundRequest,
    { host, origin, path }: Destination,
    onStream?: (stream: OutboundStream) => void,
  ): Promise<OutboundAnswer> => {
    const exchange = new Exchange(host, limitsOf(request), { clock, policy }, onStream)
    const { method, headers, body, gate } = gated(request)
    const { signal } = request
    exchange.gate = gate
    const abort = () => exchange.abort()
    open.add(exchange)
    signal?.addEventListener('abort', abort)
    await connections.run(origin, { path, method, headers, body }, exchange)
    signal?.removeEventListener('abort', abort)
    open.delete(exchange)
    return exchange.answer
  }

  async function request(asked: OutboundRequest, onStream?: (stream: OutboundStream) => void): Promise<OutboundAnswer> {
    const destination = destinationOf(asked.url)
    if (isClosed || asked.signal?.aborted) return unsent('protocol', 'aborted', 'The request was cancelled.')
    if (typeof destination === 'string') return unsent('blocked', 'invalid_url', `The URL ${destination}`)
    if (!isAllowed(destination, deps.only?.())) {
      return unsent('blocked', 'not_listed', `${destination.host} is not an allowed host for this request.`)
    }
    if (!destination.isSimulated) return send(asked, destination, onStream)
    const responder = responders.get(destination.host)
    if (!responder) return unsent('blocked', 'unknown_host', `The sandbox has no host ${destination.host}.`)
    try {
      await asked.beforeFirstByte?.()
    } catch {
      return unsent('protocol', 'aborted', 'The request was cancelled.')
    }
    return simulate(responder, asked)
  }

  async function simulate(responder: Responder, asked: OutboundRequest): Promise<OutboundAnswer> {
    const ending = new AbortController()
    const abort = () => ending.abort()
    if (isClosed || asked.signal?.aborted) abort()
    simulated.add(ending)
    asked.signal?.addEventListener('abort', abort)
    const answer = await callResponder(responder, { ...asked, signal: ending.signal }, { clock, ...limitsOf(asked) })
    asked.signal?.removeEventListener('abort', abort)
    simulated.delete(ending)
    return answer
  }

  async function checkAddresses(target: Pick<Destination, 'host' | 'isLiteral'>, field: string): Promise<void> {
    const addresses = await lookUp(target, names, clock)
    if (!addresses.every((ip) => policy.permits(ip)))
      throw invalidUrl(field, NOT_PUBLIC).because('url_not_public', { field })
  }

  return {
    async checkUrl(text, { schemes, field }) {
      // A WebSocket starts as an HTTP request.
      const isWebSocket = schemes.some((scheme) => scheme.startsWith('ws'))
      const destination = parseTypedDestination(isWebSocket ? text.replace(/^( *)ws(?=s?:)/i, '$1http') : text)
      if (typeof destination === 'string') throw invalidUrl(field, destination).because('url_invalid', { field })
      if (!schemes.some((scheme) => text.trimStart().toLowerCase().startsWith(`${scheme}:`)))
        throw invalidUrl(field, `must begin with ${schemes.join(':// or ')}://.`).because('url_scheme', {
          field,
          schemes: schemes.map((scheme) => `${scheme}://`).join(', '),
        })
      const { host, isSimulated } = destination
      if (isSimulated && !responders.has(host)) throw unknownSandboxHost(field)
      if (!isSimulated) await checkAddresses(destination, field)
      return new URL(text)
    },

    async checkHost(text, field) {
      const place = parseTypedHost(text)
      if (typeof place === 'string') throw invalidUrl(field, place).because('url_invalid', { field })
      if (place.isSimulated) throw unknownSandboxHost(field)
      await checkAddresses(place, field)
      return place.host
    },

    request: (asked) => request(asked),

    async open(asked) {
      const { promise, resolve } = Promise.withResolvers<OutboundStream | OutboundFailure>()
      void request(asked, resolve).then((answer) => {
        if (answer.kind === 'failure') resolve(answer)
        // A simulated host answered; for a real one, the header came earlier.
        else resolve({ ...answer, kind: 'stream', body: Readable.from(partsOf(answer, limitsOf(asked))) })
      })
      return promise
    },

    dispatcher(origin, patience) {
      const pool = createPool(connector, origin, patience)
      pools.push(pool)
      return pool
    },

    agent: (connectTimeoutMs, onConnect) =>
      new CheckedAgent({ connector, only: deps.only, connectTimeoutMs, onConnect }),

    connect: ({ host, port, isEncrypted }, connectTimeoutMs) =>
      connector({ scheme: isEncrypted ? 'tls' : 'tcp', host, port, isLiteral: isIP(host) !== 0 }, connectTimeoutMs),

    webSocket: (url, options) => openWebSocket({ connector, clock }, url, options),
    permits: (ip) => policy.permits(ip),
    isTrusted: (ip) => policy.isTrusted(ip),

    async probe(origin, connectTimeoutMs) {
      const { socket } = await connector(peerOf(new URL(origin)), connectTimeoutMs).opened
      socket.destroy()
    },

    parseHost(url) {
      const destination = destinationOf(url)
      return typeof destination === 'string' ? undefined : destination
    },
    hasNetwork: policy.hasNetwork,
    networkRevision: policy.revision,

    addResponder(host, responder) {
      responders.set(host, responder)
    },

    reset() {
      names.expireAll()
      connections.dropIdle()
    },

    async close() {
      isClosed = true
      for (const exchange of [...open, ...simulated]) exchange.abort()
      await Promise.all([...[...open].map(({ answer }) => answer), ...pools.map((pool) => pool.destroy())])
      connections.dropIdle()
    },
  }
}

const limitsOf = (request: OutboundRequest): ExchangeLimits => ({
  headersTimeoutMs: request.headersTimeoutMs ?? DEFAULTS.headersTimeoutMs,
  connectTimeoutMs: request.connectTimeoutMs ?? DEFAULTS.connectTimeoutMs,
  bodyTimeoutMs: request.bodyTimeoutMs ?? DEFAULTS.bodyTimeoutMs,
  maxBodyBytes: request.maxBodyBytes ?? DEFAULTS.maxBodyBytes,
})

interface Gated extends Pick<OutboundRequest, 'method' | 'headers'> {
  readonly body: Buffer | Readable | null
  readonly gate: GatedBody | null
}

function gated({ method, headers, body, beforeFirstByte }: OutboundRequest): Gated {
  if (beforeFirstByte === undefined || !Buffer.isBuffer(body))
    return { method, headers, body: body ?? null, gate: null }
  const gate = new GatedBody(body, beforeFirstByte)
  return { method, headers: { ...headers, 'content-length': String(body.length) }, body: gate, gate }
}

function isAllowed({ origin, scheme, port, host }: Destination, only: readonly string[] | undefined): boolean {
  if (only === undefined) return true
  const isZoned = scheme === 'https' && port === 443
  return only.some((one) => (one.startsWith('.') ? isZoned && host.endsWith(one) : one === origin))
}

async function* partsOf({ body, truncated }: OutboundResponse, { maxBodyBytes }: ExchangeLimits) {
  yield body
  if (truncated) throw new BrokenBody(body.length < maxBodyBytes ? 'broken_off' : 'too_large')
}

const unsent = (stage: 'blocked' | 'protocol', code: string, message: string): OutboundAnswer => ({
  kind: 'failure',
  stage,
  code,
  message,
  sent: false,
})

const NOT_PUBLIC =
  'does not lead to a public address. Use a public one, or add its range to egress.trusted_ranges in settings.json.'

const unknownSandboxHost = (field: string) =>
  invalidUrl(field, 'names a host that the sandbox does not have.').because('url_sandbox_host', { field })

const invalidUrl = (field: string, rule: string) => new ApiError('invalid_url', `${field} ${rule}`)

/** The addresses that are known in time; none if the name does not resolve by then. */
async function lookUp(
  { host, isLiteral }: Pick<Destination, 'host' | 'isLiteral'>,
  names: NameLookup,
  clock: Clock,
): Promise<readonly string[]> {
  if (isLiteral) return [host]
  const { promise: late, resolve: giveUp } = Promise.withResolvers<readonly string[]>()
  const limit = startTimeout(clock, CHECK_LOOKUP_MS, () => giveUp([]))
  const found = names.addresses(host).catch(() => [])
  const addresses = await Promise.race([found, late])
  limit.cancel()
  return addresses
}

/** Parsing is the most expensive part of a request's bookkeeping, and webhooks use the same few URLs. */
function memoize<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const fresh = read(text)
    if (known.size >= DESTINATIONS_KEPT) known.clear()
    known.set(text, fresh)
    return fresh
  }
}
