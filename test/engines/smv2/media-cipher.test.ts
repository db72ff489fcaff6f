import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { DamagedFile, decrypt, encrypt, encryptedSize, keysOf } from '../../../main/engines/smv2/media-cipher.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'

const KEY = Buffer.alloc(32, 7)
const encrypted = (plain: Buffer, key = KEY) => buffer(Readable.from(encrypt('image', key, contentOf(plain))))
const inParts = (bytes: Buffer, size: number) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size)),
  )

test.each([0, 1, 15, 16, 17, 21, 1_000])(
  'a file of %i bytes is decrypted unchanged, in chunks of any size',
  async (size) => {
    const plain = Buffer.from(Array.from({ length: size }, (_, i) => (i * 31) % 256))
    const keys = await keysOf('image', contentOf(plain), KEY)
    const bytes = await encrypted(plain)
    expect(bytes.length).toBe(encryptedSize(size))
    for (const part of [1, 7, 10, 16, 5_000])
      expect(await buffer(Readable.from(decrypt(keys, inParts(bytes, part))))).toEqual(plain)
  },
)

test('one changed bit, one byte less, another key or another file is refused', async () => {
  const plain = Buffer.from('a picture of a garden')
  const keys = await keysOf('image', contentOf(plain), KEY)
  const bytes = await encrypted(plain)
  const refused = async (of: typeof keys, given: Buffer) =>
    await expect(buffer(Readable.from(decrypt(of, inParts(given, 8))))).rejects.toThrow(DamagedFile)
  for (const at of [0, bytes.length - 11, bytes.length - 1]) {
    const flipped = Buffer.from(bytes)
    flipped[at] = (flipped[at] ?? 0) ^ 1
    await refused(keys, flipped)
  }
  const other = await keysOf('image', contentOf(Buffer.from('another picture')), KEY)
  await refused(keys, bytes.subarray(0, -1))
  await refused(keys, Buffer.alloc(0))
  await refused({ ...keys, mediaKey: Buffer.alloc(32, 8) }, bytes)
  await refused({ ...keys, type: 'video' }, bytes)
  await refused(other, bytes)
  await refused({ ...keys, sha256: other.sha256 }, bytes)
})
