import type { AccountId } from '../../../kernel/ids.ts'
import type { Outbound, OutboundFailure } from '../../../outbound/outbound.ts'

/** The used parts of a request of the official client, whose HTTP client is axios. */
interface AxiosRequest {
  readonly baseURL?: string
  readonly url?: string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly headers?: { toJSON?(): Record<string, unknown> } & Readonly<Record<string, unknown>>
  readonly data?: unknown
}

/** Status for a missing answer, with the failure as its body. */
export const NO_ANSWER = 599

export interface NoAnswer {
  readonly outbound: Pick<OutboundFailure, 'stage' | 'code' | 'sent'>
}

/** Receives the headers of each answer. */
export type OnHeaders = (headers: Readonly<Record<string, string>>) => void

const TIMEOUT_MS = 20_000
const MAX_BODY_BYTES = 4 * 1024 * 1024
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/**
 * Sends the official client's requests over the service's own outbound, with its address guard and clock. The client
 * then follows no redirects and makes no retries.
 */
export function createHttpAdapter(outbound: Pick<Outbound, 'request'>, accountId: AccountId, onHeaders?: OnHeaders) {
  return async (config: AxiosRequest): Promise<unknown> => {
    const method = METHODS.find((one) => one === config.method?.toUpperCase())
    if (method === undefined) throw new TypeError(`The client of GoHighLevel uses the method ${config.method ?? ''}`)
    const answer = await outbound.request({
      url: urlOf(config),
      method,
      headers: headersOf(config),
      ...(config.data !== undefined && config.data !== null && { body: bodyOf(config.data) }),
      headersTimeoutMs: TIMEOUT_MS,
      bodyTimeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_BODY_BYTES,
      from: { accountId },
    })
    if (answer.kind === 'response' && answer.truncated)
      return fail(config, NO_ANSWER, { outbound: { stage: 'protocol', code: 'broken_off', sent: true } }, {})
    if (answer.kind === 'failure') {
      const { stage, code, sent } = answer
      return fail(config, NO_ANSWER, { outbound: { stage, code, sent } }, {})
    }
    const { status, headers, body } = answer
    onHeaders?.(headers)
    const text = body.toString()
    if (status < 200 || status >= 300) return fail(config, status, text, headers)
    return { data: text, status, statusText: '', headers, config }
  }
}

/** Like axios: the client turns it into its own error. */
function fail(config: AxiosRequest, status: number, data: unknown, headers: Readonly<Record<string, string>>): never {
  const response = { data, status, statusText: '', headers, config }
  throw Object.assign(new Error(`HTTP ${status}`), { isAxiosError: true, config, response })
}

function urlOf({ baseURL = '', url = '', params = {} }: AxiosRequest): string {
  const whole = new URL(`${baseURL}${url}`)
  for (const [name, value] of Object.entries(params))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      whole.searchParams.set(name, String(value))
  return whole.href
}

function headersOf({ headers }: AxiosRequest): Record<string, string> {
  const all = headers?.toJSON?.() ?? headers ?? {}
  const known = Object.entries(all).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  return Object.fromEntries(known.map(([name, value]) => [name.toLowerCase(), String(value)]))
}

function bodyOf(data: unknown): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Buffer.from(typeof data === 'string' ? data : JSON.stringify(data))
}
