/**
 * Why no connection was made; nothing of the request was sent. Messages are shown to the owner of the destination and
 * never contain an address, because owners must not learn where an internal name leads.
 */
export class ConnectFailure extends Error {
  readonly stage: 'blocked' | 'dns' | 'connect' | 'tls' | 'timeout'
  readonly reason: string

  constructor(stage: ConnectFailure['stage'], reason: string, message: string) {
    super(message)
    this.name = 'ConnectFailure'
    this.stage = stage
    this.reason = reason
  }
}

export const blocked = (host: string) =>
  new ConnectFailure('blocked', 'address_not_public', `${host} resolves to an address that is not public.`)

/** Every address of the name is in 198.18.0.0/15, which some VPNs and proxies return for names that they intercept. */
export const syntheticAddress = (host: string) =>
  new ConnectFailure(
    'blocked',
    'fake_address',
    `${host} resolves to a fake address from a VPN or proxy on this machine.`,
  )

export const unresolved = (host: string, code: string) =>
  new ConnectFailure('dns', code, `The host name ${host} does not resolve (${code}).`)

export const unreachable = (host: string, code: string) =>
  new ConnectFailure('connect', code, `${host} refused or dropped the connection (${code}).`)

export const untrusted = (host: string, code: string) =>
  new ConnectFailure('tls', code, `The TLS certificate or handshake of ${host} failed (${code}).`)

export const connectTimeout = (host: string, limitMs: number) =>
  new ConnectFailure('timeout', 'connect_timeout', `No connection to ${host} within ${limitMs / 1_000} s.`)

/** The system's or OpenSSL's error code. Error texts depend on versions and are never passed on. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN'
}
