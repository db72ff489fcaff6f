import { parse } from 'sdp-transform'

/** What Meta accepts: fingerprints by SHA-256 alone. */
export function withSha256Only(sdp: string): string {
  const lines = sdp.split(/\r?\n/).filter((line) => !/^a=fingerprint:(?!sha-256 )/i.test(line))
  return lines.join('\r\n')
}

/** Whether the other side offers a track of sound that we can decode. */
export function hasOpus(sdp: string): boolean {
  try {
    return parse(sdp).media.some(
      ({ type, port, rtp }) =>
        type === 'audio' && port !== 0 && rtp.some(({ codec }) => codec.toLowerCase() === 'opus'),
    )
  } catch {
    return false
  }
}
