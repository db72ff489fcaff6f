import { Problem, problemOf } from './problem.ts'

type Query = Readonly<Record<string, string | number | boolean | undefined>>

interface Wish {
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Told when the service no longer knows the session; the sign-in screen comes up. */
let onSignedOut: () => void = () => {}
export function whenSignedOut(act: () => void): void {
  onSignedOut = act
}

/** Paths on the window's own origin, the same in the desktop app and headless: no key and no port is known here. */
async function ask(method: string, path: string, { query, body, headers, signal }: Wish): Promise<Response> {
  let response: Response
  try {
    response = await fetch(`/panel${path}${queryOf(query)}`, {
      method,
      // Every change says that it is JSON, also without a body: no other page can make a browser send that.
      headers: {
        accept: 'application/json',
        ...(method !== 'GET' && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Problem(0, 'unreachable', error instanceof Error ? error.message : String(error), { isRetryable: true })
  }
  if (response.ok) return response
  if (response.status === 401 && path !== '/session') onSignedOut()
  throw await problemOf(response)
}

function queryOf(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`
}

async function json<T>(method: string, path: string, wish: Wish): Promise<T> {
  const response = await ask(method, path, wish)
  // The shapes are the contracts' of the service, which its tests hold to them.
  return (response.status === 204 ? undefined : await response.json()) as T
}

/** The operations of the service: `api.get<Page>('/instances', { query: { limit: 50 } })`. @throws Problem */
export const api = {
  get: <T>(path: string, wish: Wish = {}) => json<T>('GET', `/v1${path}`, wish),
  post: <T>(path: string, body: unknown = {}, wish: Wish = {}) => json<T>('POST', `/v1${path}`, { ...wish, body }),
  patch: <T>(path: string, body: unknown, wish: Wish = {}) => json<T>('PATCH', `/v1${path}`, { ...wish, body }),
  put: <T>(path: string, body: unknown, wish: Wish = {}) => json<T>('PUT', `/v1${path}`, { ...wish, body }),
  delete: <T = void>(path: string, wish: Wish = {}) => json<T>('DELETE', `/v1${path}`, wish),
}

export interface Session {
  readonly signed_in: boolean
  readonly account: { readonly id: string; readonly name: string }
  readonly version: string
  readonly home: 'desktop' | 'headless'
  readonly password_set: boolean
}

export const sessionApi = {
  get: () => json<Session>('GET', '/session', {}),
  open: (credential: { code: string } | { password: string }) =>
    json<undefined>('POST', '/session', { body: credential }),
  close: () => json<undefined>('DELETE', '/session', {}),
}

/** The stream of notices. @throws Problem */
export const openLive = (lastId: string | undefined, signal: AbortSignal): Promise<Response> =>
  ask('GET', '/events', {
    signal,
    headers: { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
  })

/** The service's description of its API, YAML. @throws Problem */
export const readDescription = async (): Promise<string> =>
  (await ask('GET', '/openapi.yaml', { headers: { accept: 'application/yaml' } })).text()
