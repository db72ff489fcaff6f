import { request, type IncomingHttpHeaders } from 'node:http'

export interface Asked {
  readonly method: string
  /** Path and query, encoded. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Prism hangs on some bodies; longer than any answer of the product under these settings. */
const PATIENCE_MS = 10_000

/** One request over a socket, the path sent exactly as given. @returns undefined when it was not answered. */
export function exchange(base: string, { method, path, headers, body }: Asked): Promise<Answered | undefined> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve) => {
    const unanswered = () => resolve(undefined)
    // A connection each: one that is kept can be closed by the other side in the moment it is used again.
    const sent = request({ hostname, port, method, path, headers, agent: false }, (heard) => {
      const chunks: Buffer[] = []
      heard.on('data', (chunk: Buffer) => chunks.push(chunk))
      heard.once('end', () => {
        const { statusCode: status = 0, headers: found } = heard
        resolve({ status, headers: found, text: Buffer.concat(chunks).toString() })
      })
      heard.once('error', unanswered)
    })
    const timer = setTimeout(() => sent.destroy(), PATIENCE_MS)
    sent.once('close', () => {
      clearTimeout(timer)
      unanswered()
    })
    sent.once('error', unanswered)
    sent.end(body)
  })
}
