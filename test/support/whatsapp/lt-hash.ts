import { hkdfSync } from 'node:crypto'

const BYTES = 128
const KEY_INFO = 'WhatsApp Patch Integrity'

/** The hash of an empty set. */
export const EMPTY_HASH = Buffer.alloc(BYTES)

/**
 * Updates the hash of a set. It consists of 64 numbers of 16 bits. Each element is expanded to 64 numbers, which are
 * added when it is added and subtracted when it is removed. Equal sets therefore have equal hashes, in whatever order
 * they were built.
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
