import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto'
import type { Random } from '../kernel/ids.ts'
import type { Secret } from '../kernel/secret.ts'

/** How to derive the key of a vault file. Stored unencrypted in the file, and authenticated with the rest. */
export type Lock =
  | { readonly by: 'key_file' }
  | { readonly by: 'passphrase'; readonly salt: string; readonly cost: number }

export interface VaultFile {
  readonly lock: Lock
  readonly nonce: Buffer
  /** Ciphertext and tag. */
  readonly box: Buffer
}

export type Secrets = ReadonlyMap<string, string>

export const KEY_LENGTH = 32

const CIPHER = 'aes-256-gcm'
const FORM = 'switchboard-vault-1'
const NONCE_LENGTH = 12
const TAG_LENGTH = 16

/** @returns undefined when it is not a vault file. */
export function parseVaultFile(text: string): VaultFile | undefined {
  const { form, lock, nonce, box } = readJson(text)
  const known = lockOf(lock)
  if (form !== FORM || !known || typeof nonce !== 'string' || typeof box !== 'string') return undefined
  return { lock: known, nonce: Buffer.from(nonce, 'base64'), box: Buffer.from(box, 'base64') }
}

export function encrypt(key: Buffer, lock: Lock, secrets: Secrets, random: Random): string {
  const nonce = random.bytes(NONCE_LENGTH)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(bound(lock))
  const plain = JSON.stringify(Object.fromEntries(secrets))
  const box = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return `${JSON.stringify({ form: FORM, lock, nonce: nonce.toString('base64'), box: box.toString('base64') })}\n`
}

/** @returns undefined if the key is wrong, or anything was altered. */
export function decrypt(key: Buffer, { lock, nonce, box }: VaultFile): Secrets | undefined {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH }).setAAD(bound(lock))
    decipher.setAuthTag(box.subarray(-TAG_LENGTH))
    const plain = Buffer.concat([decipher.update(box.subarray(0, -TAG_LENGTH)), decipher.final()])
    // The tag is valid, so encrypt() wrote this.
    return new Map(Object.entries(JSON.parse(plain.toString()) as Record<string, string>))
  } catch {
    return undefined
  }
}

/** Derives the key from a passphrase. */
export function stretch(passphrase: Secret, { salt, cost }: { salt: string; cost: number }): Promise<Buffer> {
  const options = { N: cost, r: 8, p: 1, maxmem: 2 * 128 * 8 * cost }
  return new Promise((resolve, reject) => {
    // eslint-disable-next-line no-restricted-properties -- a passphrase is the operator's own
    scrypt(passphrase.open().normalize(), Buffer.from(salt, 'base64'), KEY_LENGTH, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

const bound = (lock: Lock) => Buffer.from(`${FORM}\n${JSON.stringify(lock)}`)

function readJson(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}

function lockOf(value: unknown): Lock | undefined {
  if (typeof value !== 'object' || value === null || !('by' in value)) return undefined
  if (value.by === 'key_file') return { by: 'key_file' }
  if (value.by !== 'passphrase' || !('salt' in value) || !('cost' in value)) return undefined
  const { salt, cost } = value
  const isCost = typeof cost === 'number' && cost >= 2 ** 10 && cost <= 2 ** 20 && Number.isInteger(Math.log2(cost))
  return typeof salt === 'string' && isCost ? { by: 'passphrase', salt, cost } : undefined
}
