import { isIPv6 } from 'node:net'
import type { SipTrunk } from '../../protocol.ts'

/** Characters that a user part may have as they are (RFC 3261, 25.1); encodeURIComponent escapes them too. */
const PLAIN = /%(?:24|26|2B|2C|2F|3A|3B|3D|3F)/g

/** A name or an address, as a URI has it. */
export const uriHost = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** The address of record of a trunk's user. JsSIP throws at a user part that is not escaped. */
export const addressOfRecord = ({ username, host }: Pick<SipTrunk, 'username' | 'host'>): string =>
  `sip:${encodeURIComponent(username.toWellFormed()).replaceAll(PLAIN, decodeURIComponent)}@${uriHost(host)}`
