import type { FastifyInstance } from 'fastify'
import { errorBody } from '../../contract/errors.ts'
import type { Principal } from '../../kernel/access.ts'
import { pathNotFound } from '../admission.ts'
import { callAs, type InProcessCaller } from '../in-process-caller.ts'

export interface BridgeRequest {
  readonly method: string
  /** Path and query below /panel/, as requested by the window. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly payload?: Buffer | NodeJS.ReadableStream | undefined
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal
}

export interface BridgeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  /** null for HEAD, 204 and 304. Cancelling it aborts the request. */
  readonly body: ReadableStream<Uint8Array> | null
}

export interface Bridge {
  /**
   * Sends a request of the window through the request pipeline (`faces/http.ts`). The caller is passed separately,
   * never in the request.
   */
  ask(caller: InProcessCaller, request: BridgeRequest): Promise<BridgeAnswer>
  /** Resolves when every request is answered, including new ones. Does not wait for bodies. */
  settled(): Promise<void>
  /** Aborts all open requests. */
  close(): void
}

/**
 * Passes requests of the window to the request pipeline, in-process and streamed: from /panel/v1/ in a browser, from
 * the protocol handler in the desktop app. `/panel/v1/…` maps to `/v1/…`; other paths under /panel/ stay as they are.
 * An operator works in the account of a client under `/panel/accounts/{id}/…`.
 */
export function createBridge(app: FastifyInstance, actIn: ActIn): Bridge {
  const underWay = new Set<AbortController>()
  const unanswered = new Set<Promise<unknown>>()
  const callerIn = async (principal: Principal, accountId: string | null) =>
    accountId === null ? principal : actIn(principal, accountId)

  return {
    async ask(outer, { method, path, headers, payload, signal }) {
      const place = placeOf(path)
      const url = place && toInternalPath(place.path)
      const principal = place && (await callerIn(outer.principal, place.accountId))
      if (url === undefined || !principal) return unknown(headers)
      const caller = { ...outer, principal }
      const stop = new AbortController()
      const abort = () => stop.abort()
      if (signal?.aborted === true) abort()
      signal?.addEventListener('abort', abort, { once: true })
      underWay.add(stop)
      const end = () => {
        underWay.delete(stop)
        signal?.removeEventListener('abort', abort)
      }
      try {
        // Awaited inside callAs: an injected request starts only when it is awaited, and would otherwise have no caller.
        const answering = callAs(caller, async () =>
          app.inject({
            method: method as 'GET',
            url,
            headers: allowedHeaders(headers),
            ...(payload === undefined ? {} : { payload: payload as Buffer }),
            payloadAsStream: true,
            signal: stop.signal,
          }),
        )
        unanswered.add(answering)
        const answer = await answering.finally(() => unanswered.delete(answering))
        const isBare = method === 'HEAD' || [204, 205, 304].includes(answer.statusCode)
        const whole = { status: answer.statusCode, headers: responseHeaders(answer.headers) }
        const chunks = answer.stream()
        if (isBare) {
          chunks.resume().once('error', () => {})
          end()
          return { ...whole, body: null }
        }
        return { ...whole, body: toReadableStream(chunks, abort, end) }
      } catch (error) {
        end()
        throw error
      }
    },
    async settled() {
      while (unanswered.size > 0) await Promise.allSettled(unanswered)
    },
    close() {
      for (const stop of underWay) stop.abort()
    },
  }
}

/** The person as a principal of this account; undefined if they may not act in it, or it does not exist. */
export type ActIn = (principal: Principal, accountId: string) => Promise<Principal | undefined>

const IN_ACCOUNT = /^\/panel\/accounts\/([0-9a-f-]{36})(\/.*)$/i

/** `/panel/accounts/{id}/v1/…` is `/panel/v1/…` in the account with that id, including its events. */
function placeOf(path: string): { readonly path: string; readonly accountId: string | null } | undefined {
  if (!URL.canParse(path, 'http://inside')) return undefined
  const { pathname, search } = new URL(path, 'http://inside')
  if (!pathname.startsWith('/panel/accounts/')) return { path, accountId: null }
  const [, accountId = '', rest = ''] = IN_ACCOUNT.exec(pathname) ?? []
  // Allows only one account in a path.
  if (accountId === '' || rest.startsWith('/accounts/')) return undefined
  return { path: `/panel${rest}${search}`, accountId: accountId.toLowerCase() }
}

/** @returns undefined if the resolved path is not under /panel/. */
function toInternalPath(path: string): string | undefined {
  if (!URL.canParse(path, 'http://inside')) return undefined
  const { pathname, search } = new URL(path, 'http://inside')
  if (pathname.startsWith('/panel/v1/')) return `${pathname.slice('/panel'.length)}${search}`
  return pathname.startsWith('/panel/') ? `${pathname}${search}` : undefined
}

/** Request headers the window may set. Never host, origin, cookie or authorization. */
const ALLOWED_HEADERS = [
  ...[
    'accept',
    'accept-language',
    'content-type',
    'content-length',
    'transfer-encoding',
    'range',
    'if-range',
    'if-none-match',
  ],
  ...['idempotency-key', 'last-event-id', 'x-request-id'],
]

function allowedHeaders(headers: BridgeRequest['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    ALLOWED_HEADERS.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

/** Hop-by-hop headers, which do not apply to the connection of the window. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date'])

function responseHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name)
        ? []
        : [[name, Array.isArray(value) ? value.map(String) : String(value as string | number)] as const],
    ),
  )
}

function toReadableStream(
  source: AsyncIterable<Uint8Array>,
  abort: () => void,
  end: () => void,
): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await chunks.next()
        if (next.done !== true) return controller.enqueue(new Uint8Array(next.value))
        end()
        controller.close()
      } catch (error) {
        // Aborted by the client or because the service is stopping.
        end()
        controller.error(error)
      }
    },
    cancel() {
      abort()
      end()
    },
  })
}

function unknown(headers: BridgeRequest['headers']): BridgeAnswer {
  const error = pathNotFound()
  const body = JSON.stringify(errorBody(error, String(headers['x-request-id'] ?? 'none')))
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': String(Buffer.byteLength(body)) },
    body: new Blob([body]).stream(),
  }
}
