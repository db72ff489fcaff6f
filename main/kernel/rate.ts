/**
 * A rate limit that needs one number: until when it is used (GCRA). After a pause `burst` may pass in a row, then one each
 * `intervalMs`, without a double burst at the edges of a window. Times are monotonic, so that setting the clock locks
 * nobody out.
 */
export interface Rate {
  readonly intervalMs: number
  readonly burst: number
}

/** A limit that is unused. */
export const UNUSED = -Infinity

/** How many may pass now. Less than 1 means none. */
export const freeOf = (usedUntil: number, { intervalMs, burst }: Rate, now: number): number =>
  burst - Math.max(0, usedUntil - now) / intervalMs

/** When the next one may pass. It may pass immediately if this is not in the future. */
export const freeAt = (usedUntil: number, { intervalMs, burst }: Rate): number => usedUntil - (burst - 1) * intervalMs

/** @returns until when the limit is used once one more has passed. */
export const usedAfter = (usedUntil: number, { intervalMs }: Rate, now: number): number =>
  Math.max(usedUntil, now) + intervalMs

/** Whether the whole burst is available again. */
export const isUnused = (usedUntil: number, now: number): boolean => usedUntil <= now
