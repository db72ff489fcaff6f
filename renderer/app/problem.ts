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
 * Why a request failed. Its `message` is for developers, in English: `problem-text.ts` has the words for a person.
 * `status` 0: there was no answer.
 */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly isRetryable: boolean
  /** When to try again, where the service says so. */
  readonly retryAfterSeconds: number | undefined
  /** How to sign in, where the service asks for it: its `WWW-Authenticate`. */
  readonly challenge: string | undefined
  /** The operation that was called. */
  readonly operation: string | undefined
  /** What was wrong exactly, where the service says so. */
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

/** Turns anything thrown into a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(0, 'window', error instanceof Error ? error.message : String(error))
}

interface ErrorBody {
  readonly error?: { code?: string; message?: string; request_id?: string; retryable?: boolean; detail?: ErrorDetail }
}

/**
 * Reads the service's error shape from a response that may be something else entirely.
 * @param operation that was called, if it has a name
 */
export async function readProblem(response: Response, operation?: string): Promise<Problem> {
  // A proxy may have answered: anything but the error shape is shown by its status.
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

/** A reason that came in another answer than an error. */
export const toDetail = (reason: string | number | undefined, params: ErrorDetail['params']): ErrorDetail | undefined =>
  reason === undefined ? undefined : { reason: reason as ErrorDetail['reason'], params }

/**
 * A frozen account is a matter of its own: it meets every screen that sends, calls or spends. And what may be done
 * already is not in progress.
 */
const codeOf = (code: string, detail: ErrorDetail | undefined): string =>
  detail?.reason === 'account_frozen' || detail?.reason === 'outcome_unknown' ? detail.reason : code
