import { LIMITS } from '../../contract/limits.ts'

/**
 * Cookies and SameSite ignore ports: other servers on this machine share the cookies and count as the same site. So the
 * name includes the port, and the path is narrow.
 */
const nameOf = (port: number) => `switchboard_${port}`
const secureNameOf = (port: number) => `__Secure-${nameOf(port)}`

/** Other servers on this host can set cookies with the same name. */
const MAX_TOKENS = 4

/** The session tokens of a request for the service on this port. */
export function sessionTokens(header: string | undefined, port: number): string[] {
  const names = [secureNameOf(port), nameOf(port)]
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.flatMap(([name = '', token = '']) => (names.includes(name) ? [token] : [])).slice(0, MAX_TOKENS)
}

interface CookiePlace {
  readonly port: number
  /** Whether the page uses TLS. Without TLS, some browsers reject `Secure` cookies on loopback. */
  readonly isSecure: boolean
}

const DAY_SECONDS = 24 * 60 * 60

export const sessionCookie = (token: string, place: CookiePlace): string =>
  serializeCookie(token, LIMITS.sessionDays * DAY_SECONDS, place)

/** Deletes the cookie. */
export const noSessionCookie = (place: CookiePlace): string => serializeCookie('', 0, place)

function serializeCookie(token: string, maxAgeSeconds: number, { port, isSecure }: CookiePlace): string {
  const name = isSecure ? secureNameOf(port) : nameOf(port)
  const rest = `Path=/panel/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`
  return `${name}=${token}; ${rest}${isSecure ? '; Secure' : ''}`
}
