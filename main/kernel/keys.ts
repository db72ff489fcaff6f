import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Random } from './ids.ts'
import { Secret } from './secret.ts'

const KEY_PREFIX = 'swb_'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHANCE_LENGTH = 30
const CHECKSUM_LENGTH = 6
const FORM = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${CHANCE_LENGTH + CHECKSUM_LENGTH}}$`)

/**
 * A new API key: `swb_`, 30 base62 characters of chance (178 bits) and a checksum, so that scanners for leaked
 * secrets and people who mistype need no lookup to tell a key from a look-alike.
 */
export function newKey(random: Random): Secret {
  const body = KEY_PREFIX + chance(random)
  return new Secret(body + keyChecksum(body))
}

/** Whether the text has the form of a key and its checksum fits; says nothing about whether the key exists. */
export function isWellFormedKey(text: string): boolean {
  return FORM.test(text) && text.slice(-CHECKSUM_LENGTH) === keyChecksum(text.slice(0, -CHECKSUM_LENGTH))
}

/** What is stored and looked up. A key is 178 random bits, so a slow hash would only slow every request down. */
export function hashKey(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** CRC-32 of the text as 6 base62 digits, highest first. */
export function keyChecksum(text: string): string {
  let digits = ''
  for (let left = crc32(text); digits.length < CHECKSUM_LENGTH; left = Math.floor(left / 62)) {
    digits = BASE62.charAt(left % 62) + digits
  }
  return digits
}

function chance(random: Random): string {
  let drawn = ''
  while (drawn.length < CHANCE_LENGTH) {
    for (const byte of random.bytes(2 * CHANCE_LENGTH)) {
      // 248 is the largest multiple of 62 in a byte: above it the first eight letters would come up more often.
      if (byte < 248 && drawn.length < CHANCE_LENGTH) drawn += BASE62.charAt(byte % 62)
    }
  }
  return drawn
}
