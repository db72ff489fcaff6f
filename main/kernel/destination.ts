import { isIP } from 'node:net'
import { LIMITS } from '../contract/limits.ts'

/** An address somebody else chose, taken apart; its form is fine, where it leads is not yet known. */
export interface Destination {
  readonly scheme: 'http' | 'https'
  readonly origin: string
  /** Path and query as they go on the request line. */
  readonly path: string
  /** Lower case, without brackets and without the dot of a fully qualified name. */
  readonly host: string
  readonly port: number
  /** The host is an IP address. */
  readonly isLiteral: boolean
  /** A name of the simulated network, answered inside the service. */
  readonly isSimulated: boolean
}

/** Ports of other protocols that browsers refuse to speak HTTP to (WHATWG Fetch, "bad port"). */
const BAD_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
])

/**
 * Judges the form of an address: scheme, parts that have no place in it, port, names that mean this machine.
 * @returns the destination, or the rule it breaks, completing "<field> …".
 */
export function parseDestination(text: string): Destination | string {
  if (text.length > LIMITS.webhookUrlLength) return `is longer than ${LIMITS.webhookUrlLength} characters`
  const url = URL.parse(text)
  if (!url) return 'is not a valid address'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'has a scheme that is not http or https'
  if (url.username || url.password) return 'contains a user name or password'
  if (text.includes('#')) return 'contains a fragment (#)'
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  const port = url.port === '' ? { https: 443, http: 80 }[scheme] : Number(url.port)
  if (BAD_PORTS.has(port)) return `uses port ${port}, which belongs to another protocol`
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isNameOf('localhost', host)) return 'leads to this machine (localhost)'
  return {
    scheme,
    origin: url.origin,
    path: url.pathname + url.search,
    host,
    port,
    isLiteral: isIP(host) !== 0,
    isSimulated: isNameOf('sandbox', host),
  }
}

const isNameOf = (zone: string, host: string) => host === zone || host.endsWith(`.${zone}`)
