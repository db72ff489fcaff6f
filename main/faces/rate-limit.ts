import type { Clock } from '../kernel/clock.ts'

/** What one request found in its bucket; feeds X-RateLimit-Limit, X-RateLimit-Remaining and Retry-After. */
export interface RateVerdict {
  readonly allowed: boolean
  readonly limit: number
  /** Whole requests left at this moment, never negative. */
  readonly remaining: number
  /** Seconds until one more request is allowed; 0 while allowed. */
  readonly retryAfterSeconds: number
}

export interface RateLimiter {
  /** Spends one token of the bucket, when it has one. */
  take(bucket: string, perMinute: number): RateVerdict
  /** The same figures without spending. */
  peek(bucket: string, perMinute: number): RateVerdict
}

const SWEEP_AT = 10_000
/** Sweeping at every new caller would cost the more the more callers there are. In this time no more come than memory holds. */
const SWEEP_EVERY_MS = 1_000

/**
 * GCRA: a bucket of `perMinute` tokens that refills evenly. It stores one number a bucket, the theoretical arrival
 * time, has no double burst at a window's edge and runs on the monotonic clock, so setting the wall clock back locks
 * nobody out. State is memory only; a restart refills.
 */
export function createRateLimiter(clock: Clock): RateLimiter {
  const arrival = new Map<string, number>()
  let sweptAt = -Infinity

  const look = (bucket: string, perMinute: number, now: number) => {
    const intervalMs = 60_000 / perMinute
    const next = Math.max(arrival.get(bucket) ?? now, now)
    return { intervalMs, next, free: perMinute - (next - now) / intervalMs }
  }

  /** A bucket whose arrival time has passed is full again, and so the same as no bucket. */
  const sweep = (now: number) => {
    if (arrival.size < SWEEP_AT || now - sweptAt < SWEEP_EVERY_MS) return
    sweptAt = now
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
      const { intervalMs, next, free } = look(bucket, perMinute, now)
      if (free < 1) return verdict(perMinute, free, intervalMs, false)
      if (!arrival.has(bucket)) sweep(now)
      arrival.set(bucket, next + intervalMs)
      return verdict(perMinute, free - 1, intervalMs, true)
    },
    peek(bucket, perMinute) {
      const { intervalMs, free } = look(bucket, perMinute, clock.mono())
      return verdict(perMinute, free, intervalMs, free >= 1)
    },
  }
}
