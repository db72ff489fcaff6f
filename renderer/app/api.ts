import type { Operations, OperationTable } from '../../main/capabilities/contracts.ts'
import { panelPath } from './account.ts'
import type { CallOptions, CsvId, FileId, JsonId, Reply } from './operation-types.ts'
import { latestPress, rememberPress } from './presses.ts'
import { Problem, readProblem } from './problem.ts'

/** Inserted by the build: electron.vite.config.ts. */
declare const __OPERATIONS__: OperationTable
/** Used in one place only, because the build inserts the whole table at every use. */
const OPERATIONS = __OPERATIONS__

type Query = Readonly<Record<string, string | number | boolean | undefined>>

interface RequestOptions {
  readonly query?: Query
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly file?: Blob
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Overrides the account that the window shows. */
  readonly account?: string | null
  /** Context for the text of a refusal. */
  readonly operation?: string
}

/** Called when the service no longer accepts the session; the sign-in screen appears. */
let signedOutListener: () => void = () => {}
export function onSignedOut(act: () => void): void {
  signedOutListener = act
}

/** Paths on the window's own origin, the same in the desktop app and in a browser, so no key or port is needed here. */
async function request(method: string, path: string, wish: RequestOptions): Promise<Response> {
  const press = latestPress()
  try {
    return await send(method, path, wish)
  } catch (error) {
    if (error instanceof Problem) rememberPress(error, press)
    throw error
  }
}

async function send(
  method: string,
  path: string,
  { query, body, file, headers, signal, account, operation }: RequestOptions,
): Promise<Response> {
  let response: Response
  try {
    response = await fetch(`${panelPath(path, account)}${queryOf(query)}`, {
      method,
      // Every change declares JSON, even without a body, because other pages cannot make a browser send that.
      headers: {
        accept: 'application/json',
        ...(method !== 'GET' && { 'content-type': file?.type ?? 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(file && { body: file }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Problem(0, 'unreachable', error instanceof Error ? error.message : String(error), {
      isRetryable: true,
      ...(operation !== undefined && { operation }),
    })
  }
  if (response.ok) return response
  if (response.status === 401 && path !== '/session') signedOutListener()
  throw await readProblem(response, operation)
}

function queryOf(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`
}

async function json<T>(method: string, path: string, wish: RequestOptions): Promise<T> {
  const response = await request(method, path, wish)
  // The service's tests check its answers against the contracts that these types come from.
  return (response.status === 204 ? undefined : await response.json()) as T
}

interface AnyOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly body?: unknown
  readonly file?: Blob
  readonly idempotencyKey?: string
  readonly confirm?: boolean
  readonly signal?: AbortSignal
  readonly account?: string | null
}

/**
 * Calls an operation of the service: `call('listInstances', { query: { limit: 50 } })`. Parameters, body and answer
 * have the types of its contract.
 * @throws Problem
 */
export function call<Id extends keyof Operations>(
  id: Id & JsonId<Id>,
  ...options: CallOptions<Id>
): Promise<Reply<Id>> {
  const { params, query, body, file, idempotencyKey, confirm, signal, account } = optionsOf(options)
  const [method] = OPERATIONS[id]
  return json<Reply<Id>>(method, pathOf(id, params), {
    operation: id,
    query: { ...query, ...(confirm === true && { confirm }) },
    ...(body !== undefined && { body }),
    ...(file && { file }),
    ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
    ...(signal && { signal }),
    ...(account !== undefined && { account }),
  })
}

/** The URL of an operation that answers with a file, for `src` and `href`. */
export function fileUrl<Id extends keyof Operations>(id: Id & FileId<Id>, ...options: CallOptions<Id>): string {
  const { params, query } = optionsOf(options)
  return `${panelPath(pathOf(id, params))}${queryOf(query)}`
}

/** The answer of an operation as CSV. @throws Problem */
export async function readCsv<Id extends keyof Operations>(
  id: Id & CsvId<Id>,
  ...options: CallOptions<Id>
): Promise<Blob> {
  const { params, query } = optionsOf(options)
  const wish = { operation: id, headers: { accept: 'text/csv' }, ...(query && { query }) }
  return (await request('GET', pathOf(id, params), wish)).blob()
}

/** Makes the service fetch a file that it does not have yet. @param url of a record. @throws Problem */
export async function fetchPendingFile(url: string): Promise<void> {
  const headers = { accept: '*/*', range: 'bytes=0-0' }
  const response = await request('GET', url.replace(/^\/panel(\/accounts\/[^/]+)?/, ''), { headers })
  await response.body?.cancel()
}

/**
 * The conditional types of options are exact for a given id; for any id, the compiler would build a union of all
 * operations.
 */
const optionsOf = (options: unknown): AnyOptions => (options as readonly [AnyOptions?])[0] ?? {}

/**
 * @param call method and path of an operation, such as `DELETE /v1/instances/{id}`. @returns its id; undefined: only
 * another version has it.
 */
export const findOperation = (call: string): string | undefined =>
  Object.entries(OPERATIONS).find(([, [method, path]]) => `${method} ${path}` === call)?.[0]

/** @returns whether an operation only reads, so that it can be repeated without confirmation. */
export const isRead = (id: string | undefined): boolean =>
  id !== undefined && Object.hasOwn(OPERATIONS, id) && OPERATIONS[id as keyof OperationTable][0] === 'GET'

function pathOf(id: keyof OperationTable, params: Readonly<Record<string, string>> = {}): string {
  const [, path] = OPERATIONS[id]
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

export interface Session {
  readonly signed_in: boolean
  readonly account: { readonly id: string; readonly name: string }
  readonly version: string
  readonly home: 'desktop' | 'headless'
  readonly role: 'operator' | 'member'
  /** null for others. */
  readonly member: { readonly id: string; readonly name: string } | null
  readonly password_set: boolean
}

/** Sign-in credentials. An email is a member's. */
export type Credential =
  | { readonly code: string }
  | { readonly password: string }
  | { readonly email: string; readonly password: string }

export const sessionApi = {
  get: () => json<Session>('GET', '/session', {}),
  open: (credential: Credential) => json<undefined>('POST', '/session', { body: credential, account: null }),
  close: () => json<undefined>('DELETE', '/session', { account: null }),
}

/** The stream of notices. @throws Problem */
export const openLive = (lastId: string | undefined, signal: AbortSignal): Promise<Response> =>
  request('GET', '/events', {
    signal,
    headers: { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
  })

/** The service's description of its API, YAML. @throws Problem */
export const readDescription = async (): Promise<string> =>
  (await request('GET', '/openapi.yaml', { headers: { accept: 'application/yaml' }, account: null })).text()
