import { hkdfSync } from 'node:crypto'

const BYTES = 128
const KEY_INFO = 'WhatsApp Patch Integrity'

/** Hash of a set with nothing in it. */
export const EMPTY_HASH = Buffer.alloc(BYTES)

/**
 * Hash of a set as it changes. It is 64 numbers of 16 bits; each element is stretched to as many, which are added when it
 * comes and subtracted when it goes. So whoever has the same set has the same hash, in whatever order it came about.
 */
export function rehash(hash: Buffer, gone: readonly Buffer[], added: readonly Buffer[]): Buffer {
  const next = Buffer.from(hash)
  for (const element of gone) shift(next, element, -1)
  for (const element of added) shift(next, element, 1)
  return next
}

function shift(hash: Buffer, element: Buffer, sign: 1 | -1): void {
  const stretched = Buffer.from(hkdfSync('sha256', element, '', KEY_INFO, BYTES))
  for (let at = 0; at < BYTES; at += 2)
    hash.writeUInt16LE((hash.readUInt16LE(at) + sign * stretched.readUInt16LE(at)) & 0xffff, at)
}
