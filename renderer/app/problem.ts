import type { ErrorDetail } from '../../main/contract/error-reasons.ts'

interface ProblemDetails {
  readonly requestId?: string
  readonly isRetryable?: boolean
  readonly retryAfterSeconds?: number
  readonly challenge?: string
  readonly operation?: string
  readonly detail?: ErrorDetail
}

/**
 * Why a request failed. Its `message` is English, for developers; `problem-text.ts` has the texts for people.
 * `status` 0: there was no answer.
 */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly isRetryable: boolean
  /** When to retry, if the service says so. */
  readonly retryAfterSeconds: number | undefined
  /** How to sign in, if the service asks for it: its `WWW-Authenticate`. */
  readonly challenge: string | undefined
  /** The operation that was called. */
  readonly operation: string | undefined
  /** The exact reason, if the service gives one. */
  readonly detail: ErrorDetail | undefined
  /** When the request failed. */
  readonly atMs = Date.now()

  constructor(status: number, code: string, message: string, more: ProblemDetails = {}) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.requestId = more.requestId
    this.isRetryable = more.isRetryable ?? false
    this.retryAfterSeconds = more.retryAfterSeconds
    this.challenge = more.challenge
    this.operation = more.operation
    this.detail = more.detail
  }
}

/** Turns any thrown value into a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(0, 'window', error instanceof Error ? error.message : String(error))
}

interface ErrorBody {
  readonly error?: { code?: string; message?: string; request_id?: string; retryable?: boolean; detail?: ErrorDetail }
}

/**
 * Reads an error from a response that may have any content.
 * @param operation the called operation, if it has a name
 */
export async function readProblem(response: Response, operation?: string): Promise<Problem> {
  // A proxy may have answered: an unknown body is shown by its status.
  const body = (await response.json().catch(() => ({}))) as ErrorBody | null
  const { code = 'unexpected', message = `${response.status} ${response.statusText}`, ...more } = body?.error ?? {}
  const challenge = response.headers.get('www-authenticate')
  const wait = Number(response.headers.get('retry-after') ?? NaN)
  return new Problem(response.status, codeOf(code, more.detail), message, {
    ...(more.request_id !== undefined && { requestId: more.request_id }),
    isRetryable: more.retryable ?? false,
    ...(Number.isFinite(wait) && { retryAfterSeconds: wait }),
    ...(challenge !== null && { challenge }),
    ...(operation !== undefined && { operation }),
    ...(more.detail && { detail: more.detail }),
  })
}

/** A reason from an answer other than an error. */
export const toDetail = (reason: string | number | undefined, params: ErrorDetail['params']): ErrorDetail | undefined =>
  reason === undefined ? undefined : { reason: reason as ErrorDetail['reason'], params }

/**
 * A frozen account gets its own text, because it affects every screen that sends, calls or spends. An action that was
 * already done is not in progress.
 */
const codeOf = (code: string, detail: ErrorDetail | undefined): string =>
  detail?.reason === 'account_frozen' || detail?.reason === 'outcome_unknown' ? detail.reason : code
