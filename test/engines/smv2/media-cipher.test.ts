import { expect, test } from 'vitest'
import { decryptFile, encryptFile } from '../../../main/engines/smv2/media-cipher.ts'

const PLAIN = Buffer.from('a picture of a garden')
const made = encryptFile('image', PLAIN, Buffer.alloc(32, 7))
const keys = {
  type: 'image',
  mediaKey: made.mediaKey,
  sha256: made.sha256,
  encryptedSha256: made.encryptedSha256,
} as const

test('a file comes back as it was', () => {
  expect(made.bytes.includes(PLAIN)).toBe(false)
  expect(decryptFile(keys, made.bytes)).toEqual(PLAIN)
})

test('one bit, one byte less, another key or another file is refused', () => {
  const flipped = Buffer.from(made.bytes)
  flipped[0] = (flipped[0] ?? 0) ^ 1
  const other = encryptFile('image', Buffer.from('another picture'), made.mediaKey)
  expect(decryptFile(keys, flipped)).toBeUndefined()
  expect(decryptFile(keys, made.bytes.subarray(0, -1))).toBeUndefined()
  expect(decryptFile(keys, Buffer.alloc(0))).toBeUndefined()
  expect(decryptFile({ ...keys, mediaKey: Buffer.alloc(32, 8) }, made.bytes)).toBeUndefined()
  expect(decryptFile({ ...keys, type: 'video' }, made.bytes)).toBeUndefined()
  expect(decryptFile(keys, other.bytes)).toBeUndefined()
  expect(decryptFile({ ...keys, sha256: other.sha256 }, made.bytes)).toBeUndefined()
})
