import type { Clock } from '../kernel/clock.ts'
import { freeAt, freeOf, isUnused, UNUSED, usedAfter, type Rate } from '../kernel/rate.ts'

/** The state of a bucket for one request: X-RateLimit-Limit, X-RateLimit-Remaining and Retry-After. */
export interface RateVerdict {
  readonly allowed: boolean
  readonly limit: number
  /** Whole requests left right now, never negative. */
  readonly remaining: number
  /** Seconds until one more request is allowed; 0 while allowed. */
  readonly retryAfterSeconds: number
}

export interface RateLimiter {
  /** Spends one token of the bucket, if it has one. */
  take(bucket: string, perMinute: number): RateVerdict
  /** The same, without spending a token. */
  peek(bucket: string, perMinute: number): RateVerdict
  /** Returns a token that was taken, for a request that does not count towards the limit. */
  giveBack(bucket: string, perMinute: number): void
}

const PRUNE_ABOVE = 10_000
/** Pruning at every new caller would be quadratic. New callers within one interval fit in memory. */
const PRUNE_EVERY_MS = 1_000

/** Buckets of `perMinute` tokens that refill evenly. In memory only; a restart refills all of them. */
export function createRateLimiter(clock: Clock): RateLimiter {
  const usedUntil = new Map<string, number>()
  let prunedAt = -Infinity

  const pruneUnused = (now: number) => {
    if (usedUntil.size < PRUNE_ABOVE || now - prunedAt < PRUNE_EVERY_MS) return
    prunedAt = now
    for (const [bucket, until] of usedUntil) if (isUnused(until, now)) usedUntil.delete(bucket)
  }

  const refused = (used: number, rate: Rate, now: number): RateVerdict => ({
    ...{ allowed: false, limit: rate.burst, remaining: 0 },
    retryAfterSeconds: Math.max(1, Math.ceil((freeAt(used, rate) - now) / 1_000)),
  })
  const allowed = (rate: Rate, free: number): RateVerdict => ({
    ...{ allowed: true, limit: rate.burst, remaining: Math.max(0, Math.floor(free)), retryAfterSeconds: 0 },
  })

  return {
    take(bucket, perMinute) {
      const now = clock.mono()
      const rate = rateOf(perMinute)
      const used = usedUntil.get(bucket) ?? UNUSED
      const free = freeOf(used, rate, now)
      if (free < 1) return refused(used, rate, now)
      if (used === UNUSED) pruneUnused(now)
      usedUntil.set(bucket, usedAfter(used, rate, now))
      return allowed(rate, free - 1)
    },
    peek(bucket, perMinute) {
      const now = clock.mono()
      const rate = rateOf(perMinute)
      const used = usedUntil.get(bucket) ?? UNUSED
      const free = freeOf(used, rate, now)
      return free < 1 ? refused(used, rate, now) : allowed(rate, free)
    },
    giveBack(bucket, perMinute) {
      const used = usedUntil.get(bucket)
      if (used !== undefined) usedUntil.set(bucket, used - rateOf(perMinute).intervalMs)
    },
  }
}

const rateOf = (perMinute: number): Rate => ({ intervalMs: 60_000 / perMinute, burst: perMinute })
