import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'

export interface Gate {
  /** Resolves when this instance may connect. */
  turn(id: InstanceId): Promise<void>
}

/** A login costs some milliseconds of this process, and the first one a hundred: hundreds at once would stop all else. */
const BETWEEN_MS = 50

export function createGate(clock: Pick<Clock, 'now'>, alarms: Alarms): Gate {
  let nextAtMs = 0
  return {
    turn(id) {
      const atMs = Math.max(clock.now(), nextAtMs)
      nextAtMs = atMs + BETWEEN_MS
      if (atMs <= clock.now()) return Promise.resolve()
      return new Promise((resolve) => alarms.set(`gate ${id}`, atMs, resolve))
    },
  }
}
