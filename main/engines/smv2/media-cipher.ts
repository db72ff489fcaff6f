import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
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
export const MEDIA_KEY_BYTES = 32

/** A file as the network's store has it, and what a message says of it. */
export interface EncryptedFile {
  readonly bytes: Buffer
  readonly mediaKey: Buffer
  readonly sha256: Buffer
  readonly encryptedSha256: Buffer
}

/** What a message says of a file that lies encrypted in the network's store. */
export interface FileKeys {
  readonly type: FileType
  readonly mediaKey: Uint8Array
  readonly sha256: Uint8Array
  readonly encryptedSha256: Uint8Array
}

export function encryptFile(type: FileType, plain: Buffer, mediaKey: Buffer): EncryptedFile {
  const { iv, cipherKey, macKey } = derive(type, mediaKey)
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()])
  const bytes = Buffer.concat([encrypted, macOf(macKey, iv, encrypted)])
  return { bytes, mediaKey, sha256: sha256(plain), encryptedSha256: sha256(bytes) }
}

/**
 * The library downloads without looking: a flipped byte passes it unseen. Here nothing passes that is not what the sender
 * hashed.
 * @returns undefined when it is not that file.
 */
export function decryptFile(keys: FileKeys, bytes: Buffer): Buffer | undefined {
  if (bytes.length <= MAC_BYTES || !areEqual(sha256(bytes), keys.encryptedSha256)) return undefined
  const { iv, cipherKey, macKey } = derive(keys.type, keys.mediaKey)
  const encrypted = bytes.subarray(0, -MAC_BYTES)
  if (!areEqual(macOf(macKey, iv, encrypted), bytes.subarray(-MAC_BYTES))) return undefined
  try {
    const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
    const plain = Buffer.concat([decipher.update(encrypted), decipher.final()])
    return areEqual(sha256(plain), keys.sha256) ? plain : undefined
  } catch {
    return undefined
  }
}

function derive(type: FileType, mediaKey: Uint8Array) {
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, '', KEY_INFO[type], 112))
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) }
}

const macOf = (key: Buffer, iv: Buffer, encrypted: Buffer) =>
  createHmac('sha256', key).update(iv).update(encrypted).digest().subarray(0, MAC_BYTES)

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

const areEqual = (one: Uint8Array, other: Uint8Array) => one.length === other.length && timingSafeEqual(one, other)
