import { ApiError } from '../../contract/errors.ts'

const MOST_LINES = 400
const LONGEST_LINE = 1_000
/** What an offer of one audio track with Opus over an encrypted connection has at least. */
const REQUIRED = [
  /^m=audio [1-9]\d{0,4} UDP\/TLS\/RTP\/SAVPF? \d/,
  /^a=rtpmap:\d{1,3} opus\/48000\/2$/i,
  /^a=ice-ufrag:\S{4,256}$/,
  /^a=ice-pwd:\S{22,256}$/,
  /^a=fingerprint:sha-256 (?:[0-9a-f]{2}:){31}[0-9a-f]{2}$/i,
]

/**
 * Refuses what cannot become a call before anything is begun for it. The voice process reads offers thoroughly.
 * @throws ApiError validation_error
 */
export function requireOffer(offer: string): void {
  const lines = offer.split(/\r?\n/, MOST_LINES + 1)
  const isOffer =
    lines[0] === 'v=0' &&
    lines.length <= MOST_LINES &&
    lines.every(({ length }) => length <= LONGEST_LINE) &&
    REQUIRED.every((pattern) => lines.some((line) => pattern.test(line)))
  if (!isOffer) {
    throw new ApiError(
      'validation_error',
      'offer is not the session description of an audio track with Opus. Send what RTCPeerConnection.createOffer makes.',
    )
  }
}

/** For one that the voice process could not answer. */
export const unanswerableOffer = () =>
  new ApiError('validation_error', 'The offer could not be answered. It must have an audio track with Opus.')
