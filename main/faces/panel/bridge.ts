import type { FastifyInstance } from 'fastify'
import { errorBody } from '../../contract/errors.ts'
import { pathNotFound } from '../admission.ts'
import { callAs, type InProcessCaller } from '../in-process-caller.ts'
import { sliceRange, parseRange } from './range.ts'

export interface BridgeRequest {
  readonly method: string
  /** Path and query as the window asks, below /panel/. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly payload?: Buffer | NodeJS.ReadableStream | undefined
  /** Aborted when whoever asked does not listen any more. */
  readonly signal?: AbortSignal
}

export interface BridgeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  /** null where the answer has none: HEAD, 204, 304. Cancelling it reaches the handler. */
  readonly body: ReadableStream<Uint8Array> | null
}

export interface Bridge {
  /** Makes a request of the window through the door. Who asks stands beside the request, never in it. */
  ask(caller: InProcessCaller, request: BridgeRequest): Promise<BridgeAnswer>
  /** Resolves when all that was asked is answered, bodies apart; what is asked meanwhile included. */
  settled(): Promise<void>
  /** Ends every answer under way. */
  close(): void
}

/**
 * The way from the window into the door, in-process and streamed: in the browser's home behind /panel/v1/, in the
 * desktop app behind its protocol handler. `/panel/v1/…` is the operation `/v1/…`; what else lies below /panel/ is asked
 * as it is.
 */
export function createBridge(app: FastifyInstance): Bridge {
  const underWay = new Set<AbortController>()
  const unanswered = new Set<Promise<unknown>>()

  return {
    async ask(caller, { method, path, headers, payload, signal }) {
      const url = toInternalPath(path)
      if (url === undefined) return unknown(headers)
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
        // The await belongs inside: an injected request starts only when it is awaited, and would start as nobody.
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
        const range = method === 'GET' ? parseRange(headers['range'], whole) : undefined
        const chunks = answer.stream()
        if (isBare) {
          chunks.resume().once('error', () => {})
          end()
          return { ...whole, body: null }
        }
        const head = range === undefined ? whole : range.answer
        return { ...head, body: toReadableStream(range === undefined ? chunks : sliceRange(chunks, range), abort, end) }
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

/** @returns undefined for what does not lie below /panel/ once dots in the path are followed. */
function toInternalPath(path: string): string | undefined {
  if (!URL.canParse(path, 'http://inside')) return undefined
  const { pathname, search } = new URL(path, 'http://inside')
  if (pathname.startsWith('/panel/v1/')) return `${pathname.slice('/panel'.length)}${search}`
  return pathname.startsWith('/panel/') ? `${pathname}${search}` : undefined
}

/** All the window may say of itself. Never host, origin, cookie or authorization. */
const ALLOWED_HEADERS = [
  ...['accept', 'accept-language', 'content-type', 'range', 'if-range', 'if-none-match'],
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

/** They are about one connection, and the answer travels on another. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date'])

function responseHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OF_THE_CONNECTION.has(name)
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
        // Called off, by whoever asked or because the service stops.
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
