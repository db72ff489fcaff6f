import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback, isWithin, networkOf, parseAddress, parseRange } from '../kernel/address-range.ts'
// Sockets use real time, like Node's own limits, even if a test stops the clock of the service.
import { systemClock } from '../kernel/clock.ts'
import { mayTake } from '../kernel/fair-share.ts'

interface Connection {
  /** null: a proxy or a program on this machine, which is not limited. */
  readonly network: string | null
  readonly unanswered: Map<IncomingMessage, ServerResponse>
  /** undefined while a request is unanswered. */
  idleSinceMs: number | undefined
}

export interface ConnectionsDeps {
  /** CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  /** Limit of open connections. */
  readonly atMost?: number
  /** How long a connection may stay without traffic, unless its request is being processed. */
  readonly silenceMs?: number
}

export interface Connections {
  /** Whether a complete request of the connection is not answered yet. */
  hasComplete(socket: Socket): boolean
  /**
   * Counts a request from a proxy as a connection of the network it came from.
   * @param address of the client, as far as proxies are trusted.
   * @returns false if the network has already reached its limit.
   */
  takeShare(request: IncomingMessage, address: string, response: ServerResponse): boolean
}

const CONNECTIONS_AT_MOST = 2_000
/** Limit without traffic in either direction. */
const SILENCE_MS = 60_000
/** Above this share of the limit, idle connections are closed for new ones. */
const NEARLY_FULL = 0.75
const IDLE_WHEN_NEARLY_FULL_MS = 1_000
const SWEEP_EVERY_MS = 250
/**
 * A connection is closed if the client reads nothing for this long. Node checks once per interval, so it can take twice
 * as long. A client that reads slowly is never cut off.
 */
const UNREAD_MS = 8_000
/** Longest pause while receiving the rest of a body whose request was already answered. */
const REST_SILENCE_MS = 1_000

/**
 * Shares the server's connections among networks and closes idle ones. One network can have at most half, so that
 * others can still connect.
 */
export function manageConnections(
  server: Server,
  { trustedProxies, atMost = CONNECTIONS_AT_MOST, silenceMs = SILENCE_MS }: ConnectionsDeps,
): Connections {
  const open = new Map<Socket, Connection>()
  const ofNetwork = new Map<string, number>()
  const hasShare = sharing(trustedProxies)
  let sweptAtMs = -Infinity
  server.maxConnections = atMost
  server.setTimeout(silenceMs)

  const take = (network: string): boolean => {
    const held = ofNetwork.get(network) ?? 0
    // The requesting connection is already open.
    if (!mayTake({ inAll: atMost, used: open.size - 1, held })) return false
    ofNetwork.set(network, held + 1)
    return true
  }
  const giveBack = (network: string) => {
    const count = (ofNetwork.get(network) ?? 0) - 1
    if (count > 0) ofNetwork.set(network, count)
    else ofNetwork.delete(network)
  }

  const closeIdle = () => {
    const nowMs = systemClock.mono()
    if (nowMs - sweptAtMs < SWEEP_EVERY_MS) return
    sweptAtMs = nowMs
    for (const [socket, { idleSinceMs = Infinity }] of open)
      if (nowMs - idleSinceMs >= IDLE_WHEN_NEARLY_FULL_MS) socket.destroy()
  }

  server.prependListener('connection', (socket) => {
    const address = socket.remoteAddress
    const network = address === undefined || !hasShare(address) ? null : networkOf(address)
    open.set(socket, { network, unanswered: new Map(), idleSinceMs: systemClock.mono() })
    const isRefused = network !== null && !take(network)
    socket.once('close', () => {
      open.delete(socket)
      if (network !== null && !isRefused) giveBack(network)
    })
    if (isRefused) socket.destroy()
    if (open.size >= atMost * NEARLY_FULL) closeIdle()
  })
  // A connection was refused because the limit is reached.
  server.on('drop', closeIdle)

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(request.socket)
    if (connection === undefined) return
    const { unanswered } = connection
    unanswered.set(request, response)
    connection.idleSinceMs = undefined
    response.once('close', () => {
      unanswered.delete(request)
      if (unanswered.size === 0) connection.idleSinceMs = systemClock.mono()
    })
    closeWhenUnread(request.socket, response, () => unanswered.size > 1, silenceMs)
    closeWhenRestIsMissing(request, response)
  })

  server.on('timeout', (socket: Socket) => {
    // Answers are sent in the order of the requests.
    const [current] = open.get(socket)?.unanswered.values() ?? []
    if (current === undefined || current.writableEnded || current.writableLength > 0) return void socket.destroy()
    // An operation or a stream is running and has its own limits; the client has nothing to send.
    socket.setTimeout(silenceMs)
  })

  return {
    hasComplete: (socket) => [...(open.get(socket)?.unanswered.keys() ?? [])].some(({ complete }) => complete),
    takeShare({ socket }, address, response) {
      if (open.get(socket)?.network !== null || !hasShare(address)) return true
      const network = networkOf(address)
      if (!take(network)) return false
      response.once('close', () => giveBack(network))
      return true
    },
  }
}

/**
 * Behind a proxy, all clients have one address. A proxy on this machine uses loopback, as local programs do: other
 * clients must not lock those out, so loopback is not limited.
 */
function sharing(trustedProxies: readonly string[]): (address: string) => boolean {
  const proxies = trustedProxies.map(parseRange).filter((range) => range !== undefined)
  return (text) => {
    const address = parseAddress(text)
    return !isLoopback(text) && !(address !== undefined && proxies.some((range) => isWithin(range, address)))
  }
}

/**
 * Closes the connection if the client does not read a response, counted from when all of it was passed to the socket.
 * The limit without traffic is too long for this: the response would stay in memory.
 * @param hasUnanswered whether other requests on the connection wait for a response.
 */
function closeWhenUnread(
  socket: Socket,
  response: ServerResponse,
  hasUnanswered: () => boolean,
  silenceMs: number,
): void {
  response.once('prefinish', () => void socket.setTimeout(UNREAD_MS))
  // Otherwise Node has already set the keep-alive timeout, or started the next response.
  response.once('finish', () => {
    if (hasUnanswered() && socket.writableLength === 0) socket.setTimeout(silenceMs)
  })
}

/**
 * The rest of a refused body is read and discarded so that the client reads the answer, but a missing rest is not
 * waited for.
 */
function closeWhenRestIsMissing(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (!request.complete) onSilence(request, () => request.socket.destroy())
  })
}

/**
 * Calls back when no byte of the body has arrived for one second.
 * @returns a function that stops watching. The end of the request stops it too.
 */
export function onSilence(request: IncomingMessage, act: () => void): () => void {
  const { socket } = request
  let received = socket.bytesRead
  const timer = systemClock.every(REST_SILENCE_MS, () => {
    if (request.complete || socket.destroyed) return timer.cancel()
    if (socket.bytesRead === received) {
      timer.cancel()
      act()
    }
    received = socket.bytesRead
  })
  return () => timer.cancel()
}
