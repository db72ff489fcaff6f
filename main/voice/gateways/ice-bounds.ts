import type { RTCIceTransport, RTCPeerConnection } from 'werift'

type Connection = RTCIceTransport['connection']

/** A method that the type of a connection leaves out. */
interface ChecksIncoming {
  checkIncoming: (message: unknown, address: readonly [host: string, port: number], protocol: unknown) => void
}

/** Addresses that one call may be offered from. A person who moves between networks uses a handful. */
const REMOTE_ADDRESSES_AT_MOST = 24

/**
 * The other side knows our password, and may send checks that seem to come from anywhere. werift sends checks of its own
 * to every such address and remembers all of them.
 */
export function boundConnectivityChecks(peer: RTCPeerConnection): void {
  for (const transport of peer.iceTransports) {
    const connection = transport.connection as Connection & ChecksIncoming
    const check = connection.checkIncoming.bind(connection)
    connection.checkIncoming = (message, address, protocol) => {
      const { remoteCandidates } = connection
      const [host, port] = address
      const isKnown = remoteCandidates.some((candidate) => candidate.host === host && candidate.port === port)
      if (isKnown || remoteCandidates.length < REMOTE_ADDRESSES_AT_MOST) check(message, address, protocol)
    }
  }
}
