import { scrypt } from 'node:crypto'

/** N with r = 8: 32 MB and about a tenth of a second for each guess. */
export const SCRYPT_COST = 2 ** 15
const BLOCK = 8
const KEY_BYTES = 32

/** The 32 bytes that a password or passphrase stands for. */
export function stretched(text: string, salt: Uint8Array, cost: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parameters = { N: cost, r: BLOCK, p: 1, maxmem: 256 * BLOCK * cost }
    // The same letters can be typed as different code points.
    // eslint-disable-next-line no-restricted-properties -- every character of a password counts, and the door limits it
    scrypt(text.normalize('NFKC'), salt, KEY_BYTES, parameters, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}
