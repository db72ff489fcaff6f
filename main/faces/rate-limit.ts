import type { Clock } from '../kernel/clock.ts'

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

/**
 * GCRA: a bucket of `perMinute` tokens that refills evenly. It stores one number per bucket, the theoretical arrival
 * time, and has no double burst at window edges. It uses the monotonic clock, so setting the wall clock back locks
 * nobody out. In memory only; a restart refills all buckets.
 */
export function createRateLimiter(clock: Clock): RateLimiter {
  const arrival = new Map<string, number>()
  let prunedAt = -Infinity

  const readBucket = (bucket: string, perMinute: number, now: number) => {
    const intervalMs = 60_000 / perMinute
    const next = Math.max(arrival.get(bucket) ?? now, now)
    return { intervalMs, next, free: perMinute - (next - now) / intervalMs }
  }

  /** A bucket whose arrival time has passed is full, which is the same as no bucket. */
  const pruneFull = (now: number) => {
    if (arrival.size < PRUNE_ABOVE || now - prunedAt < PRUNE_EVERY_MS) return
    prunedAt = now
    for (const [bucket, next] of arrival) if (next <= now) arrival.delete(bucket)
  }

  const verdict = (perMinute: number, free: number, intervalMs: number, allowed: boolean): RateVerdict => ({
    allowed,
    limit: perMinute,
    remaining: Math.max(0, Math.floor(free)),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(((1 - free) * intervalMs) / 1000)),
  })

  return {
    take(bucket, perMinute) {
      const now = clock.mono()
      const { intervalMs, next, free } = readBucket(bucket, perMinute, now)
      if (free < 1) return verdict(perMinute, free, intervalMs, false)
      if (!arrival.has(bucket)) pruneFull(now)
      arrival.set(bucket, next + intervalMs)
      return verdict(perMinute, free - 1, intervalMs, true)
    },
    peek(bucket, perMinute) {
      const { intervalMs, free } = readBucket(bucket, perMinute, clock.mono())
      return verdict(perMinute, free, intervalMs, free >= 1)
    },
    giveBack(bucket, perMinute) {
      const next = arrival.get(bucket)
      if (next !== undefined) arrival.set(bucket, next - 60_000 / perMinute)
    },
  }
}
