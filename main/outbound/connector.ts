import { connect, isIP, type Socket } from 'node:net'
import { parseAddress } from '../kernel/address-range.ts'
import type { Clock } from '../kernel/clock.ts'
import {
  blocked,
  codeOf,
  ConnectFailure,
  syntheticAddress,
  connectTimeout,
  unreachable,
  unresolved,
} from './connect-failure.ts'
import { startTimeout } from '../kernel/timeout.ts'
import type { Peer } from './destination.ts'
import type { NameLookup } from './name-lookup.ts'
import { tunnel, type Proxy } from './proxy.ts'
import { isSyntheticAddress, type AddressPolicy } from './public-address.ts'
import { createTls } from './tls.ts'

/** Where a checked address is actually connected. Set by tests; the product connects to the checked address. */
export type Dial = (address: string, port: number) => { readonly address: string; readonly port: number }

interface OpenSocket {
  readonly socket: Socket
  /** The checked address. */
  readonly ip: string
}

export interface PendingConnection {
  /** Rejects with a ConnectFailure. */
  readonly opened: Promise<OpenSocket>
  /** Cancels the attempt immediately instead of at the limit. Harmless once it has opened. */
  cancel(): void
}

/** @param limitMs covers DNS, TCP and TLS together. */
export type Connector = (peer: Peer, limitMs: number) => PendingConnection

interface ConnectorDeps {
  readonly clock: Clock
  readonly policy: AddressPolicy
  readonly names: NameLookup
  readonly dial?: Dial | undefined
  /** PEM certificates trusted in addition to the bundled and the system's. */
  readonly authorities?: readonly string[] | undefined
  /** A proxy for all connections. Its own address is checked; it resolves the names of destinations. */
  readonly proxy?: Proxy | undefined
}

/** A running attempt: what its deadline must end, and whether it has. */
interface Attempt {
  readonly peer: Peer
  isResolved: boolean
  isOver: boolean
  socket: Socket | null
  leftMs(): number
}

/** Limit of addresses tried for one name, and the timeout of each except the last. */
const ADDRESSES_TRIED = 4
const ADDRESS_SHARE_MS = 1_500
const TCP_KEEPALIVE_MS = 60_000
/** "No route" in one address family is less informative than an error in the other family. */
const NO_ROUTE = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'ENETDOWN'])

/**
 * Opens connections for requests whose destination somebody else chose. The address is checked three times: a literal
 * host, all addresses of a name (one forbidden address is enough to refuse the name), and the peer of the connected
 * socket before a byte is sent. A check only inside the lookup would never see literals.
 */
export function createConnector(deps: ConnectorDeps): Connector {
  const { clock, policy, names } = deps
  const secure = createTls(deps.authorities ?? [])

  const reach = async (attempt: Attempt, peer: Peer): Promise<OpenSocket> => {
    const { host, isLiteral, scheme } = peer
    const addresses = isLiteral ? [host] : await resolve(names, host)
    attempt.isResolved = true
    if (!addresses.every((ip) => policy.permits(ip)))
      throw addresses.every(isSyntheticAddress) ? syntheticAddress(host) : blocked(host)
    const reached = await connectFirst(deps, attempt, host, peer.port, addresses.slice(0, ADDRESSES_TRIED))
    return isEncrypted(scheme) ? encrypt(attempt, peer, reached) : reached
  }

  const encrypt = async (attempt: Attempt, peer: Peer, { socket, ip }: OpenSocket): Promise<OpenSocket> => ({
    socket: await secure(socket, peer, (secured) => track(attempt, secured)),
    ip,
  })

  const open = async (attempt: Attempt): Promise<OpenSocket> => {
    const { peer } = attempt
    if (!deps.proxy) return reach(attempt, peer)
    const reached = await reach(attempt, peerOf(deps.proxy))
    await tunnel(reached.socket, deps.proxy, peer)
    return isEncrypted(peer.scheme) ? encrypt(attempt, peer, reached) : reached
  }

  return (peer, limitMs) => {
    const startedMs = clock.mono()
    const leftMs = () => limitMs - (clock.mono() - startedMs)
    const attempt: Attempt = { peer, isResolved: false, isOver: false, socket: null, leftMs }
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const end = (failure: ConnectFailure) => {
      attempt.isOver = true
      attempt.socket?.destroy()
      reject(failure)
    }
    const limit = startTimeout(clock, limitMs, () => {
      end(attempt.isResolved ? connectTimeout(peer.host, limitMs) : unresolved(peer.host, 'ETIMEOUT'))
    })
    let isOpen = false
    const opened = Promise.race([open(attempt), ended])
      .then((result) => {
        isOpen = true
        return result
      })
      .finally(() => {
        limit.cancel()
        // After a refusal by a proxy, the socket would stay open as long as the proxy likes.
        if (!isOpen) attempt.socket?.destroy()
      })
    return {
      opened,
      cancel() {
        if (!isOpen) end(unreachable(peer.host, 'ECANCELED'))
      },
    }
  }
}

