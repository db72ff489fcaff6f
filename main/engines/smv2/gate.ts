import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'

export interface Gate {
  /** Resolves when this instance may connect. */
  turn(id: InstanceId): Promise<void>
}

/** A login costs some milliseconds of this process, and the first one a hundred: hundreds at once would stop all else. */
const BETWEEN_MS = 50

export function createGate(clock: Pick<Clock, 'now' | 'mono'>, alarms: Alarms): Gate {
  let nextMono = -Infinity
  return {
    turn(id) {
      const waitMs = Math.max(0, nextMono - clock.mono())
      nextMono = clock.mono() + waitMs + BETWEEN_MS
      if (waitMs === 0) return Promise.resolve()
      return new Promise((resolve) => alarms.set(`gate ${id}`, clock.now() + waitMs, resolve))
    },
  }
}
