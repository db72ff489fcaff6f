import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import { cause, type Log } from '../../kernel/log.ts'

interface EngineCallDeps {
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
}

/**
 * Waits for an engine until the timeout. What it throws is logged and not forwarded, unless it is an ApiError.
 * @throws ApiError upstream_timeout, upstream_unavailable, and those of the action itself.
 */
export async function callEngine<T>({ clock, log, timeoutMs }: EngineCallDeps, act: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const limit = startTimeout(clock, timeoutMs, () => reject(timedOut(timeoutMs)))
  try {
    return await Promise.race([act(), late])
  } catch (error) {
    if (error instanceof ApiError) throw error
    log.warn({ event: 'direct.engine_failed', cause: cause(error) })
    throw new ApiError(
      'upstream_unavailable',
      'The engine of this instance cannot be reached. Try again in a few seconds.',
    )
  } finally {
    limit.cancel()
  }
}

const timedOut = (timeoutMs: number) =>
  new ApiError(
    'upstream_timeout',
    `The engine did not answer within ${timeoutMs / 1_000} s. The action may still have been carried out.`,
  )