const isEncrypted = (scheme: Peer['scheme']): boolean => scheme === 'https' || scheme === 'tls'

const peerOf = ({ type, host, port }: Proxy): Peer => ({
  ...{ scheme: type === 'https' ? 'https' : 'http', host, port },
  isLiteral: isIP(host) !== 0,
})

async function resolve(names: NameLookup, host: string): Promise<readonly string[]> {
  try {
    return await names.addresses(host)
  } catch (error) {
    throw unresolved(host, codeOf(error))
  }
}

/** Tries one address after the other: a name with an unreachable IPv6 address may have a working IPv4 one. */
async function connectFirst(
  deps: ConnectorDeps,
  attempt: Attempt,
  host: string,
  port: number,
  addresses: readonly string[],
): Promise<OpenSocket> {
  const faults: ConnectFailure[] = []
  for (const [i, ip] of addresses.entries()) {
    const shareMs = i < addresses.length - 1 ? Math.min(attempt.leftMs() / 2, ADDRESS_SHARE_MS) : Infinity
    const target = deps.dial?.(ip, port) ?? { address: ip, port }
    try {
      const socket = await openTcp(deps.clock, attempt, host, target, shareMs)
      // With `dial`, the peer is the test's replacement of an address that was checked above.
      const isPermitted = deps.dial ? isPeer(socket, target.address) : deps.policy.permits(socket.remoteAddress ?? '')
      if (isPermitted) return { socket, ip }
      socket.destroy()
      throw blocked(host)
    } catch (error) {
      if (!(error instanceof ConnectFailure) || error.stage === 'blocked' || attempt.isOver) throw error
      faults.push(error)
    }
  }
  throw faults.find(({ reason }) => !NO_ROUTE.has(reason)) ?? faults[0] ?? unreachable(host, 'ENODATA')
}

function openTcp(
  clock: Clock,
  attempt: Attempt,
  host: string,
  target: { address: string; port: number },
  shareMs: number,
) {
  const { promise, resolve: succeed, reject } = Promise.withResolvers<Socket>()
  const { address, port } = target
  const socket = connect({
    host: address,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEPALIVE_MS,
  })
  track(attempt, socket)
  const giveUp = () => socket.destroy(Object.assign(new Error('the next address is tried'), { code: 'ETIMEDOUT' }))
  const share = Number.isFinite(shareMs) ? startTimeout(clock, shareMs, giveUp) : undefined
  socket.once('connect', () => {
    share?.cancel()
    succeed(socket)
  })
  // Never removed: an error while a socket changes owners must not be without a listener.
  socket.on('error', (error) => {
    share?.cancel()
    reject(unreachable(host, codeOf(error)))
  })
  return promise
}

/** Makes the deadline end this socket; after the deadline, the socket is destroyed immediately. */
function track(attempt: Attempt, socket: Socket): void {
  attempt.socket = socket
  if (attempt.isOver) socket.destroy()
}

function isPeer(socket: Socket, address: string): boolean {
  const [actual, meant] = [parseAddress(socket.remoteAddress ?? ''), parseAddress(address)]
  return actual !== undefined && actual.toString() === meant?.toString()
}
