import { isIP } from 'node:net'
import { LIMITS } from '../contract/limits.ts'

/** A parsed URL chosen by a caller. Its form is valid; the addresses it resolves to are not checked yet. */
export interface Destination {
  readonly scheme: 'http' | 'https'
  readonly origin: string
  /** Path and query for the request line. */
  readonly path: string
  /** Lower case, without brackets and without the dot of a fully qualified name. */
  readonly host: string
  readonly port: number
  /** The host is an IP address. */
  readonly isLiteral: boolean
  /** A name of the simulated network, answered inside the service. */
  readonly isSimulated: boolean
}

/** The target of a connection. */
export interface Peer extends Pick<Destination, 'host' | 'port' | 'isLiteral'> {
  /** `tcp` and `tls`: a protocol other than HTTP. */
  readonly scheme: 'http' | 'https' | 'tcp' | 'tls'
}

/** Ports that browsers refuse to speak HTTP to (WHATWG Fetch, "bad port"). */
const BAD_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
])

/**
 * Parses a URL and applies the rules that need no network: scheme, forbidden parts, port, names of this machine.
 * @returns the destination, or the rule it breaks, completing "<field> …".
 */
export function parseDestination(text: string): Destination | string {
  if (text.length > LIMITS.webhookUrlLength) return `is longer than ${LIMITS.webhookUrlLength} characters.`
  const url = URL.parse(text)
  if (!url) return 'is not a valid URL.'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'has a scheme that is not http or https.'
  if (url.username || url.password) return 'contains a user name or password. Remove it.'
  if (text.includes('#')) return 'contains a fragment (#). Remove it.'
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  const port = url.port === '' ? { https: 443, http: 80 }[scheme] : Number(url.port)
  if (port === 0) return 'uses port 0, which cannot be called.'
  if (BAD_PORTS.has(port)) return `uses port ${port}, which is reserved for another protocol.`
  const host = hostIn(url)
  if (host === '') return 'is not a valid URL.'
  if (isInZone('localhost', host)) return IS_LOCALHOST
  return { scheme, origin: url.origin, path: url.pathname + url.search, port, ...placeOf(host) }
}

const IS_LOCALHOST =
  'points to this machine (localhost). For a receiver on this machine, use 127.0.0.1 and add 127.0.0.1/32 to egress.trusted_ranges in settings.json.'

const hostIn = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

const placeOf = (host: string) => ({ host, isLiteral: isIP(host) !== 0, isSimulated: isInZone('sandbox', host) })

/**
 * A typed host without a scheme that is about to be stored, such as the host of a SIP trunk, parsed by the rules of a
 * URL: `127.1` is the address 127.0.0.1.
 * @returns the host to store, or the rule it breaks, completing "<field> …".
 */
export function parseTypedHost(text: string): Pick<Destination, 'host' | 'isLiteral' | 'isSimulated'> | string {
  const [bare, hasBrackets] = [text.replace(/^\[(.*)\]$/, '$1'), text.startsWith('[')]
  const isPlain = /^[A-Za-z0-9._:-]+$/.test(bare)
  const url = isPlain ? URL.parse(`https://${hasBrackets || bare.includes(':') ? `[${bare}]` : bare}`) : null
  const host = url === null ? '' : hostIn(url)
  if (host === '') return 'is neither a host name nor an IP address.'
  return isInZone('localhost', host) ? IS_LOCALHOST : placeOf(host)
}

/**
 * Like `parseDestination`, for a typed URL that is about to be stored: also refuses input that the URL parser would
 * silently change into another URL, such as line breaks or `https:host`.
 */
export function parseTypedDestination(text: string): Destination | string {
  const destination = parseDestination(text)
  if (typeof destination === 'string') return destination
  if (/\p{Cc}/u.test(text)) return 'contains a control character, such as a line break. Remove it.'
  if (!/^ *https?:\/\//i.test(text)) return `must begin with ${destination.scheme}://.`
  return destination
}

const isInZone = (zone: string, host: string) => host === zone || host.endsWith(`.${zone}`)
