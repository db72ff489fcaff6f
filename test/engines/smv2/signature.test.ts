import { randomBytes } from 'node:crypto'
import { curve } from 'libsignal'
import { expect, test } from 'vitest'
import { isSignedBy } from '../../../main/engines/smv2/signature.ts'

// @isolated: the encryption library as it is shipped, before `load` in library.ts has touched it.
const shipped = curve.verifySignature
const TYPE = 5

interface KeyPair {
  readonly pubKey: Buffer
  readonly privKey: Buffer
}
const { generateKeyPair, calculateSignature } = curve as unknown as {
  generateKeyPair(): KeyPair
  calculateSignature(key: Buffer, message: Buffer): Buffer
}

/** With one bit of it changed. */
function bent(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at >> 3] = (copy[at >> 3] ?? 0) ^ (1 << (at & 7))
  return copy
}

test('verification agrees with the encryption library for every signature, key and message', () => {
  for (let round = 0; round < 64; round++) {
    const { pubKey, privKey } = generateKeyPair()
    const message = randomBytes(round * 3 + 1)
    const signature = calculateSignature(privKey, message)
    expect([isSignedBy(pubKey, message, signature), shipped(pubKey, message, signature)]).toEqual([true, true])
    expect(isSignedBy(pubKey.subarray(1), message, signature)).toBe(true)
    // Each round another bit of the key, and eight others of the signature.
    const key = Buffer.concat([Buffer.from([TYPE]), bent(pubKey.subarray(1), round * 4)])
    expect([isSignedBy(key, message, signature), shipped(key, message, signature)]).toEqual([false, false])
    for (let i = 0; i < 8; i++) expect(isSignedBy(pubKey, message, bent(signature, round * 8 + i))).toBe(false)
    expect(shipped(pubKey, message, bent(signature, round * 8))).toBe(false)
    expect(isSignedBy(pubKey, bent(message, round), signature)).toBe(false)
  }
})

test('the last bit of a key is ignored', () => {
  const { pubKey, privKey } = generateKeyPair()
  const message = randomBytes(100)
  const key = bent(pubKey, 33 * 8 - 1)
  const signature = calculateSignature(privKey, message)
  expect([isSignedBy(key, message, signature), shipped(key, message, signature)]).toEqual([true, true])
})

test.each([0n, 1n, 2n, 2n ** 255n - 20n, 2n ** 255n - 19n, 2n ** 255n - 18n, 2n ** 256n - 1n])(
  'no signature is valid for the invalid key %d',
  (number) => {
    const bytes = Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse()
    const key = Buffer.concat([Buffer.from([TYPE]), bytes])
    const [message, signature] = [randomBytes(20), randomBytes(64)]
    expect([isSignedBy(key, message, signature), shipped(key, message, signature)]).toEqual([false, false])
  },
)

test.each([
  ['a key too short', 31, 64],
  ['a key too long', 34, 64],
  ['a key of another type', 33, 64],
  ['a signature too short', 32, 63],
  ['a signature too long', 32, 65],
])('%s is not valid', (_what, key, signature) => {
  expect(isSignedBy(Buffer.alloc(key), Buffer.alloc(5), Buffer.alloc(signature))).toBe(false)
})
