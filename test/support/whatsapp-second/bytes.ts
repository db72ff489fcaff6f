import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  verify,
} from 'node:crypto'
import { calculateSignature } from 'libsignal/src/curve.js'

/** X25519 keys, 32 bytes each. */
export interface KeyPair {
  readonly public: Buffer
  readonly private: Buffer
}

const TAG_BYTES = 16
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex')
const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex')
const P = 2n ** 255n - 19n

export const sha256 = (...parts: readonly Uint8Array[]) => hash('sha256', parts)

function hash(name: string, parts: readonly Uint8Array[]): Buffer {
  const sum = createHash(name)
  for (const part of parts) sum.update(part)
  return sum.digest()
}

export function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

export const hkdf = (secret: Uint8Array, length: number, info: string, salt: Uint8Array = Buffer.alloc(0)): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

export function uint(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(value, 0, length)
  return bytes
}

/** @returns the ciphertext followed by its tag. */
export function sealGcm(key: Buffer, iv: Buffer, plain: Uint8Array, aad: Uint8Array = Buffer.alloc(0)): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(aad)
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** @throws if the tag does not match. */
export function openGcm(key: Buffer, iv: Buffer, sealed: Buffer, aad: Uint8Array = Buffer.alloc(0)): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, iv)
  decipher.setAAD(aad)
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
}

export function encryptCbc(key: Buffer, iv: Buffer, plain: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([cipher.update(plain), cipher.final()])
}

export function decryptCbc(key: Buffer, iv: Buffer, bytes: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([decipher.update(bytes), decipher.final()])
}

/** Encrypts and decrypts, because counter mode is its own inverse. */
export function applyCtr(key: Buffer, iv: Buffer, bytes: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-ctr', key, iv)
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}

export function newKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519', {
    publicKeyEncoding: { format: 'der', type: 'spki' },
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
  })
  return { public: publicKey.subarray(-32), private: privateKey.subarray(-32) }
}

export function agree(privateKey: Uint8Array, publicKey: Uint8Array): Buffer {
  return diffieHellman({
    privateKey: createPrivateKey({ key: Buffer.concat([PRIVATE_DER, privateKey]), format: 'der', type: 'pkcs8' }),
    publicKey: createPublicKey({ key: Buffer.concat([PUBLIC_DER, publicKey]), format: 'der', type: 'spki' }),
  })
}

/** Adds the type byte to a public key, as in the Signal protocol. */
export const typed = (key: Uint8Array): Buffer => Buffer.concat([Buffer.from([5]), key])

/** Removes the type byte. @param key with or without its type byte. */
export const untyped = (key: Uint8Array): Buffer => Buffer.from(key.length === 33 ? key.subarray(1) : key)

/** Signs with XEdDSA. */
export const signWith = (privateKey: Buffer, message: Uint8Array): Buffer =>
  Buffer.from(calculateSignature(Buffer.from(privateKey), Buffer.from(message)))

/**
 * Verifies XEdDSA with Node's Ed25519: the X25519 key is converted to the Edwards curve, and the sign of the
 * converted key is the top bit of the signature.
 */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  const u = littleEndian(publicKey) & (2n ** 255n - 1n)
  const y = (((u - 1n + P) % P) * power((u + 1n) % P, P - 2n)) % P
  const edwards = Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse()
  const plain = Buffer.from(signature)
  const top = plain.readUInt8(63)
  edwards.writeUInt8(edwards.readUInt8(31) | (top & 0x80), 31)
  plain.writeUInt8(top & 0x7f, 63)
  const key = createPublicKey({ key: Buffer.concat([ED25519_DER, edwards]), format: 'der', type: 'spki' })
  return verify(null, message, key, plain)
}

const littleEndian = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % P)
    if (rest & 1n) result = (result * square) % P
  return result
}
