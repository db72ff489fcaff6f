import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../main/contract/errors.ts'
import { systemRandom } from '../../main/kernel/ids.ts'
import { createSeal, SealBroken } from '../../main/kernel/seal.ts'
import { Secret } from '../../main/kernel/secret.ts'

const MASTER = Buffer.alloc(32, 1)
const sealWith = (key: Buffer | null) => createSeal({ masterKey: { key: () => key }, random: systemRandom })
const seal = sealWith(MASTER)

describe('the seal', () => {
  test('opens for the same owner', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, owner) => {
        expect(seal.open(seal.seal(new Secret(text), owner), owner).open()).toBe(text)
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, owner) => {
        expect(seal.openBytes(seal.seal(Buffer.from(bytes), owner), owner)).toEqual(Buffer.from(bytes))
      }),
    )
  })

  test('opens content that the database returns as plain bytes', () => {
    const sealed = new Uint8Array(seal.seal(new Secret('whsec_x'), 'webhook:1'))
    expect(seal.open(sealed, 'webhook:1').open()).toBe('whsec_x')
  })

  test('does not open for another owner', () => {
    const sealed = seal.seal(new Secret('whsec_x'), 'webhook:1')
    expect(() => seal.open(sealed, 'webhook:2')).toThrow(SealBroken)
  })

  test('does not open when any byte was changed or is missing', () => {
    const sealed = seal.seal(new Secret('whsec_x'), 'webhook:1')
    for (let i = 0; i < sealed.length; i++) {
      const altered = Buffer.from(sealed)
      altered.writeUInt8(altered.readUInt8(i) ^ 1, i)
      expect(() => seal.open(altered, 'webhook:1')).toThrow(SealBroken)
      expect(() => seal.open(sealed.subarray(0, i), 'webhook:1')).toThrow(SealBroken)
    }
  })

  test('does not open under another master key', () => {
    const sealed = seal.seal(new Secret('whsec_x'), 'webhook:1')
    expect(() => sealWith(Buffer.alloc(32, 2)).open(sealed, 'webhook:1')).toThrow(SealBroken)
  })

  test('reveals nothing of the content and never repeats itself', () => {
    const [one, two] = [seal.seal(new Secret('whsec_x'), 'o'), seal.seal(new Secret('whsec_x'), 'o')]
    expect(one.equals(two)).toBe(false)
    expect(one.toString('latin1')).not.toContain('whsec_x')
  })

  test('answers `sealed`, a retryable error, in both directions without the master key', () => {
    const shut = sealWith(null)
    expect(shut.state()).toBe('sealed')
    for (const act of [() => shut.seal(new Secret('x'), 'o'), () => shut.open(seal.seal(new Secret('x'), 'o'), 'o')]) {
      expect(act).toThrow(ApiError)
      expect(act).toThrow(expect.objectContaining({ code: 'sealed', status: 503 }))
    }
  })

  test('opens again as soon as the master key is available', () => {
    let key: Buffer | null = null
    const later = createSeal({ masterKey: { key: () => key }, random: systemRandom })
    expect(later.state()).toBe('sealed')
    key = MASTER
    expect(later.state()).toBe('open')
    expect(later.open(seal.seal(new Secret('x'), 'o'), 'o').open()).toBe('x')
  })
})
