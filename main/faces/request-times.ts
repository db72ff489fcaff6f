import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../kernel/clock.ts'
import { createDurations, type Durations, type Family } from '../kernel/metrics.ts'

/** How many requests came over HTTP, what became of them, and how long they took. */
export interface RequestTimes {
  /** From the head of the request to the last byte of the answer, or to the end of the connection. */
  watch(request: IncomingMessage, response: ServerResponse): void
  /** Which operation it turned out to be. Whatever is none of them is counted together. */
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
  // Status within operation: no text is put together for each request.
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
        // 499, as proxies call it: the caller left before the answer was whole.
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
          help: 'Requests over HTTP by operation and status, from their head to the end of the answer.',
          type: 'histogram',
          samples: all.flatMap(({ operation, status, durations }) =>
            durations.samples({ operation, status: String(status) }),
          ),
        },
      ]
    },
  }
}
