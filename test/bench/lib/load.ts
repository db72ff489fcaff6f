import { randomUUID } from 'node:crypto'
import autocannon from 'autocannon'

/**
 * Load in a process of its own: `node load.ts <url> <headers JSON> <body> <connections> <seconds>`.
 * Every request carries an Idempotency-Key of its own. Prints one JSON line.
 */
const [url = '', headers = '{}', body = '', connections = '64', seconds = '2'] = process.argv.slice(2)

const latencies: number[] = []
const run = autocannon(
  {
    url,
    connections: Number(connections),
    duration: Number(seconds),
    requests: [
      {
        method: 'POST',
        body,
        headers: JSON.parse(headers) as Record<string, string>,
        setupRequest: (request) => ({ ...request, headers: { ...request.headers, 'idempotency-key': randomUUID() } }),
      },
    ],
  },
  (_error, result) => {
    latencies.sort((a, b) => a - b)
    const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN
    const total = latencies.length
    console.log(
      JSON.stringify({ perSecond: total / result.duration, total, p99, refused: result.non2xx, errors: result.errors }),
    )
  },
)
run.on('response', (_client, _status, _bytes, ms) => latencies.push(ms))
