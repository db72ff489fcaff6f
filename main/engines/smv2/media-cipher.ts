import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { countPassedBytes } from '../../kernel/buffer-garbage.ts'
import type { FileContent } from '../../kernel/file-content.ts'
import type { FileType } from '../engine.ts'

/** What a key is derived for; stickers count as pictures. */
const KEY_INFO: Readonly<Record<FileType, string>> = {
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
}
const MAC_BYTES = 10
const BLOCK_BYTES = 16
export const MEDIA_KEY_BYTES = 32

/** What a message says of a file that lies encrypted in the network's store. */
export interface FileKeys {
  readonly type: FileType
  readonly mediaKey: Uint8Array
  readonly sha256: Uint8Array
  readonly encryptedSha256: Uint8Array
}

type Bytes = AsyncIterable<Uint8Array>

/** The bytes are not those that the sender hashed. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile'
}

/** Padding and signature included. */
export const encryptedSize = (size: number): number => size - (size % BLOCK_BYTES) + BLOCK_BYTES + MAC_BYTES

/**
 * What a message will say of a file, and the name its encrypted bytes have in the store. Encrypts once without keeping
 * anything: the name must be known before the upload begins.
 */
export async function keysOf(type: FileType, content: FileContent, mediaKey: Buffer): Promise<FileKeys> {
  const hash = createHash('sha256')
  for await (const part of encrypt(type, mediaKey, content)) hash.update(part)
  return { type, mediaKey, sha256: Buffer.from(content.hash, 'hex'), encryptedSha256: hash.digest() }
}

export async function* encrypt(
  type: FileType,
  mediaKey: Uint8Array,
  content: Pick<FileContent, 'parts'>,
): AsyncGenerator<Buffer> {
  const { iv, cipherKey, macKey } = derive(type, mediaKey)
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const mac = createHmac('sha256', macKey).update(iv)
  for await (const part of content.parts()) {
    const encrypted = cipher.update(part)
    countPassedBytes(encrypted.length)
    mac.update(encrypted)
    yield encrypted
  }
  const last = cipher.final()
  yield Buffer.concat([last, mac.update(last).digest().subarray(0, MAC_BYTES)])
}

/**
 * The library downloads without looking: a flipped byte passes it unseen. This ends with DamagedFile if the bytes are not
 * what the sender hashed, so nothing may be used before the end.
 */
export async function* decrypt({ type, mediaKey, ...expected }: FileKeys, encrypted: Bytes): AsyncGenerator<Buffer> {
  const { iv, cipherKey, macKey } = derive(type, mediaKey)
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  const mac = createHmac('sha256', macKey).update(iv)
  const [encryptedHash, plainHash] = [createHash('sha256'), createHash('sha256')]
  const open = (part: Uint8Array): Buffer => {
    mac.update(part)
    const plain = decipher.update(part)
    countPassedBytes(plain.length)
    plainHash.update(plain)
    return plain
  }

  /** The last bytes are the signature, and which are the last is known at the end. */
  let held = Buffer.alloc(0)
  for await (const part of encrypted) {
    encryptedHash.update(part)
    let rest = part
    if (part.length < MAC_BYTES) rest = Buffer.concat([held, part])
    else yield open(held)
    const end = Math.max(0, rest.length - MAC_BYTES)
    held = Buffer.from(rest.subarray(end))
    yield open(rest.subarray(0, end))
  }
  const isSigned = areEqual(mac.digest().subarray(0, MAC_BYTES), held)
  if (!isSigned || !areEqual(encryptedHash.digest(), expected.encryptedSha256)) throw new DamagedFile()
  const last = lastOf(decipher)
  if (!areEqual(plainHash.update(last).digest(), expected.sha256)) throw new DamagedFile()
  yield last
}

/** A file that lies there as it is. Ends with DamagedFile, as above. */
export async function* verified(sha256: Uint8Array, bytes: Bytes): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const part of bytes) {
    countPassedBytes(part.length)
    hash.update(part)
    yield part
  }
  if (!areEqual(hash.digest(), sha256)) throw new DamagedFile()
}

function lastOf(decipher: { final(): Buffer }): Buffer {
  try {
    return decipher.final()
  } catch (error) {
    throw new DamagedFile('the padding is wrong', { cause: error })
  }
}

function derive(type: FileType, mediaKey: Uint8Array) {
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, '', KEY_INFO[type], 112))
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) }
}

const areEqual = (one: Uint8Array, other: Uint8Array) => one.length === other.length && timingSafeEqual(one, other)
