import type { Clock } from '../../kernel/clock.ts'

const BURST_MS = 10_000
const DAILY = 200_000
const DAY_MS = 86_400_000

interface Use {
  windowStartUptime: number
  inWindow: number
  dayStartUptime: number
  inDay: number
}

/**
 * GoHighLevel's limits per location.
 * @param burst calls in ten seconds.
 */
export function createLimits(clock: Pick<Clock, 'uptime'>, burst: number) {
  const uses = new Map<string, Use>()

  return {
    /** Counts a call. @returns the headers of its answer, and whether it exceeds a limit. */
    take(locationId: string): { readonly isOver: boolean; readonly headers: Record<string, string> } {
      const now = clock.uptime()
      const use = uses.get(locationId) ?? { windowStartUptime: now, inWindow: 0, dayStartUptime: now, inDay: 0 }
      uses.set(locationId, use)
      if (now - use.windowStartUptime >= BURST_MS) Object.assign(use, { windowStartUptime: now, inWindow: 0 })
      if (now - use.dayStartUptime >= DAY_MS) Object.assign(use, { dayStartUptime: now, inDay: 0 })
      const isOver = use.inWindow >= burst || use.inDay >= DAILY
      if (!isOver) {
        use.inWindow++
        use.inDay++
      }
      return {
        isOver,
        headers: {
          'x-ratelimit-limit-daily': String(DAILY),
          'x-ratelimit-daily-remaining': String(DAILY - use.inDay),
          'x-ratelimit-daily-reset': String(Math.ceil(use.dayStartUptime + DAY_MS - now)),
          'x-ratelimit-interval-milliseconds': String(BURST_MS),
          'x-ratelimit-max': String(burst),
          'x-ratelimit-remaining': String(burst - use.inWindow),
        },
      }
    },
  }
}
