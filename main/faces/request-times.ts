import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../kernel/clock.ts'
import { createDurations, type Durations, type Family } from '../kernel/metrics.ts'

/** Counts and durations of HTTP requests, by operation and status. */
export interface RequestTimes {
  /** Measures from the request head to the last byte of the response, or to the end of the connection. */
  watch(request: IncomingMessage, response: ServerResponse): void
  /** Sets the operation of a request. Requests without one are counted as `other`. */
  setOperation(request: IncomingMessage, operationId: string): void
  families(): Family[]
}

interface Counted {
  readonly operation: string
  readonly status: number
  readonly durations: Durations
}

const OTHER = 'other'

export function createRequestTimes(clock: Pick<Clock, 'mono'>): RequestTimes {
  const operations = new WeakMap<IncomingMessage, string>()
  // Nested maps avoid building a string key for each request.
  const counted = new Map<string, Map<number, Counted>>()

  function durationsOf(operation: string, status: number): Durations {
    let byStatus = counted.get(operation)
    if (!byStatus) counted.set(operation, (byStatus = new Map<number, Counted>()))
    let entry = byStatus.get(status)
    if (!entry) byStatus.set(status, (entry = { operation, status, durations: createDurations() }))
    return entry.durations
  }

  return {
    watch(request, response) {
      const since = clock.mono()
      response.once('close', () => {
        // 499, as in nginx: the client left before the response was complete.
        const status = response.writableFinished ? response.statusCode : 499
        durationsOf(operations.get(request) ?? OTHER, status).observe(clock.mono() - since)
      })
    },
    setOperation: (request, operationId) => void operations.set(request, operationId),
    families() {
      const all = [...counted.values()].flatMap((byStatus) => [...byStatus.values()])
      return [
        {
          name: 'switchboard_http_request_duration_seconds',
          help: 'HTTP requests by operation and status, from the request head to the end of the response.',
          type: 'histogram',
          samples: all.flatMap(({ operation, status, durations }) =>
            durations.samples({ operation, status: String(status) }),
          ),
        },
      ]
    },
  }
}
