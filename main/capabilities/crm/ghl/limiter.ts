import type { Clock } from '../../../kernel/clock.ts'
import { BridgeError } from '../bridge.ts'

interface Window {
  startUptime: number
  used: number
  max: number
  intervalMs: number
  blockedUntilUptime: number
}

/** GoHighLevel's documented limits, used until an answer contains others. */
const MAX = 100
const INTERVAL_MS = 10_000

export type Limiter = ReturnType<typeof createLimiter>

/** Keeps the calls of each location below GoHighLevel's limit, and adapts to the headers of its answers. */
export function createLimiter(clock: Pick<Clock, 'uptime'>) {
  const windows = new Map<string, Window>()
  const windowOf = (locationId: string): Window => {
    const known = windows.get(locationId)
    if (known !== undefined) return known
    const fresh = { startUptime: -Infinity, used: 0, max: MAX, intervalMs: INTERVAL_MS, blockedUntilUptime: -Infinity }
    windows.set(locationId, fresh)
    return fresh
  }

  return {
    /** Takes one call. @throws BridgeError `wait` if it would be over the limit. */
    take(locationId: string): void {
      const now = clock.uptime()
      const window = windowOf(locationId)
      if (now - window.startUptime >= window.intervalMs) Object.assign(window, { startUptime: now, used: 0 })
      const untilUptime =
        window.blockedUntilUptime > now
          ? window.blockedUntilUptime
          : window.used >= window.max
            ? window.startUptime + window.intervalMs
            : null
      if (untilUptime !== null)
        throw new BridgeError(
          { kind: 'wait', waitMs: Math.ceil(untilUptime - now), code: 'rate_limited' },
          'The limit of GoHighLevel for this location is reached. The sync goes on in a few seconds.',
        )
      window.used++
    },
    /** Applies the limit in an answer, because other apps may use it too. */
    learn(locationId: string, headers: Readonly<Record<string, unknown>>): void {
      const window = windowOf(locationId)
      const [max, remaining, intervalMs] = ['max', 'remaining', 'interval-milliseconds'].map((name) =>
        numberIn(headers[`x-ratelimit-${name}`]),
      )
      if (max !== undefined && max > 0) window.max = max
      if (intervalMs !== undefined && intervalMs > 0) window.intervalMs = intervalMs
      if (remaining !== undefined) window.used = Math.max(window.used, window.max - remaining)
    },
    block(locationId: string, waitMs: number): void {
      const window = windowOf(locationId)
      window.blockedUntilUptime = Math.max(window.blockedUntilUptime, clock.uptime() + waitMs)
    },
  }
}

const numberIn = (value: unknown): number | undefined => {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN
  return Number.isFinite(number) ? number : undefined
}
