import { LIMITS } from '../../contract/limits.ts'

/**
 * Cookies and SameSite ignore ports: any other server on this machine shares the jar, and counts as the same site. So
 * the name says which port is meant, and the path is narrow.
 */
const nameOf = (port: number) => `switchboard_${port}`
const secureNameOf = (port: number) => `__Secure-${nameOf(port)}`

/** Several may carry the name: whoever else answers on this host can set it too. */
const MOST_TOKENS = 4

/** The tokens a request brings for the service on this port. */
export function sessionTokens(header: string | undefined, port: number): string[] {
  const names = [secureNameOf(port), nameOf(port)]
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.flatMap(([name = '', token = '']) => (names.includes(name) ? [token] : [])).slice(0, MOST_TOKENS)
}

interface CookiePlace {
  readonly port: number
  /** The page came over TLS. Without it not every browser takes `Secure` on loopback. */
  readonly isSecure: boolean
}

const DAY_SECONDS = 24 * 60 * 60

export const sessionCookie = (token: string, place: CookiePlace): string =>
  written(token, LIMITS.sessionDays * DAY_SECONDS, place)

/** Takes the cookie back. */
export const noSessionCookie = (place: CookiePlace): string => written('', 0, place)

function written(token: string, maxAgeSeconds: number, { port, isSecure }: CookiePlace): string {
  const name = isSecure ? secureNameOf(port) : nameOf(port)
  const rest = `Path=/panel/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`
  return `${name}=${token}; ${rest}${isSecure ? '; Secure' : ''}`
}
