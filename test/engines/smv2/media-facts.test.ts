import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sampleOf } from '../../../main/engines/sandbox/media.ts'
import SAMPLES from '../../../main/engines/sandbox/samples.json' with { type: 'json' }
import { factsOf } from '../../../main/engines/smv2/media-facts.ts'

const be16 = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 255])))
const JPEG = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  be16(16),
  Buffer.alloc(14),
  Buffer.from([0xff, 0xc2]),
  be16(17),
  Buffer.from([8]),
  be16(480, 640),
  Buffer.alloc(10),
])
const GIF = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0x40, 0x01, 0xf0, 0x00]), Buffer.alloc(8)])
const webp = (kind: string, head: Buffer) =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(kind), Buffer.alloc(4), head])

/** Ogg pages with packets of these sizes, 20 ms each. */
function opus(sizes: readonly number[], preSkip = 312): Buffer {
  let granule = 0
  const page = (packet: Buffer) => {
    const segments = [...Array.from({ length: Math.floor(packet.length / 255) }, () => 255), packet.length % 255]
    const head = Buffer.alloc(27)
    head.write('OggS')
    head.writeBigInt64LE(BigInt(granule), 6)
    head[26] = segments.length
    return Buffer.concat([head, Buffer.from(segments), packet])
  }
  const id = Buffer.concat([
    Buffer.from('OpusHead\x01\x01'),
    Buffer.from([preSkip & 255, preSkip >> 8]),
    Buffer.alloc(7),
  ])
  const pages = [page(id), page(Buffer.from('OpusTags'))]
  for (const size of sizes) {
    granule += 960
    pages.push(page(Buffer.alloc(size)))
  }
  return Buffer.concat(pages)
}

describe('the size of a picture', () => {
  test.each([
    ['PNG', sampleOf('image').bytes, { width: 64, height: 64 }],
    ['progressive JPEG', JPEG, { width: 640, height: 480 }],
    ['GIF', GIF, { width: 320, height: 240 }],
    ['WebP, lossless', Buffer.from(SAMPLES['sticker.webp'], 'base64'), { width: 1, height: 1 }],
    [
      'WebP, lossy',
      webp('VP8 ', Buffer.from([0, 0, 0, 0x9d, 1, 0x2a, 0x00, 0x02, 0x00, 0x01])),
      { width: 512, height: 256 },
    ],
    ['WebP, extended', webp('VP8X', Buffer.from([0, 0, 0, 0, 0xff, 1, 0, 0xff, 0, 0])), { width: 512, height: 256 }],
    ['none', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), {}],
  ])('%s', (_name, bytes, facts) => expect(factsOf('image', bytes)).toEqual(facts))
})

test('the length and size of a video', () => {
  expect(factsOf('video', sampleOf('video').bytes)).toEqual({ width: 16, height: 16, seconds: 1 })
})

describe('a voice note', () => {
  test('of silence is recognized, with its length', () => {
    expect(factsOf('audio', sampleOf('audio').bytes)).toMatchObject({ isVoice: true, seconds: 1 })
  })

  test('has a waveform bar for each part, as high as the part is loud', () => {
    const loud = Array.from({ length: 320 }, (_, i) => (i < 160 ? 300 : 30))
    const { seconds, waveform } = factsOf('audio', opus(loud))
    expect(seconds).toBe(6)
    expect([...(waveform ?? [])]).toEqual(Array.from({ length: 64 }, (_, i) => (i < 32 ? 100 : 10)))
  })

  test('that is very short still has a waveform of 64 bars', () =>
    expect(factsOf('audio', opus([100, 50])).waveform).toHaveLength(64))

  test('in Vorbis is not recognized', () => {
    const vorbis = opus([10])
    vorbis.write('\x01vorbis ', 28)
    expect(factsOf('audio', vorbis)).toEqual({})
  })
})

test('any bytes are parsed without an exception', () => {
  const types = fc.constantFrom('image', 'video', 'audio', 'document', 'sticker')
  const files = [sampleOf('image').bytes, sampleOf('video').bytes, sampleOf('audio').bytes, JPEG, GIF, opus([300, 20])]
  const damaged = fc
    .tuple(fc.constantFrom(...files), fc.nat(400), fc.nat(255), fc.nat(1_100))
    .map(([file, at, byte, length]) => {
      const copy = Buffer.from(file.subarray(0, length))
      if (at < copy.length) copy[at] = byte
      return copy
    })
  fc.assert(
    fc.property(
      types,
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
        damaged,
      ),
      (type, bytes) => {
        expect(factsOf(type, bytes)).toBeTypeOf('object')
      },
    ),
    { numRuns: 2_000 },
  )
})
