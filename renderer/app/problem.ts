import { isAccountFrozen } from '../../main/contract/account-refusals.ts'

interface ProblemDetails {
  readonly requestId?: string
  readonly isRetryable?: boolean
  readonly retryAfterSeconds?: number
  readonly challenge?: string
}

/** Why a request failed, in the service's own words. `status` 0: the service could not be reached. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly isRetryable: boolean
  /** When to try again, where the service says so. */
  readonly retryAfterSeconds: number | undefined
  /** How to sign in, where the service asks for it: its `WWW-Authenticate`. */
  readonly challenge: string | undefined

  constructor(status: number, code: string, message: string, more: ProblemDetails = {}) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.requestId = more.requestId
    this.isRetryable = more.isRetryable ?? false
    this.retryAfterSeconds = more.retryAfterSeconds
    this.challenge = more.challenge
  }
}

/** Turns anything thrown into a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(0, 'unexpected', error instanceof Error ? error.message : String(error))
}

interface ErrorBody {
  readonly error?: { code?: string; message?: string; request_id?: string; retryable?: boolean }
}

/** Reads the service's error shape from a response that may be something else entirely. */
export async function readProblem(response: Response): Promise<Problem> {
  // A proxy may have answered: anything but the error shape is shown by its status.
  const body = (await response.json().catch(() => ({}))) as ErrorBody | null
  const { code = 'unexpected', message = `${response.status} ${response.statusText}`, ...more } = body?.error ?? {}
  const challenge = response.headers.get('www-authenticate')
  const wait = Number(response.headers.get('retry-after') ?? NaN)
  return new Problem(response.status, isAccountFrozen(code, message) ? 'account_frozen' : code, message, {
    ...(more.request_id !== undefined && { requestId: more.request_id }),
    isRetryable: more.retryable ?? false,
    ...(Number.isFinite(wait) && { retryAfterSeconds: wait }),
    ...(challenge !== null && { challenge }),
  })
}
