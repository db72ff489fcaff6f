import { Application, Bandwidth, createEncoder, EncoderCtl, Signal, type OpusEncoderHandle } from 'libopus-wasm'
import { createOggWriter } from './ogg.ts'
import { FRAMES_PER_PACKET, PACKET_START, VOICE_NOTE_RATE } from './voice-note.ts'

const FRAME_SAMPLES = VOICE_NOTE_RATE / 50
/** Opus counts time at this rate for any input. */
const OPUS_RATE = 48_000
const TICKS_PER_SAMPLE = OPUS_RATE / VOICE_NOTE_RATE
const TICKS_PER_FRAME = FRAME_SAMPLES * TICKS_PER_SAMPLE
/** A page of more packets might need more than 255 segments. */
const PACKETS_PER_PAGE = 15
const BITRATE = 20_000
/** Enough for speech; the default of 10 takes twice as long. */
const COMPLEXITY = 5

const LENGTHS_DIFFER = 0x80

/**
 * Encodes a voice note the way phones do: 16 kHz mono Opus in Ogg, with three frames of 20 ms in each packet. Some phones
 * do not play any other form as a voice note.
 * @param samples mono, 16 bits, `VOICE_NOTE_RATE`.
 */
export async function encodeVoiceNote(samples: Int16Array): Promise<Buffer> {
  const encoder = await createEncoder({
    ...{ sampleRate: VOICE_NOTE_RATE, channels: 1, frameSize: FRAME_SAMPLES, application: Application.Voip },
    ...{ bitrate: BITRATE, complexity: COMPLEXITY, signal: Signal.Voice, maxBandwidth: Bandwidth.Wideband },
  })
  try {
    encoder.encoderCtl(EncoderCtl.SetBandwidth, Bandwidth.Wideband)
    return fileOf(samples, encoder)
  } finally {
    encoder.free()
  }
}

function fileOf(samples: Int16Array, encoder: OpusEncoderHandle): Buffer {
  const preSkip = encoder.getLookahead()
  const frameCount = Math.ceil((samples.length + preSkip) / FRAME_SAMPLES)
  const end = (preSkip + samples.length) * TICKS_PER_SAMPLE
  const writer = createOggWriter()
  writer.addPage([headOf(preSkip * TICKS_PER_SAMPLE)], 0)
  writer.addPage([tags()], 0)
  const framesPerPage = FRAMES_PER_PACKET * PACKETS_PER_PAGE
  for (let first = 0; first < frameCount; first += framesPerPage) {
    const last = Math.min(first + framesPerPage, frameCount)
    const packets: Buffer[] = []
    for (let at = first; at < last; at += FRAMES_PER_PACKET) {
      const count = Math.min(FRAMES_PER_PACKET, last - at)
      packets.push(packetOf(Array.from({ length: count }, (_, i) => encodeFrame(encoder, samples, at + i))))
    }
    const isLast = last === frameCount
    writer.addPage(packets, isLast ? end : last * TICKS_PER_FRAME, { isLast })
  }
  return writer.file()
}

/** The last frame is filled up with silence. */
function encodeFrame(encoder: OpusEncoderHandle, samples: Int16Array, frame: number): Buffer {
  const from = frame * FRAME_SAMPLES
  const pcm = new Int16Array(FRAME_SAMPLES)
  pcm.set(samples.subarray(from, from + FRAME_SAMPLES))
  return Buffer.from(encoder.encode(pcm))
}

/** Puts frames that were encoded one by one into a packet of code 3 (RFC 6716, 3.2.5). */
function packetOf(frames: readonly Buffer[]): Buffer {
  const bodies = frames.map((frame) => {
    if (frame.readUInt8(0) >> 2 !== PACKET_START >> 2) throw new Error('a frame of another mode')
    return frame.subarray(1)
  })
  const lengths = bodies.slice(0, -1).flatMap(({ length }) => lengthBytes(length))
  return Buffer.concat([Buffer.from([PACKET_START, LENGTHS_DIFFER | frames.length, ...lengths]), ...bodies])
}

/** RFC 6716, 3.2.1. */
const lengthBytes = (length: number): number[] => {
  if (length < 252) return [length]
  const first = 252 + (length % 4)
  return [first, (length - first) / 4]
}

/** OpusHead (RFC 7845, 5.1). */
function headOf(preSkip: number): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 'latin1')
  head.writeUInt8(1, 8)
  head.writeUInt8(1, 9)
  head.writeUInt16LE(preSkip, 10)
  head.writeUInt32LE(VOICE_NOTE_RATE, 12)
  return head
}

/** OpusTags (RFC 7845, 5.2) without any comment. */
function tags(): Buffer {
  const vendor = Buffer.from('WhatsApp')
  const bytes = Buffer.alloc(8 + 4 + vendor.length + 4)
  bytes.write('OpusTags', 'latin1')
  bytes.writeUInt32LE(vendor.length, 8)
  vendor.copy(bytes, 12)
  return bytes
}
