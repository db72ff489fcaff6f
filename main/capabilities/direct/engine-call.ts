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
 * Waits for an engine, but not for ever. What it throws is logged and never forwarded, unless it is meant for callers.
 * @throws ApiError upstream_timeout, upstream_unavailable, and those of the act itself.
 */
export async function callEngine<T>({ clock, log, timeoutMs }: EngineCallDeps, act: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const limit = startTimeout(clock, timeoutMs, () => reject(silent(timeoutMs)))
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

const silent = (timeoutMs: number) =>
  new ApiError(
    'upstream_timeout',
    `The engine did not answer within ${timeoutMs / 1_000} s. What was asked of it may have been done all the same.`,
  )
