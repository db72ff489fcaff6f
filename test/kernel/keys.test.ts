import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemRandom } from '../../main/kernel/ids.ts'
import { hashKey, isWellFormedKey, keyChecksum, newKey } from '../../main/kernel/keys.ts'
import { seededRandom } from '../support/random.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('API keys', () => {
  test('a key is swb_, 30 base62 characters and 6 checksum characters', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const key = newKey(seededRandom(seed)).open()
        expect(key).toMatch(/^swb_[0-9A-Za-z]{36}$/)
        expect(isWellFormedKey(key)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('the checksum is CRC-32 in base62', () => {
    expect(crc32('123456789').toString(16)).toBe('cbf43926')
    let value = 0
    for (const digit of keyChecksum('123456789')) value = value * 62 + BASE62.indexOf(digit)
    expect(value.toString(16)).toBe('cbf43926')
  })

  test('a key with one changed character is refused, wherever it is', () => {
    const { length } = newKey(systemRandom).open()
    fc.assert(
      fc.property(
        fc.integer(),
        fc.nat(length - 1),
        fc.constantFrom(...Array.from(`${BASE62}_- `)),
        (seed, at, other) => {
          const key = newKey(seededRandom(seed)).open()
          fc.pre(key[at] !== other)
          expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test.each(['', 'swb_', 'Bearer swb_x', `swb_${'a'.repeat(36)}`, `sk_${'a'.repeat(36)}`])(
    '%j is not a valid key',
    (text) => {
      expect(isWellFormedKey(text)).toBe(false)
    },
  )

  test('every character is equally likely', () => {
    const counts = new Map<string, number>()
    for (let i = 0; i < 2_000; i++) {
      for (const character of newKey(systemRandom).open().slice(4, 34)) {
        counts.set(character, (counts.get(character) ?? 0) + 1)
      }
    }
    const expected = (2_000 * 30) / 62
    const chiSquared = Array.from(BASE62).reduce(
      (sum, one) => sum + ((counts.get(one) ?? 0) - expected) ** 2 / expected,
      0,
    )
    // 61 degrees of freedom: 130 is exceeded once in a million runs.
    expect(chiSquared).toBeLessThan(130)
  })

  test('the stored hash is the SHA-256 of the whole key', () => {
    const key = newKey(systemRandom).open()
    expect(hashKey(key)).toEqual(createHash('sha256').update(key).digest())
  })

  test('a key is not shown when it is printed', () => {
    const key = newKey(systemRandom)
    expect(JSON.stringify({ key })).not.toContain(key.open())
  })
})
