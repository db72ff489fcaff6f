import { request } from 'node:http'

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Parsed JSON; the demo reads it as its reader would, field by field. */
  readonly body: Record<string, unknown>
}

export interface ApiClient {
  get(path: string): Promise<ApiAnswer>
  post(path: string, body: object, headers?: Record<string, string>): Promise<ApiAnswer>
}

/** Speaks to the API as any program would: HTTP, a key, JSON. */
export function createApiClient(baseUrl: string, key: string): ApiClient {
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    new Promise<ApiAnswer>((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const type = text === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(
        new URL(path, baseUrl),
        { method, headers: { authorization: `Bearer ${key}`, ...type, ...headers } },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
          answer.on('end', () => {
            const raw = Buffer.concat(chunks).toString('utf8')
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: raw === '' ? {} : (JSON.parse(raw) as Record<string, unknown>),
            })
          })
        },
      )
      sent.on('error', reject).end(text)
    })
  return { get: (path) => call('GET', path), post: (path, body, headers) => call('POST', path, body, headers) }
}
