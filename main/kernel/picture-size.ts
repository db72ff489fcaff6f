interface Size {
  readonly width: number
  readonly height: number
}

/** Decoded, four bytes each. Larger pictures are not decoded. */
const MOST_PIXELS = 30_000_000

export const isTooLargeToDecode = ({ width, height }: Size): boolean => width * height > MOST_PIXELS

/** Whether its header is that of a picture of a size that is decoded. */
export function isDecodablePicture(bytes: Buffer): boolean {
  try {
    const size = sizeOfPicture(bytes)
    return size !== undefined && !isTooLargeToDecode(size)
  } catch {
    // It ends within its header.
    return false
  }
}

/**
 * What the header of a PNG, JPEG, GIF or WebP says; undefined for any other file.
 * @throws RangeError for a file that ends within its header.
 */
export function sizeOfPicture(bytes: Buffer): Size | undefined {
  if (bytes.readUInt32BE(0) === PNG && bytes.toString('latin1', 12, 16) === 'IHDR') {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  if (bytes.toString('latin1', 0, 4) === 'GIF8') {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  }
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return sizeOfWebp(bytes)
  return bytes.readUInt16BE(0) === JPEG ? sizeOfJpeg(bytes) : undefined
}

const PNG = 0x89504e47
const JPEG = 0xffd8

function sizeOfWebp(bytes: Buffer): Size | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1)
    if (marker === SCAN) return undefined
    if (!isFrame(marker)) continue
    return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
  }
  return undefined
}

const SCAN = 0xda
const NO_FRAMES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc])
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker)
