import { bytesOf, type FileContent } from '../../kernel/file-content.ts'
import { sizeOfPicture } from '../../kernel/picture-size.ts'
import type { FileType } from '../engine.ts'
import { pagesOfPdf } from './pdf-pages.ts'

/** What a phone writes beside a file, as far as the file's own headers tell it. */
export interface MediaFacts {
  readonly width?: number
  readonly height?: number
  /** Whole seconds, at least one. */
  readonly seconds?: number
  /** Loudness over time, 64 values from 0 to 100; voice notes only. */
  readonly waveform?: Buffer
  /** Sound that phones play as a voice note: Opus in Ogg. */
  readonly isVoice?: true
  /** A sticker that moves. */
  readonly isAnimated?: true
  /** Of a PDF. */
  readonly pages?: number
}

/** Larger documents are not looked into. */
const MOST_DOCUMENT_BYTES = 5 * 1024 * 1024

/** As `factsOf`, for a file of any size. */
export async function factsOfFile(type: FileType, mimeType: string, content: FileContent): Promise<MediaFacts> {
  if (type !== 'document') return factsOf(type, await bytesOf(content))
  if (content.size > MOST_DOCUMENT_BYTES) return {}
  if (mimeType.startsWith('image/')) return factsOf('image', await bytesOf(content))
  const pages = mimeType === 'application/pdf' ? await pagesOfPdf(content) : undefined
  return pages === undefined ? {} : { pages }
}

/** Reads headers only. A file of another type than declared has no facts, and is sent anyway. */
export function factsOf(type: FileType, bytes: Buffer): MediaFacts {
  try {
    switch (type) {
      case 'image':
        return sizeOfPicture(bytes) ?? {}
      case 'sticker':
        return { ...sizeOfPicture(bytes), ...(isAnimatedWebp(bytes) && { isAnimated: true }) }
      case 'video':
        return factsOfMovie(bytes) ?? {}
      case 'audio':
        return factsOfOpus(bytes) ?? factsOfMovie(bytes) ?? {}
      case 'document':
        return {}
    }
  } catch (error) {
    // Cut off in the middle of a header.
    if (error instanceof RangeError) return {}
    throw error
  }
}

const isAnimatedWebp = (bytes: Buffer) =>
  bytes.toString('latin1', 8, 16) === 'WEBPVP8X' && (bytes.readUInt8(20) & 0x02) !== 0

/** MP4 and its relatives: a tree of boxes. */
function factsOfMovie(bytes: Buffer): MediaFacts | undefined {
  if (bytes.toString('latin1', 4, 8) !== 'ftyp') return undefined
  const movie = boxesIn(bytes).find(({ name }) => name === 'moov')?.content
  if (movie === undefined) return undefined
  const boxes = boxesIn(movie)
  const header = boxes.find(({ name }) => name === 'mvhd')?.content
  const sizes = boxes
    .filter(({ name }) => name === 'trak')
    .flatMap(({ content }) => boxesIn(content).filter(({ name }) => name === 'tkhd'))
    .map(({ content }) => ({
      width: content.readUInt32BE(content.length - 8) >>> 16,
      height: content.readUInt32BE(content.length - 4) >>> 16,
    }))
  // A track of sound has no size.
  const size = sizes.find(({ width, height }) => width > 0 && height > 0)
  return { ...(header && secondsIn(durationOf(header))), ...size }
}

function boxesIn(bytes: Buffer): { name: string; content: Buffer }[] {
  const boxes: { name: string; content: Buffer }[] = []
  for (let at = 0; at + 8 <= bytes.length;) {
    const short = bytes.readUInt32BE(at)
    const isLong = short === 1
    const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short
    const head = isLong ? 16 : 8
    if (length < head) break
    boxes.push({ name: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + head, at + length) })
    at += length
  }
  return boxes
}

function durationOf(header: Buffer): number {
  return header[0] === 1
    ? Number(header.readBigUInt64BE(24)) / header.readUInt32BE(20)
    : header.readUInt32BE(16) / header.readUInt32BE(12)
}

/** Opus in Ogg counts samples at this rate, independent of the recording. */
const OPUS_RATE = 48_000
const BARS = 64

function factsOfOpus(bytes: Buffer): MediaFacts | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'OggS') return undefined
  const packets: number[] = []
  let end = 0
  let preSkip: number | undefined
  for (let at = 0; at + 27 <= bytes.length && bytes.toString('latin1', at, at + 4) === 'OggS';) {
    const granule = Number(bytes.readBigInt64LE(at + 6))
    const segments = bytes.subarray(at + 27, at + 27 + bytes.readUInt8(at + 26))
    const start = at + 27 + segments.length
    if (preSkip === undefined) {
      if (bytes.toString('latin1', start, start + 8) !== 'OpusHead') return undefined
      preSkip = bytes.readUInt16LE(start + 10)
    } else if (granule > 0) {
      end = Math.max(end, granule)
      for (const length of lengthsOf(segments)) packets.push(length)
    }
    at = start + segments.reduce((sum, length) => sum + length, 0)
  }
  if (preSkip === undefined) return undefined
  return {
    ...secondsIn((end - preSkip) / OPUS_RATE),
    ...(packets.length > 0 && { waveform: barsOf(packets) }),
    isVoice: true,
  }
}

/** A packet is as many segments of 255 bytes as it takes, and a shorter one. */
function lengthsOf(segments: Buffer): number[] {
  const lengths: number[] = []
  let length = 0
  for (const segment of segments) {
    length += segment
    if (segment === 255) continue
    lengths.push(length)
    length = 0
  }
  return lengths
}

/**
 * Opus spends more bytes on what is louder, and next to none on silence, so that the sizes of its packets draw a likeness
 * of the sound without decoding it.
 */
function barsOf(packets: readonly number[]): Buffer {
  const most = packets.reduce((largest, length) => Math.max(largest, length), 1)
  return Buffer.from(
    Array.from({ length: BARS }, (_, bar) => {
      const from = Math.floor((bar * packets.length) / BARS)
      const here = packets.slice(from, Math.max(from + 1, Math.floor(((bar + 1) * packets.length) / BARS)))
      const mean = here.reduce((sum, length) => sum + length, 0) / here.length
      return Math.round((100 * mean) / most)
    }),
  )
}

const secondsIn = (duration: number): Pick<MediaFacts, 'seconds'> =>
  Number.isFinite(duration) && duration > 0 ? { seconds: Math.max(1, Math.round(duration)) } : {}
