import { readPages } from './ogg.ts'

/** Samples per second that a voice note is encoded from. */
export const VOICE_NOTE_RATE = 16_000
/** The last packet may have fewer. */
export const FRAMES_PER_PACKET = 3
/** First byte of every packet (RFC 6716, 3.1): SILK, wideband, frames of 20 ms, mono, any number of frames. */
export const PACKET_START = (9 << 3) | 3
const FRAME_COUNT = 0x3f

/** Whether this is Opus in Ogg, by the beginning of a file. */
export const isOggOpus = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'OggS' && head.toString('latin1', 28, 36) === 'OpusHead'

/** Whether a file has the form of a voice note already, by as much of its beginning as is given. */
export function isVoiceNote(head: Buffer): boolean {
  if (!isOggOpus(head)) return false
  const [first, second, ...pages] = readPages(head)
  const opusHead = Buffer.from(first?.packets[0] ?? [])
  if (opusHead.length < 19 || opusHead.readUInt8(9) !== 1 || opusHead.readUInt32LE(12) !== VOICE_NOTE_RATE) return false
  const packets = pages.flatMap((page) => page.packets)
  return second !== undefined && packets.length > 0 && packets.every(isVoiceNotePacket)
}

const isVoiceNotePacket = (packet: Uint8Array): boolean =>
  packet[0] === PACKET_START && ((packet[1] ?? 0) & FRAME_COUNT) <= FRAMES_PER_PACKET
