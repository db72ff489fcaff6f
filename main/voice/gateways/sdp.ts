import { isIP } from 'node:net'
import { parse } from 'sdp-transform'

/** A browser sends a few. Each one receives about thirty packets until it answers. */
const CANDIDATES_AT_MOST = 8
/** Limit of media lines: the audio and whatever else is offered. Each one opens sockets. */
const MEDIA_AT_MOST = 3

/** Meta accepts only SHA-256 fingerprints. */
export function withSha256Only(sdp: string): string {
  const lines = sdp.split(/\r?\n/).filter((line) => !/^a=fingerprint:(?!sha-256 )/i.test(line))
  return lines.join('\r\n')
}

/**
 * Their session description with only those candidates to which packets may be sent: a few literal addresses over
 * UDP. Names, including mDNS names, would be looked up. Candidates on the same computer or network are not needed:
 * the other side sends to our candidates, which opens the way back.
 */
export function withPermittedCandidates(sdp: string, permits: (ip: string) => boolean): string {
  let kept = 0
  // Splits at every line break that a parser might accept, so that no line is hidden in another.
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

/** Whether the other side offers an audio track that we can decode, and no data channel, which we do not support. */
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
