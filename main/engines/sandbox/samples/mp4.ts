/** H.264 baseline, 16 × 16: sequence and picture parameters, and the head of a picture of one raw block. */
const SPS = Buffer.from([0x67, 0x42, 0x00, 0x0a, 0xfb, 0x88])
const PPS = Buffer.from([0x68, 0xce, 0x38, 0x80])
/** Slice head of an IDR picture, then macroblock type I_PCM and the bits up to the next whole byte. */
const SLICE = Buffer.from([0x65, 0x88, 0x84, 0x08, 0x68])
const SIDE = 16
const TIMESCALE = 1_000
const DURATION = 1_000

/** One second of video: a single picture, coded without compression so that it can be written by hand. */
export function sampleMp4(): Buffer {
  const picture = sized(Buffer.concat([SLICE, samples(), Buffer.from([0x80])]))
  const type = box('ftyp', text('isom'), u32(0x200), text('isomavc1mp41'))
  const movieLength = movie(0, picture.length).length
  return Buffer.concat([type, movie(type.length + movieLength + 8, picture.length), box('mdat', picture)])
}

/** 256 luma and 2 × 64 chroma samples. None is zero: runs of zeros would need escaping. */
function samples(): Buffer {
  const luma = Array.from({ length: SIDE * SIDE }, (_, i) => 40 + (i % SIDE) * 12)
  const blue = Array.from({ length: (SIDE * SIDE) / 4 }, () => 110)
  const red = Array.from({ length: (SIDE * SIDE) / 4 }, () => 150)
  return Buffer.from([...luma, ...blue, ...red])
}

/** @param offset where the picture lies in the file. */
function movie(offset: number, size: number): Buffer {
  const table = box(
    'stbl',
    full('stsd', u32(1), sampleEntry()),
    full('stts', u32(1, 1, DURATION)),
    full('stsc', u32(1, 1, 1, 1)),
    full('stsz', u32(0, 1, size)),
    full('stco', u32(1, offset)),
  )
  const data = box('dinf', full('dref', u32(1), box('url ', u32(1))))
  // Flag 1: a video header is always "present".
  const media = box('minf', box('vmhd', u32(1, 0, 0)), data, table)
  const handler = full('hdlr', u32(0), text('vide'), u32(0, 0, 0), text('Video\0'))
  const mediaHead = full('mdhd', u32(0, 0, TIMESCALE, DURATION), u16(0x55c4, 0))
  const track = box('trak', trackHead(), box('mdia', mediaHead, handler, media))
  return box('moov', movieHead(), track)
}

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

const movieHead = () =>
  full('mvhd', u32(0, 0, TIMESCALE, DURATION, 0x10000), u16(0x100, 0), u32(0, 0), MATRIX, u32(0, 0, 0, 0, 0, 0, 2))

/** Flags 3: the track is enabled and in the presentation. */
const trackHead = () =>
  box('tkhd', u32(3, 0, 0, 1, 0, DURATION, 0, 0), u16(0, 0, 0, 0), MATRIX, u32(SIDE << 16, SIDE << 16))

function sampleEntry(): Buffer {
  const picture = [u16(SIDE, SIDE), u32(0x480000, 0x480000, 0), u16(1), Buffer.alloc(32), u16(24, 0xffff)]
  const profile = SPS.subarray(1, 4)
  const parameters = [
    Buffer.from([1, ...profile, 0xff, 0xe1]),
    u16(SPS.length),
    SPS,
    Buffer.from([1]),
    u16(PPS.length),
    PPS,
  ]
  return box('avc1', u32(0), u16(0, 1), u32(0, 0, 0, 0), ...picture, box('avcC', ...parameters))
}

function box(type: string, ...parts: Buffer[]): Buffer {
  return sized(Buffer.concat([text(type), ...parts]), 4)
}

/** A box that begins with version 0 and no flags. */
const full = (type: string, ...parts: Buffer[]) => box(type, u32(0), ...parts)

/** @param extra 4 where the length counts its own bytes, as it does in boxes. */
const sized = (bytes: Buffer, extra = 0) => Buffer.concat([u32(bytes.length + extra), bytes])

const text = (characters: string) => Buffer.from(characters, 'latin1')

function u32(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4)
  numbers.forEach((number, i) => bytes.writeUInt32BE(number, i * 4))
  return bytes
}

function u16(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 2)
  numbers.forEach((number, i) => bytes.writeUInt16BE(number, i * 2))
  return bytes
}
