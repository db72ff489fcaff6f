import { createDecoder, getPacketInfo } from 'libopus-wasm'
import { describe, expect, test } from 'vitest'
import { readPages } from '../../main/kernel/ogg.ts'
import { encodeVoiceNote } from '../../main/kernel/voice-note-encoder.ts'
import { isVoiceNote } from '../../main/kernel/voice-note.ts'
import { seededRandom } from '../support/random.ts'

const RATE = 16_000
const PRE_SKIP = 312

const tone = (samples: number) =>
  Int16Array.from({ length: samples }, (_, i) => 9_000 * Math.sin(i / 9) * Math.sin(i / 4_000))
const noise = (samples: number) => {
  const bytes = seededRandom().bytes(samples * 2)
  return Int16Array.from({ length: samples }, (_, i) => bytes.readInt16LE(i * 2))
}
const silence = (samples: number) => new Int16Array(samples)

const packetsOf = (file: Buffer) =>
  readPages(file)
    .slice(2)
    .flatMap(({ packets }) => packets.map((packet) => Buffer.from(packet)))
const framesOf = (packet: Buffer) => packet.readUInt8(1) & 0x3f

describe.each([
  ['a tone', tone],
  ['noise', noise],
  ['silence', silence],
])('a voice note of %s', (_, sound) => {
  test.each([1, 20, 320, 960, RATE * 2, RATE * 65 + 17])(
    'with %i samples has the format that phones produce',
    async (samples) => {
      const file = await encodeVoiceNote(sound(samples))
      const pages = readPages(file)
      expect(pages.reduce((bytes, { length }) => bytes + length, 0)).toBe(file.length)

      const head = Buffer.from(pages[0]?.packets[0] ?? [])
      expect([head.toString('latin1', 0, 8), head.readUInt8(8), head.readUInt8(9)]).toEqual(['OpusHead', 1, 1])
      expect([head.readUInt16LE(10), head.readUInt32LE(12), head.length]).toEqual([PRE_SKIP, RATE, 19])
      const tags = Buffer.from(pages[1]?.packets[0] ?? [])
      expect(tags).toEqual(Buffer.from('OpusTags\x08\0\0\0WhatsApp\0\0\0\0', 'latin1'))

      const packets = packetsOf(file)
      expect(new Set(packets.map((packet) => packet.readUInt8(0)))).toEqual(new Set([0x4b]))
      const frames = packets.map(framesOf)
      expect(frames.slice(0, -1).every((count) => count === 3)).toBe(true)
      expect([1, 2, 3]).toContain(frames.at(-1))

      let ticks = 0n
      for (const [i, page] of pages.slice(2).entries()) {
        ticks += BigInt(page.packets.reduce((sum, packet) => sum + 960 * framesOf(Buffer.from(packet)), 0))
        const isLast = i === pages.length - 3
        expect(page.granule).toBe(isLast ? BigInt(PRE_SKIP + samples * 3) : ticks)
        expect(file.readUInt8(page.offset + 5)).toBe(isLast ? 4 : 0)
      }
      expect(ticks).toBeGreaterThanOrEqual(BigInt(PRE_SKIP + samples * 3))
      expect(isVoiceNote(file)).toBe(true)
    },
  )
})

test('decodes to the sound that was encoded, at 16 to 24 kb/s', async () => {
  const sound = tone(RATE * 10)
  const file = await encodeVoiceNote(sound)
  expect((file.length * 8) / 10).toBeGreaterThan(10_000)
  expect((file.length * 8) / 10).toBeLessThan(24_000)
  const decoder = await createDecoder({ sampleRate: RATE, channels: 1 })
  const decoded: number[] = []
  for (const packet of packetsOf(file)) {
    expect(await getPacketInfo(packet)).toMatchObject({ bandwidth: 1103, channels: 1, durationMs: 60, frames: 3 })
    decoded.push(...decoder.decode(packet))
  }
  decoder.free()
  const heard = decoded.slice(PRE_SKIP / 3, PRE_SKIP / 3 + sound.length)
  const product = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Array.from(a).reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)
  const likeness = product(sound, heard) / Math.sqrt(product(sound, sound) * product(heard, heard))
  expect(likeness).toBeGreaterThan(0.85)
})

test.each([
  ['Opus at 48 kHz', (file: Buffer) => file.writeUInt32LE(48_000, 28 + 12)],
  ['two channels', (file: Buffer) => file.writeUInt8(2, 28 + 9)],
  ['no Opus', (file: Buffer) => file.write('Speex   ', 28)],
  ['no Ogg', (file: Buffer) => file.write('RIFF', 0)],
])('%s is not a voice note', async (_, change) => {
  const file = await encodeVoiceNote(tone(RATE))
  change(file)
  expect(isVoiceNote(file)).toBe(false)
})

test('the first bytes of a voice note are recognized', async () => {
  const file = await encodeVoiceNote(noise(RATE * 20))
  expect(isVoiceNote(file.subarray(0, 4_000))).toBe(true)
})
