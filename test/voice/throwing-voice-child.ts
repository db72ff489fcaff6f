import { RTCPeerConnection } from 'werift'

/**
 * The voice process with a library that throws from a timer, where nobody catches: in every call over WebRTC, and with
 * `THROW_AFTER_MS` once without any call.
 */
const createOffer = RTCPeerConnection.prototype.createOffer
RTCPeerConnection.prototype.createOffer = function (...given) {
  setTimeout(() => {
    throw new Error('The library broke at user:hunter22@sip.example.')
  }, 50)
  return createOffer.apply(this, given)
}

const afterMs = process.env['THROW_AFTER_MS']
if (afterMs !== undefined)
  setTimeout(() => {
    throw new Error('The library broke.')
  }, Number(afterMs))

await import('../../main/voice/voice-program.ts')
