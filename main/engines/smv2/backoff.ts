import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/ids.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 5 * 60_000
/**
 * A connection that ends sooner does not reset the delays: it would otherwise reconnect at the shortest delay again and
 * again.
 */
const STABLE_MS = 60_000

export interface Backoff {
  /** How long to wait now. Full jitter: numbers that lost the network together must not come back together. */
  next(): number
  /** The connection is open. */
  stood(): void
  /** The connection was lost. @returns whether it was up for a minute; only then the delays start over. */
  fell(): boolean
  reset(): void
}

export function createBackoff(clock: Pick<Clock, 'mono'>, random: Random): Backoff {
  let failures = 0
  let standsSinceMono: number | null = null
  return {
    next() {
      const most = Math.min(FIRST_MS * 2 ** Math.min(failures, 20), LONGEST_MS)
      failures++
      return Math.ceil(random.fraction() * most)
    },
    stood() {
      standsSinceMono = clock.mono()
    },
    fell() {
      const wasStable = standsSinceMono !== null && clock.mono() - standsSinceMono >= STABLE_MS
      if (wasStable) failures = 0
      standsSinceMono = null
      return wasStable
    },
    reset() {
      failures = 0
      standsSinceMono = null
    },
  }
}
