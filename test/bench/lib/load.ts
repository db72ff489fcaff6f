import { randomUUID } from 'node:crypto'
import autocannon from 'autocannon'

/**
 * Sends load from its own process: `node load.ts
 * '{"url":…,"method":…,"headers":…,"body":…,"connections":…,"seconds":…}'`. Every POST has its own Idempotency-Key.
 * Prints one JSON line.
 */
interface Asked {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body?: object
  readonly connections: number
  readonly seconds: number
  readonly perSecond?: number
}

const { url, method, headers, body, connections, seconds, perSecond } = JSON.parse(process.argv[2] ?? '{}') as Asked

const latencies: number[] = []
const request: autocannon.Request =
  body === undefined
    ? { method, headers }
    : {
        method,
        body: JSON.stringify(body),
        headers: { ...headers, 'content-type': 'application/json' },
        setupRequest: (one) => ({ ...one, headers: { ...one.headers, 'idempotency-key': randomUUID() } }),
      }
const pace = perSecond === undefined ? {} : { overallRate: perSecond }
const run = autocannon({ url, connections, duration: seconds, requests: [request], ...pace }, (_error, result) => {
  latencies.sort((a, b) => a - b)
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN
  const total = latencies.length
  console.log(
    JSON.stringify({ perSecond: total / result.duration, total, p99, refused: result.non2xx, errors: result.errors }),
  )
})
run.on('response', (_client, _status, _bytes, ms) => latencies.push(ms))
