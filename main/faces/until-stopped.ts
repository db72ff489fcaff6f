import { ApiError } from '../contract/errors.ts'

export interface UntilStopped {
  /** Resolves or rejects like `result`, or rejects when `answerWaiting` is called. The work itself continues. */
  wait<T>(result: Promise<T>): Promise<T>
  /** Rejects every waiting call, so that clients can still read the answer before the process exits. */
  answerWaiting(): void
}

/**
 * Calls that wait for a network while the service stops.
 *
 * All share one set instead of a race against an abort signal, which costs a listener and several promises per request.
 */
export function createUntilStopped(): UntilStopped {
  const waiting = new Set<(reason: ApiError) => void>()
  return {
    wait: <T>(result: Promise<T>) => {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      waiting.add(reject)
      result.then(
        (value) => {
          waiting.delete(reject)
          resolve(value)
        },
        (error: unknown) => {
          waiting.delete(reject)
          reject(error)
        },
      )
      return promise
    },
    answerWaiting: () => {
      for (const reject of waiting) reject(stoppedWaiting())
      waiting.clear()
    },
  }
}

const stoppedWaiting = () =>
  new ApiError(
    'upstream_timeout',
    'The service is stopping and the network has not responded yet, so this may have taken effect. Check before you repeat the call; find a message by its idempotency_key.',
  )
