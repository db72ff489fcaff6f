import { isIP } from 'node:net'
import { parseRange } from './address-range.ts'
import { Secret } from './secret.ts'

/** What settings of kind `text` accept. Each returns the value, or undefined for text that breaks its rule. */

export const matching = (pattern: RegExp) => (words: string) => (pattern.test(words) ? words : undefined)

/** A secret that people choose. */
export const secretText = (words: string): Secret | undefined => (words.length >= 8 ? new Secret(words) : undefined)

/** A CIDR range, but not all addresses. */
export const range = (words: string): string | undefined => (parseRange(words) ? words : undefined)

/** An IP address or a name, without a port. */
export const hostName = (words: string): string | undefined =>
  isIP(words) !== 0 || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(words) ? words.toLowerCase() : undefined

/** An http or https address, without slashes at its end. */
export function baseUrl(words: string): string | undefined {
  const url = URL.parse(words)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    return undefined
  return url.href.replace(/(?<!\/)\/+$/, '')
}

export const httpsUrl = (words: string): string | undefined =>
  words.startsWith('https://') ? baseUrl(words) : undefined

/** https only: plain http would expose access tokens. */
export const httpsOrSandbox = (words: string): string | undefined => (words === 'sandbox' ? words : httpsUrl(words))
