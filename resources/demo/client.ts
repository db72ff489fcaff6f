export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; callers read the fields one by one. */
  readonly body: Record<string, unknown>
}

export interface ApiClient {
  get(path: string): Promise<ApiAnswer>
  post(path: string, body: object, headers?: Record<string, string>): Promise<ApiAnswer>
}

/** Uses the API like any other program: HTTP, an API key and JSON. */
export function createApiClient(baseUrl: string, key: string): ApiClient {
  async function call(path: string, init: RequestInit, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    const answer = await fetch(new URL(path, baseUrl), {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...headers },
    })
    const text = await answer.text()
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    return { status: answer.status, headers: answer.headers, body }
  }
  return {
    get: (path) => call(path, {}),
    post: (path, body, headers) =>
      call(path, { method: 'POST', body: JSON.stringify(body) }, { 'content-type': 'application/json', ...headers }),
  }
}
