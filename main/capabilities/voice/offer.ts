import { ApiError } from '../../contract/errors.ts'

const MOST_LINES = 400
const LONGEST_LINE = 1_000
/** Lines that every offer of one encrypted Opus audio track contains. */
const REQUIRED = [
  /^m=audio [1-9]\d{0,4} UDP\/TLS\/RTP\/SAVPF? \d/,
  /^a=rtpmap:\d{1,3} opus\/48000\/2$/i,
  /^a=ice-ufrag:\S{4,256}$/,
  /^a=ice-pwd:\S{22,256}$/,
  /^a=fingerprint:sha-256 (?:[0-9a-f]{2}:){31}[0-9a-f]{2}$/i,
]

/**
 * Refuses invalid offers before a call is started. The voice process parses offers completely.
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

/** For an offer that the voice process could not answer. */
export const unanswerableOffer = () =>
  new ApiError('validation_error', 'The offer could not be answered. It must have an audio track with Opus.')
