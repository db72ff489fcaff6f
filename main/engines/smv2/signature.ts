import { createPublicKey, verify } from 'node:crypto'

/** The prime of the field of Curve25519 (RFC 7748, 4.1). */
const PRIME = 2n ** 255n - 19n
/** A public key of Ed25519 as DER writes it, but for its 32 bytes (RFC 8410). */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const KEY_TYPE = 5

/**
 * Checks a signature of XEdDSA (https://signal.org/docs/specifications/xeddsa/): one of Ed25519 under a key of X25519.
 * OpenSSL does it in a fraction of a millisecond. The encryption library's own check is written in JavaScript and takes
 * 7 ms: two of them were half of what it takes to open a line.
 * @param key 32 bytes, or 33 with the type before them.
 * @returns false for whatever is no signature of the message under this key.
 */
export function isSignedBy(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const u = key.length === 33 && key[0] === KEY_TYPE ? key.subarray(1) : key
  if (u.length !== 32 || signature.length !== 64) return false
  const last = signature[63] ?? 0
  const edwards = edwardsKey(u)
  // The sign of the key's other coordinate, which X25519 does not have, is the last bit of the signature.
  edwards[31] = (edwards[31] ?? 0) | (last & 0x80)
  const plain = Buffer.from(signature)
  plain[63] = last & 0x7f
  const publicKey = createPublicKey({ key: Buffer.concat([DER_PREFIX, edwards]), format: 'der', type: 'spki' })
  return verify(null, message, publicKey, plain)
}

/** y = (u - 1) / (u + 1) (RFC 7748, 4.1), little-endian. */
function edwardsKey(key: Uint8Array): Buffer {
  const bytes = Buffer.from(key).reverse()
  bytes[0] = (bytes[0] ?? 0) & 0x7f
  const u = BigInt(`0x${bytes.toString('hex')}`)
  const y = ((u + PRIME - 1n) * inverse(u + 1n)) % PRIME
  return Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse()
}

/** Of the field; 0 has none, and gives 0. By Euclid's algorithm. */
function inverse(value: bigint): bigint {
  let [rest, next] = [PRIME, value % PRIME]
  let [factor, nextFactor] = [0n, 1n]
  while (next > 0n) {
    const times = rest / next
    ;[rest, next] = [next, rest - times * next]
    ;[factor, nextFactor] = [nextFactor, factor - times * nextFactor]
  }
  return rest === 1n ? (factor + PRIME) % PRIME : 0n
}
