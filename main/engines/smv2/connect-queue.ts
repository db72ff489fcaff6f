import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'

export interface ConnectQueue {
  /** Resolves when this instance may connect. */
  waitForTurn(id: InstanceId): Promise<void>
}

/** A login costs about ten milliseconds of this process: closer together, hundreds would stop all else. */
const BETWEEN_MS = 12
const TURN = 'next connection'

/** One connection after the other. When the process is busy, the next one waits until it has had its turn. */
export function createConnectQueue(clock: Pick<Clock, 'now' | 'mono'>, alarms: Alarms): ConnectQueue {
  const waiting = new Map<InstanceId, () => void>()
  let nextMono = -Infinity

  function begin(): void {
    nextMono = clock.mono() + BETWEEN_MS
  }

  function next(): void {
    const [first] = waiting
    if (first === undefined) return
    const [id, connect] = first
    waiting.delete(id)
    begin()
    if (waiting.size > 0) alarms.set(TURN, clock.now() + BETWEEN_MS, next)
    connect()
  }

  return {
    waitForTurn(id) {
      const waitMs = Math.max(0, nextMono - clock.mono())
      if (waiting.size === 0 && waitMs === 0) {
        begin()
        return Promise.resolve()
      }
      return new Promise((resolve) => {
        // Who asks again keeps the place; the earlier attempt was given up.
        waiting.set(id, resolve)
        if (waiting.size === 1) alarms.set(TURN, clock.now() + waitMs, next)
      })
    },
  }
}
