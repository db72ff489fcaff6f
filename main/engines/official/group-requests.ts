import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { Json } from './json.ts'

/** Shorter than the caller's timeout for the whole change. */
const WAIT_MS = 8_000
/** Limit for callbacks that arrive before the answer with their request id. */
const MOST_EARLY = 200

export type GroupRequests = ReturnType<typeof createGroupRequests>

/**
 * Meta answers a change of a group with a request id, and sends the outcome in a callback. The two may arrive in
 * either order.
 */
export function createGroupRequests(clock: Clock) {
  const waiting = new Map<string, (outcome: Json) => void>()
  const early = new Map<string, Json>()

  return {
    /** @throws ApiError upstream_timeout if Meta has not called back in time. */
    async outcomeOf(requestId: string): Promise<Json> {
      const known = early.get(requestId)
      if (known !== undefined) {
        early.delete(requestId)
        return known
      }
      const { promise, resolve, reject } = Promise.withResolvers<Json>()
      const limit = startTimeout(clock, WAIT_MS, () => reject(late()))
      waiting.set(requestId, resolve)
      return promise.finally(() => {
        waiting.delete(requestId)
        limit.cancel()
      })
    },
    note(requestId: string, outcome: Json): void {
      const tell = waiting.get(requestId)
      if (tell !== undefined) return tell(outcome)
      early.set(requestId, outcome)
      const [oldest] = early.keys()
      if (early.size > MOST_EARLY && oldest !== undefined) early.delete(oldest)
    },
  }
}

const late = () =>
  new ApiError(
    'upstream_timeout',
    'Meta accepted the change of the group but has not confirmed it yet. Read the group in a minute to see the result.',
  )
