import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Clock } from '../kernel/clock.ts'
import { startTimeout } from '../kernel/timeout.ts'
import type { ExchangeLimits, OutboundAnswer } from './exchange.ts'
import type { AccountId } from '../kernel/ids.ts'

/** Answers a name of the simulated network. If it takes longer than the request's limit, the request times out. */
export type Responder = (request: SimulatedRequest) => Promise<OutboundAnswer>

export interface SimulatedRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly accountId: AccountId
}

interface ResponderCall {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | Readable
  readonly signal: AbortSignal
  readonly from: { readonly accountId: AccountId }
}

/** Calls a responder with the limits of an external receiver. */
export async function callResponder(
  responder: Responder,
  { url, method, headers, body, signal, from }: ResponderCall,
  { clock, headersTimeoutMs, maxBodyBytes }: ExchangeLimits & { clock: Clock },
): Promise<OutboundAnswer> {
  const asked = new URL(url)
  const { promise: ended, resolve: end } = Promise.withResolvers<OutboundAnswer>()
  const late = failure(
    'timeout',
    'headers_timeout',
    `${asked.host} did not answer within ${headersTimeoutMs / 1_000} s.`,
  )
  const abort = () => end(failure('protocol', 'aborted', 'The request was cancelled.'))
  const limit = startTimeout(clock, headersTimeoutMs, () => end(late))
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    const request = { url: asked, method, headers, body: await bytesOf(body), accountId: from.accountId }
    return cut(await Promise.race([responder(request), ended]), maxBodyBytes)
  } catch {
    return failure('protocol', 'responder_failed', `${asked.host} could not answer.`)
  } finally {
    limit.cancel()
    signal.removeEventListener('abort', abort)
  }
}

const bytesOf = (body: Buffer | Readable = Buffer.alloc(0)) => (Buffer.isBuffer(body) ? body : buffer(body))

function cut(answer: OutboundAnswer, maxBodyBytes: number): OutboundAnswer {
  if (answer.kind === 'failure' || answer.body.length <= maxBodyBytes) return answer
  return { ...answer, body: answer.body.subarray(0, maxBodyBytes), truncated: true }
}

const failure = (stage: 'timeout' | 'protocol', code: string, message: string): OutboundAnswer => ({
  kind: 'failure',
  stage,
  code,
  message,
  sent: true,
})
