import { RATE } from '../audio.ts'

const HEADER_BYTES = 44

/** A WAV file of sound at 16 kHz, mono. */
export function toWav(pcm: Int16Array): Buffer {
  const bytes = pcm.length * 2
  const wav = Buffer.alloc(HEADER_BYTES + bytes)
  wav.write('RIFF', 'latin1')
  wav.writeUInt32LE(HEADER_BYTES - 8 + bytes, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(RATE, 24)
  wav.writeUInt32LE(RATE * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(bytes, 40)
  Buffer.from(pcm.buffer, pcm.byteOffset, bytes).copy(wav, HEADER_BYTES)
  return wav
}
