import type { Random } from '../../main/kernel/ids.ts'

/** Chance that repeats: the same seed gives the same values in the same order (mulberry32). */
export function seededRandom(seed = 1): Random {
  let state = seed >>> 0
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return {
    bytes: (length) => Buffer.from(Array.from({ length }, () => word() & 255)),
    fraction: () => word() / 2 ** 32,
  }
}
