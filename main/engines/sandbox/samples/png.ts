import { crc32, deflateSync } from 'node:zlib'

const SIDE = 64

/** A PNG of 64 × 64 pixels: a colour gradient with a lighter frame. */
export function samplePng(): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIDE, 0)
  header.writeUInt32BE(SIDE, 4)
  header.set([8, 2], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels())),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Rows of RGB, each begun by its filter byte. */
function pixels(): Buffer {
  const rows = Array.from({ length: SIDE }, (_, y) => [
    0,
    ...Array.from({ length: SIDE }, (__, x) => colour(x, y)).flat(),
  ])
  return Buffer.from(rows.flat())
}

function colour(x: number, y: number): [number, number, number] {
  const isFrame = Math.min(x, y, SIDE - 1 - x, SIDE - 1 - y) < 4
  return isFrame ? [240, 240, 240] : [26, 64 + x * 2, 64 + y * 2]
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}
