import type { RTCIceTransport, RTCPeerConnection } from 'werift'

type Connection = RTCIceTransport['connection']

/** A method that the connection's type does not declare. */
interface ChecksIncoming {
  checkIncoming: (message: unknown, address: readonly [host: string, port: number], protocol: unknown) => void
}

/** Limit of remote addresses for one call. A person who moves between networks uses a handful. */
const REMOTE_ADDRESSES_AT_MOST = 24

/**
 * The other side knows our password and may send checks with forged sources. werift sends its own checks to every
 * such address and remembers all of them.
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

/** Limit of audio sources in one call: a microphone, and those that a browser switches to. */
const SOURCES_AT_MOST = 16
const NOTHING = Buffer.alloc(0)
/** Offset of the source in a packet's header. */
const SOURCE_AT = { srtp: 8, srtcp: 4 } as const

interface Decrypts {
  decrypt: (packet: Buffer) => Buffer
}

/** Fields of a connected transport that its type does not declare. */
type Encrypted = Partial<Record<keyof typeof SOURCE_AT, Decrypts>>

/** werift remembers every source that it receives. Called once the connection is encrypted. */
export function boundSources({ dtlsTransports }: { readonly dtlsTransports: readonly object[] }): void {
  for (const transport of dtlsTransports as readonly Encrypted[])
    for (const kind of ['srtp', 'srtcp'] as const) bound(transport[kind], SOURCE_AT[kind])
}

function bound(session: Decrypts | undefined, at: number): void {
  if (session === undefined) return
  const decrypt = session.decrypt.bind(session)
  const known = new Set<number>()
  session.decrypt = (packet) => {
    if (packet.length < at + 4) return decrypt(packet)
    const source = packet.readUInt32BE(at)
    if (!known.has(source) && known.size >= SOURCES_AT_MOST) return NOTHING
    const decrypted = decrypt(packet)
    // Only after decryption is the sender authenticated.
    known.add(source)
    return decrypted
  }
}
