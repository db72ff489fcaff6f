import { Application, createDecoder, createEncoder, type OpusDecoderHandle, type OpusEncoderHandle } from 'libopus-wasm'
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift'
import type { EndReason } from '../../contract/voice.ts'
import { FRAME, FRAME_MS, RATE } from '../audio.ts'
import { createJitterBuffer } from '../jitter-buffer.ts'
import type { CallLeg, LegEvents } from '../leg.ts'
import { boundConnectivityChecks, boundSources } from './ice-bounds.ts'
import { hasOpus, withPermittedCandidates, withSha256Only } from './sdp.ts'

interface WebRtcDeps {
  /** The other side's offer; null: we make the offer, and the other side accepts it later. */
  readonly offer: string | null
  /** Whether the other side must send audio: false for a listener. */
  readonly mustSend: boolean
  /** Whether packets may be sent to this address. */
  readonly permits: (ip: string) => boolean
}

/** The RTP clock of Opus always runs at 48 kHz. */
const TICKS_PER_FRAME = (48_000 * FRAME_MS) / 1_000
const LOST_AFTER_FRAMES = 5_000 / FRAME_MS
/** A longer gap was a pause and is not filled. */
const CONCEALED_AT_MOST = 5
const BITRATE = 24_000

/** A call over WebRTC, with Opus. The signaling carries the two session descriptions. */
export function createWebRtcLeg({ offer, mustSend, permits }: WebRtcDeps): CallLeg {
  const peer = new RTCPeerConnection({
    // The other side sends to our addresses, which opens the way back; no relay is used.
    iceServers: [],
    iceTcpPassive: false,
    // Session descriptions come from strangers. Theirs are filtered as text; this checks the actual destination.
    iceFilterCandidatePair: ({ remoteCandidate: { host } }) => permits(host),
    codecs: {
      audio: [
        new RTCRtpCodecParameters({
          mimeType: 'audio/opus',
          clockRate: 48_000,
          channels: 2,
          parameters: 'minptime=10;useinbandfec=1',
        }),
      ],
    },
  })
  const track = new MediaStreamTrack({ kind: 'audio' })
  const inbound = createJitterBuffer()
  let events: LegEvents | undefined
  let encoder: OpusEncoderHandle | undefined
  let decoder: OpusDecoderHandle | undefined
  let sequence = 1
  let timestamp = 0
  let lastSequence: number | undefined
  let framesIn = 0
  let framesLost = 0
  let framesWithoutSound = 0
  let isMediaUp = false
  let isAccepted = offer !== null
  let hasConnected = false
  let isOver = false

  function end(reason: EndReason): void {
    if (isOver) return
    close()
    events?.onEnded(reason)
  }

  function close(): void {
    if (isOver) return
    isOver = true
    encoder?.free()
    decoder?.free()
    void peer.close().catch(() => {})
  }

  function tryConnected(): void {
    if (!isMediaUp || !isAccepted || hasConnected || isOver) return
    hasConnected = true
    events?.onConnected()
  }

  function receive({ header, payload }: RtpPacket): void {
    if (isOver || decoder === undefined || payload.length === 0) return
    const gap = lastSequence === undefined ? 1 : (header.sequenceNumber - lastSequence) & 0xff_ff
    // Older than the last packet: late or duplicated.
    if (gap === 0 || gap > 0x80_00) return
    lastSequence = header.sequenceNumber
    framesLost += gap - 1
    try {
      for (let i = 1; i < gap && gap <= CONCEALED_AT_MOST; i++) inbound.add(decoder.decodePacketLoss(FRAME))
      inbound.add(decoder.decode(payload))
      framesWithoutSound = 0
      framesIn++
    } catch {
      framesLost++
    }
  }

  peer.connectionStateChange.subscribe((state) => {
    if (state === 'connected') {
      boundSources(peer)
      isMediaUp = true
      tryConnected()
    }
    if (state === 'closed') end('person_hung_up')
    if (state === 'failed') end(hasConnected ? 'media_lost' : 'no_media_connection')
  })
  peer.onTrack.subscribe((theirs) => {
    theirs.onReceiveRtp.subscribe((packet) => receive(packet))
  })

  async function open(): Promise<void> {
    encoder = await createEncoder({
      ...{ sampleRate: RATE, channels: 1, frameSize: FRAME, application: Application.Voip, bitrate: BITRATE },
      ...{ complexity: 5, fec: true, packetLossPercent: 5 },
    })
    decoder = await createDecoder({ sampleRate: RATE, channels: 1 })
    if (isOver) {
      encoder.free()
      decoder.free()
      return
    }
    if (offer === null) {
      peer.addTransceiver(track, { direction: 'sendrecv' })
      await peer.setLocalDescription(await peer.createOffer())
    } else {
      const sdp = withPermittedCandidates(offer, permits)
      if (!hasOpus(sdp)) return end('codec_not_supported')
      await peer.setRemoteDescription({ type: 'offer', sdp })
      const [transceiver] = peer.getTransceivers()
      if (transceiver === undefined) return end('codec_not_supported')
      await transceiver.sender.replaceTrack(track)
      transceiver.setDirection(mustSend ? 'sendrecv' : 'sendonly')
      await peer.setLocalDescription(await peer.createAnswer())
    }
    if (peer.iceGatheringState !== 'complete') await peer.iceGatheringStateChange.watch((state) => state === 'complete')
    boundConnectivityChecks(peer)
    events?.onLocalSdp(withSha256Only(peer.localDescription?.sdp ?? ''))
  }

  return {
    ...{ speed: 1, hasCaptions: false },
    start(given) {
      events = given
      open().catch(() => end('no_media_connection'))
    },
    send(frame) {
      if (isOver || !isMediaUp || encoder === undefined) return
      const header = new RtpHeader({ sequenceNumber: sequence, timestamp, payloadType: 96, marker: sequence === 1 })
      sequence = (sequence + 1) & 0xff_ff
      timestamp = (timestamp + TICKS_PER_FRAME) >>> 0
      track.writeRtp(new RtpPacket(header, Buffer.from(encoder.encode(frame))))
    },
    take() {
      if (mustSend && hasConnected && ++framesWithoutSound > LOST_AFTER_FRAMES) {
        end('media_lost')
        return null
      }
      return inbound.take()
    },
    remoteAnswer(sdp) {
      if (isOver || offer !== null) return
      const permitted = withPermittedCandidates(sdp, permits)
      if (!hasOpus(permitted)) return end('codec_not_supported')
      peer.setRemoteDescription({ type: 'answer', sdp: permitted }).catch(() => end('no_media_connection'))
    },
    remoteState(state) {
      if (state === 'ringing') return events?.onRinging()
      isAccepted = true
      tryConnected()
    },
    hangUp: close,
    counts: () => ({ framesIn, framesLost }),
  }
}
