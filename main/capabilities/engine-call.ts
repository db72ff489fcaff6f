import { ApiError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { TRAITS } from '../contract/engine-traits.ts'
import type { Clock } from '../kernel/clock.ts'
import { createConcurrencyLimiter } from '../kernel/concurrency-limiter.ts'
import { startTimeout } from '../kernel/timeout.ts'
import { cause, type Log } from '../kernel/log.ts'
import type { InstanceSubject } from './handler.ts'
import { notConnected } from './not-connected.ts'

interface EngineCallDeps {
  readonly clock: Clock
  readonly log: Log
  readonly config: { readonly sendTimeoutMs: number }
}

/**
 * Calls an engine with a timeout and a limit of concurrent calls. Errors other than ApiError are logged and not
 * forwarded.
 * @throws ApiError service_unavailable, upstream_timeout, upstream_unavailable, and those of the action itself.
 */
export type CallEngine = <T>(instance: InstanceSubject, act: () => Promise<T>) => Promise<T>

export function createEngineCalls({ clock, log, config }: EngineCallDeps): CallEngine {
  const limiter = createConcurrencyLimiter(LIMITS.directActions)
  const timeoutMs = config.sendTimeoutMs

  return async (instance, act) => {
    const slot = limiter.acquire(instance)
    if (!slot) throw tooMany()
    const { promise: late, reject } = Promise.withResolvers<never>()
    const limit = startTimeout(clock, timeoutMs, () => reject(timedOut(timeoutMs)))
    try {
      return await Promise.race([act(), late])
    } catch (error) {
      if (error instanceof ApiError) throw error
      log.warn({ event: 'direct.engine_failed', cause: cause(error) })
      throw unreachableEngine()
    } finally {
      limit.cancel()
      slot.release()
    }
  }
}

const unclear = new WeakSet<ApiError>()

function unreachableEngine(): ApiError {
  const error = new ApiError(
    'upstream_unavailable',
    'The engine of this instance cannot be reached. Try again in a few seconds.',
  )
  unclear.add(error)
  return error
}

/** Whether an error of a call proves that the engine did nothing. A failed connection and a timeout do not. */
export const isUndone = (error: unknown): boolean =>
  error instanceof ApiError && error.code !== 'upstream_timeout' && !unclear.has(error)

/** @throws ApiError not_ready */
export function requireConnected(instance: InstanceSubject): void {
  if (!instance.connected) throw notConnected(instance, 'nothing was done', 'try again')
}

/** @throws ApiError validation_error if an smv2 instance is given a user id of Meta's. */
export function requireAddress({ engine }: InstanceSubject, address: string, field: string): void {
  if (TRAITS[engine].hasUserIds || !/^[A-Z]{2}[.]/.test(address)) return
  throw new ApiError(
    'validation_error',
    `${field} ${address} is an id of the official engine. Use the number.`,
  ).because('not_phone', { field })
}

export const notSupported = () =>
  new ApiError('engine_mismatch', 'The engine of this instance does not support this action.')

const timedOut = (timeoutMs: number) =>
  new ApiError(
    'upstream_timeout',
    `The engine did not answer within ${timeoutMs / 1_000} s. The action may still have been carried out.`,
  )

const tooMany = () =>
  new ApiError(
    'service_unavailable',
    'Too many calls are waiting for an engine, so nothing was done. Try again in a second.',
    { 'Retry-After': '1' },
  )
