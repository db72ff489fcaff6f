import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback, isWithin, networkOf, parseAddress, parseRange } from '../kernel/address-range.ts'
// Sockets live in real time, as Node's own limits do, also where a test stops the clock of the service.
import { systemClock } from '../kernel/clock.ts'
import { mayTake } from '../kernel/fair-share.ts'

interface Connection {
  /** null: a proxy or a program of this machine, which has no share. */
  readonly network: string | null
  readonly unanswered: Map<IncomingMessage, ServerResponse>
  /** undefined while a request is unanswered. */
  idleSinceMs: number | undefined
}

export interface ConnectionsDeps {
  /** CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  /** Open at once. */
  readonly atMost?: number
  /** How long a connection can stay without traffic, except while its request is at work. */
  readonly silenceMs?: number
}

export interface Connections {
  /** Whether a request of the connection has arrived as a whole and is not answered yet. */
  hasComplete(socket: Socket): boolean
  /**
   * Counts a request that a proxy passed on as a connection of the network it came from.
   * @param address of the client, as far as proxies are trusted.
   * @returns false: the network has its share already.
   */
  takeShare(request: IncomingMessage, address: string, response: ServerResponse): boolean
}

const CONNECTIONS_AT_MOST = 2_000
/** Without traffic, in either direction. */
const SILENCE_MS = 60_000
/** From this part on, idle connections make room for new ones. */
const NEARLY_FULL = 0.75
const IDLE_WHEN_NEARLY_FULL_MS = 1_000
const SWEEP_EVERY_MS = 250
/**
 * A connection is closed if the client reads nothing for this long. Node checks once per interval, so it can take twice
 * as long. A client that reads slowly is never cut off.
 */
const UNREAD_MS = 8_000
/** The rest of a body whose request was already answered has to keep coming. */
const REST_SILENCE_MS = 1_000

/**
 * Shares the connections of the server out, and ends those that nobody uses. A network that takes all
 * it can get has half of them, and others still get in.
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
    // The connection that asks is open already.
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
  // One that was not let in, as all are taken.
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
    // An operation or a stream at work, which has its own limits. The client owes nothing.
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
 * Behind a proxy everybody comes from one address. A proxy on this machine comes from loopback, as its own programs do:
 * the rest of the world must not lock them out, and they are not limited themselves.
 */
function sharing(trustedProxies: readonly string[]): (address: string) => boolean {
  const proxies = trustedProxies.map(parseRange).filter((range) => range !== undefined)
  return (text) => {
    const address = parseAddress(text)
    return !isLoopback(text) && !(address !== undefined && proxies.some((range) => isWithin(range, address)))
  }
}

/**
 * Closes the connection if the client does not read a response, counted from when all of it was handed to the socket.
 * The limit of silence is too long for this: the response would stay in memory.
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

/** What is left of a refused body is read and discarded, so that the client reads the answer, but not waited for. */
function closeWhenRestIsMissing(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (!request.complete) onSilence(request, () => request.socket.destroy())
  })
}

/**
 * Calls back once no byte of the body has come for a second.
 * @returns stops watching. The end of the request does too.
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
