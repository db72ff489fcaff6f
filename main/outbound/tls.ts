import type { Socket } from 'node:net'
import { connect, createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from 'node:tls'
import { codeOf, unreachable, untrusted } from './connect-failure.ts'
import type { Peer } from './destination.ts'

/**
 * @param started receives the socket before the handshake, so that it can be ended. @throws ConnectFailure `tls` or
 * `connect`.
 */
export type Secure = (tcp: Socket, peer: Peer, started: (socket: TLSSocket) => void) => Promise<TLSSocket>

const SESSIONS_MAX = 500
/** Errors of the underlying connection; all others concern trust. */
const BROKEN = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN'])

/**
 * TLS 1.2 or newer, bundled and system authorities, only HTTP/1.1, with session resumption. There is no insecure
 * option.
 */
export function createTls(authorities: readonly string[]): Secure {
  // Reading the system's certificates is slow on some systems, so it is done for the first connection.
  let context: SecureContext | undefined
  const sessions = createSessions()

  return (tcp, { scheme, host, port, isLiteral }, started) => {
    context ??= createSecureContext({ ca: trusted(authorities), minVersion: 'TLSv1.2' })
    const key = `${scheme}://${host}:${port}`
    const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
    const session = sessions.get(key)
    const socket = connect({
      socket: tcp,
      host,
      // Names only: a literal address is compared with the certificate through `host`.
      servername: isLiteral ? '' : host,
      secureContext: context,
      ...(scheme === 'https' && { ALPNProtocols: ['http/1.1'] }),
      ...(session && { session }),
    })
    started(socket)
    // Emitted only after the certificate and its name were verified. This is essential, because a resumed session is
    // not compared with the name again.
    socket.on('session', (offered) => sessions.set(key, offered))
    socket.once('secureConnect', () => resolve(socket))
    // Never removed: an error while a socket changes owners must not be without a listener.
    socket.on('error', (error) => {
      sessions.drop(key)
      const code = codeOf(error)
      reject(BROKEN.has(code) ? unreachable(host, code) : untrusted(host, code))
    })
    return promise
  }
}

/** A new connection costs 955 µs, or 1,190 µs without a session to resume. */
function createSessions() {
  const known = new Map<string, Buffer>()
  return {
    get: (key: string) => known.get(key),
    drop: (key: string) => void known.delete(key),
    set(key: string, session: Buffer) {
      known.delete(key)
      known.set(key, session)
      const oldest = known.keys().next().value
      if (known.size > SESSIONS_MAX && oldest !== undefined) known.delete(oldest)
    },
  }
}

function trusted(authorities: readonly string[]): string[] {
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...authorities])]
}
