import { isIPv6 } from 'node:net'
import type { SipTrunk } from '../../protocol.ts'

/** Characters that are allowed unescaped in a user part (RFC 3261, 25.1), but that encodeURIComponent escapes. */
const PLAIN = /%(?:24|26|2B|2C|2F|3A|3B|3D|3F)/g

/** The form of a host name or address in a URI. */
export const uriHost = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** The address of record of a trunk's user. JsSIP throws at an unescaped user part. */
export const addressOfRecord = ({ username, host }: Pick<SipTrunk, 'username' | 'host'>): string =>
  `sip:${encodeURIComponent(username.toWellFormed()).replaceAll(PLAIN, decodeURIComponent)}@${uriHost(host)}`
