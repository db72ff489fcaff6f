import { Readable } from 'node:stream'
import { CONSOLE_CSP } from '../faces/panel/csp.ts'
import { isOurs } from './app-origin.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: ReadableStream<Uint8Array> | null
}

interface PanelRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: NodeJS.ReadableStream
  readonly signal: AbortSignal
}

export interface ProtocolDeps {
  /** A file of the built page, by its path below the root; '' is the page. */
  readonly file: (
    path: string,
  ) => Promise<{ readonly headers: Readonly<Record<string, string>>; readonly bytes: Uint8Array } | undefined>
  /** Sends a request of the page to the API, as the person at the window. */
  readonly panel: (request: PanelRequest) => Promise<Answer>
  /** The app is quitting: the page gets an answer instead of a failed connection. */
  readonly isClosing: () => boolean
  /** Called for unexpected errors: the page gets an error it can show, never a failed connection. */
  readonly onFault: (error: unknown) => void
}

/** Headers of every response: no content sniffing, no referrer. */
const COMMON_HEADERS = {
  'content-security-policy': CONSOLE_CSP,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/**
 * Answers the window's own scheme: the API below /panel/, otherwise the files of the page. It never throws, because
 * that would be a failed connection without a message.
 */
export function createAppProtocol({
  file,
  panel,
  isClosing,
  onFault,
}: ProtocolDeps): (request: Request) => Promise<Response> {
  async function answer(request: Request): Promise<Response> {
    if (!isOurs(request.url)) return refuse(404, 'not_found', 'This address does not belong to Switchboard.')
    const { pathname, search } = new URL(request.url)
    if (isClosing()) return closing()
    if (pathname.startsWith('/panel/')) return respond(await panel(asPanelRequest(request, pathname + search)))
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(405, 'method_not_allowed', 'Console files are read-only.')
    const name = decoded(pathname.slice(1))
    const found = name === undefined ? undefined : await file(name)
    if (found === undefined) return refuse(404, 'not_found', 'File not found.')
    const headers = { ...COMMON_HEADERS, ...found.headers }
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(found.bytes), { headers })
  }

  return async (request) => {
    try {
      return await answer(request)
    } catch (error) {
      // The request came in time, but the service had stopped accepting requests.
      if (isClosing()) return closing()
      onFault(error)
      return refuse(500, 'internal_error', 'Switchboard could not load this page. Try again, or restart Switchboard.')
    }
  }
}

function asPanelRequest(request: Request, path: string): PanelRequest {
  return {
    method: request.method,
    path,
    headers: Object.fromEntries(request.headers),
    signal: request.signal,
    // Both types describe the same stream object; Node's declaration requires its own.
    ...(request.body !== null && { payload: Readable.fromWeb(request.body as Parameters<typeof Readable.fromWeb>[0]) }),
  }
}

function respond({ status, headers, body }: Answer): Response {
  const all = new Headers(COMMON_HEADERS)
  for (const [name, value] of Object.entries(headers))
    all.set(name, typeof value === 'string' ? value : value.join(', '))
  // The page must not get cookies; the desktop app keeps none.
  all.delete('set-cookie')
  return new Response(body as ReadableStream<Uint8Array<ArrayBuffer>> | null, { status, headers: all })
}

const closing = () => refuse(503, 'service_unavailable', 'Switchboard is closing.')

function refuse(status: number, code: string, message: string): Response {
  const error = { code, message, request_id: 'window', retryable: status >= 500 }
  return Response.json({ error }, { status, headers: COMMON_HEADERS })
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
