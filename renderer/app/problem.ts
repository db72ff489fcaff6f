interface ProblemDetails {
  readonly requestId?: string
  readonly isRetryable?: boolean
  readonly retryAfterSeconds?: number
}

/** Why a request did not do what was asked, in the service's own words. `status` 0: the service was not reached. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly isRetryable: boolean
  /** When it may be tried again, where the service says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string, message: string, more: ProblemDetails = {}) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.requestId = more.requestId
    this.isRetryable = more.isRetryable ?? false
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/** Anything that was thrown, as a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(0, 'unexpected', error instanceof Error ? error.message : String(error))
}

interface ErrorBody {
  readonly error?: { code?: string; message?: string; request_id?: string; retryable?: boolean }
}

/** The error shape of the service, read from an answer that may be something else altogether. */
export async function readProblem(response: Response): Promise<Problem> {
  // Any server may stand between; what is not the error shape is shown by its status.
  const body = (await response.json().catch(() => ({}))) as ErrorBody | null
  const { code = 'unexpected', message = `${response.status} ${response.statusText}`, ...more } = body?.error ?? {}
  const wait = Number(response.headers.get('retry-after') ?? NaN)
  return new Problem(response.status, code, message, {
    ...(more.request_id !== undefined && { requestId: more.request_id }),
    isRetryable: more.retryable ?? false,
    ...(Number.isFinite(wait) && { retryAfterSeconds: wait }),
  })
}
