import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'

export interface ConnectQueue {
  /** Resolves when this instance may connect. */
  waitForTurn(id: InstanceId): Promise<void>
}

/** A login costs about ten milliseconds of this process: closer together, hundreds would stop all else. */
const BETWEEN_MS = 20

export function createConnectQueue(clock: Pick<Clock, 'now' | 'mono'>, alarms: Alarms): ConnectQueue {
  let nextMono = -Infinity
  return {
    waitForTurn(id) {
      const waitMs = Math.max(0, nextMono - clock.mono())
      nextMono = clock.mono() + waitMs + BETWEEN_MS
      if (waitMs === 0) return Promise.resolve()
      return new Promise((resolve) => alarms.set(`gate ${id}`, clock.now() + waitMs, resolve))
    },
  }
}
