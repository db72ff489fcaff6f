import type { Clock } from '../../kernel/clock.ts'
import { createFairQueue } from '../../kernel/fair-queue.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineInstance } from '../engine.ts'

export interface ConnectQueue {
  /** Resolves when this instance may connect. */
  waitForTurn(instance: Pick<EngineInstance, 'id' | 'accountId'>): Promise<void>
}

/**
 * A login takes about ten milliseconds of this thread. Without a pause between them, hundreds of logins would block all
 * other work.
 */
const BETWEEN_MS = 12
const TURN = 'next connection'
const NO_LIMITS = { inAll: Infinity, perOwner: Infinity }

/**
 * One connection after the other, accounts in turn. When the process is busy, the next one waits until it has had its
 * turn.
 */
export function createConnectQueue(clock: Pick<Clock, 'now' | 'mono'>, alarms: Alarms): ConnectQueue {
  const turns = createFairQueue<InstanceId>(NO_LIMITS)
  const waiting = new Map<InstanceId, () => void>()
  let nextMono = -Infinity

  function begin(): void {
    nextMono = clock.mono() + BETWEEN_MS
  }

  function next(): void {
    const id = turns.next()
    if (id === undefined) return
    const connect = waiting.get(id)
    waiting.delete(id)
    begin()
    if (waiting.size > 0) alarms.set(TURN, clock.now() + BETWEEN_MS, next)
    connect?.()
  }

  return {
    waitForTurn({ id, accountId }) {
      const waitMs = Math.max(0, nextMono - clock.mono())
      if (waiting.size === 0 && waitMs === 0) {
        begin()
        return Promise.resolve()
      }
      return new Promise((resolve) => {
        // An instance that asks again keeps its place. Its earlier attempt was cancelled.
        if (!waiting.has(id)) turns.add(accountId, id)
        waiting.set(id, resolve)
        if (waiting.size === 1) alarms.set(TURN, clock.now() + waitMs, next)
      })
    },
  }
}
