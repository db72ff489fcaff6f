/** Reads and writes the pages of an Ogg file (RFC 3533). */

export interface OggPage {
  /** Where it begins in the file. */
  readonly offset: number
  readonly length: number
  /** Samples at 48 kHz until the end of the page; -1n: no packet ends on it. */
  readonly granule: bigint
  readonly packets: readonly Uint8Array[]
}

const HEADER_BYTES = 27
const CONTINUED = 1
const FIRST = 2
const LAST = 4
const NO_GRANULE = -1n

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
  let rest = i << 24
  for (let bit = 0; bit < 8; bit++) rest = rest & 0x80_00_00_00 ? (rest << 1) ^ 0x04_c1_1d_b7 : rest << 1
  return rest >>> 0
})

/** The checksum of a page, with its own field taken for zero. */
function crcOf(page: Uint8Array): number {
  let crc = 0
  for (let i = 0; i < page.length; i++) {
    const byte = i >= 22 && i < 26 ? 0 : (page[i] ?? 0)
    crc = ((crc << 8) ^ (CRC_TABLE[((crc >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0
  }
  return crc
}

/** The pages from the beginning that are whole. What comes after them broke off. */
export function readPages(file: Buffer): OggPage[] {
  const pages: OggPage[] = []
  let unfinished: Uint8Array[] = []
  for (let offset = 0; offset + HEADER_BYTES <= file.length;) {
    if (file.toString('latin1', offset, offset + 4) !== 'OggS') break
    const segments = file[offset + 26] ?? 0
    const bodyAt = offset + HEADER_BYTES + segments
    const laces = file.subarray(offset + HEADER_BYTES, bodyAt)
    const length = HEADER_BYTES + segments + laces.reduce((sum, lace) => sum + lace, 0)
    const page = file.subarray(offset, offset + length)
    if (laces.length < segments || page.length < length || crcOf(page) !== page.readUInt32LE(22)) break
    if (((page[5] ?? 0) & CONTINUED) === 0) unfinished = []
    const packets: Uint8Array[] = []
    let at = bodyAt
    for (const lace of laces) {
      unfinished.push(file.subarray(at, at + lace))
      at += lace
      if (lace === 255) continue
      packets.push(unfinished.length === 1 ? (unfinished[0] ?? Buffer.alloc(0)) : Buffer.concat(unfinished))
      unfinished = []
    }
    pages.push({ offset, length, granule: page.readBigInt64LE(6), packets })
    offset += length
  }
  return pages
}

/** A copy of the page that says that it is the last one. */
export function asLastPage(file: Buffer, { offset, length }: OggPage): Buffer {
  const page = Buffer.from(file.subarray(offset, offset + length))
  page[5] = (page[5] ?? 0) | LAST
  page.writeUInt32LE(crcOf(page), 22)
  return page
}

/** Samples at 48 kHz until the end of the last packet that ends. */
export const lengthOf = (pages: readonly OggPage[]): bigint =>
  pages.reduce((longest, { granule }) => (granule === NO_GRANULE ? longest : granule), 0n)

/** Files have one stream, so its serial number need not be unique. */
const SERIAL = 1

/** Writes a file of a single stream. */
export function createOggWriter() {
  const pages: Buffer[] = []
  return {
    /**
     * @param packets whole ones; together at most 255 segments of 255 bytes.
     * @param granule as of OggPage.
     */
    addPage(packets: readonly Uint8Array[], granule: number, { isLast = false } = {}): void {
      const laces = packets.flatMap(({ length }) => [
        ...Array<number>(Math.floor(length / 255)).fill(255),
        length % 255,
      ])
      if (laces.length > 255) throw new RangeError('packets of more than a page can have')
      const header = Buffer.alloc(HEADER_BYTES)
      header.write('OggS', 'latin1')
      header.writeUInt8((pages.length === 0 ? FIRST : 0) | (isLast ? LAST : 0), 5)
      header.writeBigInt64LE(BigInt(granule), 6)
      header.writeUInt32LE(SERIAL, 14)
      header.writeUInt32LE(pages.length, 18)
      header.writeUInt8(laces.length, 26)
      const page = Buffer.concat([header, Buffer.from(laces), ...packets])
      page.writeUInt32LE(crcOf(page), 22)
      pages.push(page)
    },
    file: (): Buffer => Buffer.concat(pages),
  }
}
