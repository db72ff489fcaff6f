import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { field } from './wire-field.ts'

/** A key that only the phone and its linked devices have. It decrypts the owner's settings. */
export interface SyncKey {
  readonly id: Buffer
  readonly secret: Buffer
}

/** One setting of an account. */
export interface Setting {
  /** What the setting concerns: `['mute', '12025550101@s.whatsapp.net']`. */
  readonly index: readonly string[]
  readonly value: proto.ISyncActionValue
  /** The version of the format; each kind has its own. */
  readonly version: number
  /** The bytes of a newer value that the library does not declare, instead of `value`. */
  readonly newer?: Buffer
}

export type Operation = proto.SyncdMutation.SyncdOperation

/** A setting from the server's view: it sees which one changes, but not its content. */
export interface SealedSetting {
  readonly indexMac: Buffer
  readonly valueMac: Buffer
  readonly record: proto.ISyncdRecord
}

/** Number of the field. */
const VALUE = 2
const KEY_INFO = 'WhatsApp Mutation Keys'
const MAC_BYTES = 32
const IV_BYTES = 16

/** The five keys derived from one shared key. */
export function keysOf({ secret }: SyncKey) {
  const all = Buffer.from(hkdfSync('sha256', secret, '', KEY_INFO, 5 * 32))
  const part = (at: number) => all.subarray(at * 32, (at + 1) * 32)
  return { index: part(0), cipher: part(1), value: part(2), snapshot: part(3), patch: part(4) }
}

export function sealSetting(
  key: SyncKey,
  operation: Operation,
  { index, value, version, newer }: Setting,
): SealedSetting {
  const keys = keysOf(key)
  const text = Buffer.from(JSON.stringify(index))
  const data = { index: text, padding: new Uint8Array(), version, ...(newer ? {} : { value }) }
  const plain = Buffer.concat([proto.SyncActionData.encode(data).finish(), ...(newer ? [field(VALUE, newer)] : [])])
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-cbc', keys.cipher, iv)
  const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final()])
  const indexMac = hmac('sha256', keys.index, text)
  const valueMac = valueMacOf(key, operation, sealed)
  const record = {
    index: { blob: indexMac },
    value: { blob: Buffer.concat([sealed, valueMac]) },
    keyId: { id: key.id },
  }
  return { indexMac, valueMac, record }
}

/** @throws if it was not encrypted with this key, or not for this purpose. */
export function openSetting(key: SyncKey, operation: Operation, sealed: SealedSetting): Setting {
  const keys = keysOf(key)
  const bytes = blobOf(sealed.record).subarray(0, -MAC_BYTES)
  if (!valueMacOf(key, operation, bytes).equals(sealed.valueMac)) throw new Error('the MAC of a value is wrong')
  const decipher = createDecipheriv('aes-256-cbc', keys.cipher, bytes.subarray(0, IV_BYTES))
  const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()])
  const { index, value, version } = proto.SyncActionData.decode(plain)
  if (!hmac('sha256', keys.index, Buffer.from(index ?? [])).equals(sealed.indexMac))
    throw new Error('the MAC of an index is wrong')
  return {
    index: JSON.parse(Buffer.from(index ?? []).toString()) as string[],
    value: value ?? {},
    version: version ?? 0,
  }
}

/** The parts of a record that can be read without its key. */
export function sealedSetting(record: proto.ISyncdRecord): SealedSetting {
  return { indexMac: Buffer.from(record.index?.blob ?? []), valueMac: blobOf(record).subarray(-MAC_BYTES), record }
}

const blobOf = ({ value }: proto.ISyncdRecord) => Buffer.from(value?.blob ?? [])

function valueMacOf(key: SyncKey, operation: Operation, sealed: Buffer): Buffer {
  const head = Buffer.concat([Buffer.from([operation + 1]), key.id])
  return hmac('sha512', keysOf(key).value, head, sealed, eightBytes(head.length)).subarray(0, MAC_BYTES)
}

export function hmac(hash: 'sha256' | 'sha512', key: Buffer, ...parts: readonly Uint8Array[]): Buffer {
  const mac = createHmac(hash, key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

export function eightBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
