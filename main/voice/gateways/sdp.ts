import { isIP } from 'node:net'
import { parse } from 'sdp-transform'

/** A browser names a few. Each one is sent some thirty packets until it answers. */
const CANDIDATES_AT_MOST = 8
/** Sound, and what the other side offers besides it. Each one opens sockets. */
const MEDIA_AT_MOST = 3

/** What Meta accepts: fingerprints by SHA-256 alone. */
export function withSha256Only(sdp: string): string {
  const lines = sdp.split(/\r?\n/).filter((line) => !/^a=fingerprint:(?!sha-256 )/i.test(line))
  return lines.join('\r\n')
}

/**
 * Their session description, with those candidates only that packets may be sent to: literal addresses, over UDP, and a
 * few of them. A name, even one of mDNS, would be looked up. Candidates on the same computer or network are not needed:
 * the other side sees ours and sends to them, and that opens the way back.
 */
export function withPermittedCandidates(sdp: string, permits: (ip: string) => boolean): string {
  let kept = 0
  // Every line break that a parser might know, so that no line hides in another.
  const lines = sdp.split(/\r\n|\r|\n/).filter((line) => {
    // Without candidates the connection would fail before the other side has sent anything.
    if (/^\s*a=end-of-candidates/i.test(line)) return false
    if (!/^\s*a=(remote-)?candidate/i.test(line)) return true
    const [, component, transport = '', , ip = ''] = line.trim().split(/\s+/)
    const isUsable = component === '1' && transport.toLowerCase() === 'udp' && isIP(ip) !== 0 && permits(ip)
    return isUsable && ++kept <= CANDIDATES_AT_MOST
  })
  return lines.join('\r\n')
}

/** Whether the other side offers a track of sound that we can decode, and no data channel, which we would not read. */
export function hasOpus(sdp: string): boolean {
  try {
    const { media } = parse(sdp)
    return (
      media.length <= MEDIA_AT_MOST &&
      media.every(({ type }) => type !== 'application') &&
      media.some(
        ({ type, port, rtp }) =>
          type === 'audio' && port !== 0 && rtp.some(({ codec }) => codec.toLowerCase() === 'opus'),
      )
    )
  } catch {
    return false
  }
}
