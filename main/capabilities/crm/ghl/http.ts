import type { AccountId } from '../../../kernel/ids.ts'
import type { Outbound, OutboundFailure } from '../../../outbound/outbound.ts'

/** A call that GoHighLevel refused, or did not answer. */
export class GhlFailure extends Error {
  /** The HTTP status; null without an answer. */
  readonly status: number | null
  /** Whether the request may have reached GoHighLevel. */
  readonly wasSent: boolean
  readonly headers: Readonly<Record<string, string>>

  /** @param message what GoHighLevel said. Only the person who connected the CRM sees it. */
  constructor(
    message: string,
    status: number | null,
    { wasSent = true, headers = {} }: { wasSent?: boolean; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.name = 'GhlFailure'
    this.status = status
    this.wasSent = wasSent
    this.headers = headers
  }
}

/** Receives the headers of each answer. */
export type OnHeaders = (headers: Readonly<Record<string, string>>) => void

/** Where requests go, and for whom. */
export interface GhlTarget {
  /** Without a trailing slash. */
  readonly apiUrl: () => Promise<string>
  readonly outbound: Pick<Outbound, 'request'>
  readonly accountId: AccountId
  /** Sent as `Authorization: Bearer`; null for the token endpoint. */
  readonly token: string | null
  readonly onHeaders?: OnHeaders | undefined
}

export interface GhlRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: { readonly contentType: string; readonly bytes: Buffer }
}

const VERSION = '2023-02-21'
const TIMEOUT_MS = 20_000
const MAX_BODY_BYTES = 4 * 1024 * 1024

/**
 * Sends a request over the service's own outbound, with its address guard and clock. It follows no redirects and makes
 * no retries.
 * @returns the parsed answer; undefined for an empty one.
 * @throws GhlFailure for any status but 2xx, and without an answer.
 */
export async function requestGhl(
  { apiUrl, outbound, accountId, token, onHeaders }: GhlTarget,
  { method, path, query = {}, body }: GhlRequest,
): Promise<unknown> {
  const url = new URL(`${await apiUrl()}${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  const answer = await outbound.request({
    url: url.href,
    method,
    headers: {
      accept: 'application/json',
      version: VERSION,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': body.contentType }),
    },
    ...(body && { body: body.bytes }),
    headersTimeoutMs: TIMEOUT_MS,
    bodyTimeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    from: { accountId },
  })
  if (answer.kind === 'failure') throw unanswered(answer)
  if (answer.truncated) throw new GhlFailure('The answer broke off or is too long.', null)
  const { status, headers } = answer
  onHeaders?.(headers)
  const parsed = parse(answer.body.toString())
  if (status < 200 || status >= 300) throw new GhlFailure(messageIn(parsed) ?? `HTTP ${status}`, status, { headers })
  return parsed
}

export const jsonBody = (value: unknown) => ({
  contentType: 'application/json',
  bytes: Buffer.from(JSON.stringify(value)),
})

export const formBody = (fields: Readonly<Record<string, string>>) => ({
  contentType: 'application/x-www-form-urlencoded',
  bytes: Buffer.from(new URLSearchParams(fields).toString()),
})

const unanswered = ({ code, sent }: Pick<OutboundFailure, 'code' | 'sent'>) =>
  new GhlFailure(`No answer: ${code}`, null, { wasSent: sent })

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** GoHighLevel's errors have their sentence, or several, in one of these fields. */
function messageIn(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  if (typeof body !== 'object' || body === null) return undefined
  const { message, error, detail } = body as Readonly<Record<string, unknown>>
  for (const said of [message, error, detail]) {
    if (typeof said === 'string' && said !== '') return said
    if (Array.isArray(said)) return said.join(', ')
    if (typeof said === 'object' && said !== null) return JSON.stringify(said)
  }
  return undefined
}
