import type { Outbound, OutboundAnswer } from '../../outbound/outbound.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Secret } from '../../kernel/secret.ts'
import { readError, type GraphError } from './errors.ts'
import { parseRecord, type Json } from './json.ts'

/** One request to Graph. */
export interface GraphCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The path after the version, without a leading slash: `106540352242922/messages`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** null for an endpoint that needs no token. */
  readonly token: Secret | null
  /** The scheme of the Authorization header. Only uploads need `OAuth`. Default: `Bearer`. */
  readonly scheme?: 'Bearer' | 'OAuth'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly bytes: Buffer }
  readonly accountId: AccountId
  /** The Graph version of the number; null for the version of the service, as in calls without a number. */
  readonly version: string | null
  readonly signal?: AbortSignal
  /** Runs before the first byte is sent; if it fails, nothing is sent. */
  readonly beforeFirstByte?: () => Promise<void>
  readonly timeoutMs?: number
}

/** The outcome of a request. `unreached` and `lost` decide how a send is answered. */
export type GraphReply =
  | { readonly kind: 'ok'; readonly body: Json }
  | {
      readonly kind: 'error'
      readonly error: GraphError
      readonly status: number
      readonly retryAfterSeconds: number | null
    }
  /** No byte left this machine. */
  | { readonly kind: 'unreached'; readonly code: string }
  /** The request may have arrived: no answer, half an answer, or one that is not from Graph. */
  | { readonly kind: 'lost'; readonly code: string }

interface GraphFile {
  readonly mimeType: string
  readonly bytes: Buffer
}

export interface GraphClient {
  ask(call: GraphCall): Promise<GraphReply>
  /**
   * Downloads a file from a URL that Graph returned. @throws Error when the URL is not Meta's, or the download fails.
   */
  fetch(url: string, token: Secret, accountId: AccountId, mostBytes: number): Promise<GraphFile>
}

const ASK_MS = 20_000
const BODY_MS = 10_000
const FILE_MS = 60_000
/** Far larger than any list page that is requested. */
const ANSWER_BYTES = 4 * 1024 * 1024

/** Hosts of Meta's files; `outbound/` sends a token to no other host. */
export const MEDIA_ZONES = ['.fbsbx.com', '.fbcdn.net', '.facebook.com', '.whatsapp.net'] as const

/**
 * Graph over HTTP. Uses `outbound/` instead of a client library for three reasons: only `outbound/` reports whether a
 * byte of the request was sent, which a send must know; it checks the peer and a list of hosts before it sends a
 * token; and the libraries tried rename the keys of raw payloads.
 */
export function createGraphClient(needs: {
  readonly outbound: Pick<Outbound, 'request'>
  /** Without a trailing slash. */
  readonly baseUrl: () => string
  /** For example `v26.0`. */
  readonly defaultVersion: string
}): GraphClient {
  const { outbound, baseUrl, defaultVersion } = needs

  return {
    async ask({ method, path, query, token, scheme = 'Bearer', body, accountId, timeoutMs = ASK_MS, ...more }) {
      const { version, headers, signal, beforeFirstByte } = more
      const url = new URL(`${baseUrl()}/${version ?? defaultVersion}/${path}`)
      for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
      const answer = await outbound.request({
        url: url.href,
        method,
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `${scheme} ${token.open()}` }),
          ...headers,
          ...(body && { 'content-type': body.type }),
        },
        ...(body && { body: body.bytes }),
        ...(signal && { signal }),
        ...(beforeFirstByte && { beforeFirstByte }),
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: BODY_MS,
        maxBodyBytes: ANSWER_BYTES,
        from: { accountId },
      })
      return replyOf(answer)
    },

    async fetch(url, token, accountId, mostBytes) {
      const answer = await outbound.request({
        url,
        method: 'GET',
        headers: { accept: '*/*', authorization: `Bearer ${token.open()}` },
        bodyTimeoutMs: FILE_MS,
        maxBodyBytes: mostBytes,
        from: { accountId },
      })
      if (answer.kind === 'failure') throw new Error(`the file of a message cannot be fetched (${answer.code})`)
      if (answer.status !== 200 || answer.truncated) {
        throw new Error(`the file of a message was not given whole (${answer.status})`)
      }
      const [mimeType = ''] = (answer.headers['content-type'] ?? '').split(';', 1)
      return { mimeType: mimeType.trim().toLowerCase() || 'application/octet-stream', bytes: answer.body }
    },
  }
}

function replyOf(answer: OutboundAnswer): GraphReply {
  if (answer.kind === 'failure') return { kind: answer.sent ? 'lost' : 'unreached', code: answer.code }
  const body = answer.truncated ? undefined : parseRecord(answer.body)
  const error = body && readError(body)
  if (error) return { kind: 'error', error, status: answer.status, retryAfterSeconds: retryAfter(answer.headers) }
  if (body && answer.status >= 200 && answer.status < 300) return { kind: 'ok', body }
  return { kind: 'lost', code: `http_${answer.status}` }
}

function retryAfter(headers: Readonly<Record<string, string>>): number | null {
  const said = headers['retry-after'] ?? ''
  return /^\d{1,5}$/.test(said) ? Number(said) : null
}
