import type { Outbound, OutboundAnswer } from '../../outbound/outbound.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Secret } from '../../kernel/secret.ts'
import { readError, type GraphError } from './errors.ts'
import { parseRecord, type Json } from './json.ts'

/** One question to Graph. */
export interface GraphCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** After the version, without a slash at its begin: `106540352242922/messages`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** null: an endpoint that is asked without a token. */
  readonly token: Secret | null
  /** How the token is named; only uploads want `OAuth`. Default: `Bearer`. */
  readonly scheme?: 'Bearer' | 'OAuth'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly bytes: Buffer }
  readonly accountId: AccountId
  /** The version that the number of the call speaks; null: that of the service, as for calls of no number. */
  readonly version: string | null
  readonly signal?: AbortSignal
  /** Runs before the first byte leaves; if it fails, nothing is sent. */
  readonly beforeFirstByte?: () => Promise<void>
  readonly timeoutMs?: number
}

/** The outcome of a request. The send decides by `unreached` and `lost` what to answer. */
export type GraphReply =
  | { readonly kind: 'ok'; readonly body: Json }
  | {
      readonly kind: 'error'
      readonly error: GraphError
      readonly status: number
      readonly retryAfterSeconds: number | null
    }
  /** It is certain that no byte left this machine. */
  | { readonly kind: 'unreached'; readonly code: string }
  /** It may have arrived: no answer, half of one, or one that is not Graph's. */
  | { readonly kind: 'lost'; readonly code: string }

interface GraphFile {
  readonly mimeType: string
  readonly bytes: Buffer
}

export interface GraphClient {
  ask(call: GraphCall): Promise<GraphReply>
  /** A file at an address that Graph handed out. @throws Error when the address is not Meta's, or it cannot be had. */
  fetch(url: string, token: Secret, accountId: AccountId, mostBytes: number): Promise<GraphFile>
}

const ASK_MS = 20_000
const BODY_MS = 10_000
const FILE_MS = 60_000
/** Far more than any list page that is asked for. */
const ANSWER_BYTES = 4 * 1024 * 1024

/** Where Meta keeps the files it hands addresses of; `outbound/` reaches nothing else with a token. */
export const MEDIA_ZONES = ['.fbsbx.com', '.fbcdn.net', '.facebook.com', '.whatsapp.net'] as const

/**
 * Graph over HTTP. Written on `outbound/` and not on a client library, because that alone says whether a byte of
 * a request has left, which is what a send must know; because it checks the peer and a list of hosts before a token
 * leaves; and because the libraries looked at rewrite the keys of raw payloads.
 */
export function createGraphClient(needs: {
  readonly outbound: Pick<Outbound, 'request'>
  /** Without a slash at its end. */
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
