import type { ERROR_REASONS, ErrorDetail, ErrorReason, ReasonParams } from './error-reasons.ts'

interface CatalogueEntry {
  readonly status: number
  /** When the service returns it, in one line. Shown in the API reference. */
  readonly when: string
}

/** Every error code of the API. Spec: Errors; codes the spec does not list are our own. */
export const ERRORS = {
  validation_error: {
    status: 400,
    when: 'a field, parameter or header is not valid; the message names it and the rule',
  },
  invalid_json: { status: 400, when: 'the body is not valid JSON' },
  invalid_cursor: { status: 400, when: 'the cursor was altered or belongs to another list' },
  invalid_url: { status: 400, when: 'the URL has the wrong scheme or does not lead to a public address' },
  engine_mismatch: { status: 400, when: 'the engine of this instance does not support the operation' },
  confirmation_required: {
    status: 400,
    when: 'the operation cannot be undone and confirm=true is missing; nothing was done',
  },
  phone_mismatch: { status: 400, when: 'the two instances have different numbers' },
  unauthorized: { status: 401, when: 'the API key is missing, malformed, unknown, revoked or expired' },
  no_saved_card: { status: 402, when: 'the account has no saved card to charge' },
  card_declined: { status: 402, when: 'the card was declined' },
  payment_action_required: { status: 402, when: 'the bank requires the cardholder to confirm the payment' },
  insufficient_scope: { status: 403, when: 'the key does not have the required scope' },
  key_restricted: { status: 403, when: 'a key restricted to certain instances was used for an account operation' },
  instance_restricted_key: {
    status: 403,
    when: 'a key restricted to certain instances was used for account webhooks, deliveries or events',
  },
  forbidden_host: { status: 403, when: 'the Host header names a host this service does not accept' },
  forbidden_origin: { status: 403, when: 'the request comes from a web page on another origin' },
  account_suspended: { status: 403, when: 'the account is suspended' },
  not_found: {
    status: 404,
    when: "the id or path does not exist, belongs to another account, or is outside the key's instance list",
  },
  method_not_allowed: { status: 405, when: 'the path exists, but not with this method' },
  external_ref_conflict: { status: 409, when: 'another instance of the account already uses this external_ref' },
  not_ready: { status: 409, when: 'the instance is not connected' },
  idempotency_conflict: { status: 409, when: 'the Idempotency-Key was already used with a different body' },
  idempotency_in_progress: {
    status: 409,
    when: 'a request with this Idempotency-Key is still being processed; wait and retry',
  },
  already_fused: { status: 409, when: 'the instance is already fused' },
  ambiguous_instance: { status: 409, when: 'the name matches more than one instance' },
  invalid_state: { status: 409, when: 'the current state of the resource does not allow this; the message says why' },
  no_free_slot: { status: 409, when: 'all instance slots of the plan are in use' },
  webhook_limit_reached: { status: 409, when: 'the account already has ten webhooks' },
  retry_limit_reached: { status: 409, when: 'the delivery was already redelivered manually five times' },
  provider_key_missing: { status: 409, when: 'no API key is stored for the AI provider' },
  call_permission_required: { status: 409, when: 'the person has not given permission to be called' },
  payload_too_large: { status: 413, when: 'the body is larger than the operation accepts' },
  unsupported_media_type: { status: 415, when: 'the Content-Type is not application/json, or the body is compressed' },
  range_not_satisfiable: {
    status: 416,
    when: 'the range begins behind the end of the file; Content-Range has its size',
  },
  rate_limited: { status: 429, when: 'the key exceeded its rate limit; Retry-After says how long to wait' },
  headers_too_large: { status: 431, when: 'the request headers are larger than 16 KiB' },
  internal_error: { status: 500, when: 'an unexpected error in the service; look up the request id in its log' },
  upstream_unavailable: {
    status: 502,
    when: 'the instance server is unreachable; nothing was sent, so it is safe to retry',
  },
  service_unavailable: { status: 503, when: 'the service is starting, stopping or at its limit' },
  storage_full: { status: 503, when: 'the disk is full' },
  sealed: { status: 503, when: 'the keychain is locked, so secrets cannot be read' },
  billing_unavailable: { status: 503, when: 'the payment provider is not configured or cannot be reached' },
  upstream_timeout: {
    status: 504,
    when: 'the sending server did not respond; the message may have been sent, so check its status by idempotency_key before you resend',
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof ERRORS

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

/** Whether this version knows it: another version may have more. */
export const isErrorCode = (code: unknown): code is ErrorCode => ERROR_CODES.some((known) => known === code)

/** True when repeating the call makes sense: 429 and every 5xx (spec: Errors). */
export function isRetryable(code: ErrorCode): boolean {
  const { status } = ERRORS[code]
  return status === 429 || status >= 500
}

/**
 * The only error that reaches a caller unchanged. Anything else thrown becomes `internal_error`.
 * @param message for the person who must fix it: what is wrong, then what to do.
 * @param headers extra response headers, such as Retry-After in seconds.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>
  detail: ErrorDetail | undefined

  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  /** Adds the reason for the console, which shows it in the language of the window. @returns itself */
  because<R extends ErrorReason>(
    reason: R,
    ...[params]: (typeof ERROR_REASONS)[R] extends readonly [] ? [] : [ReasonParams<R>]
  ): this {
    this.detail = { reason, params: params ?? {} }
    return this
  }
}

/** Body of every error (spec: Errors). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; request_id: string; retryable: boolean }
}

export function errorBody(error: ApiError, requestId: string): ErrorBody {
  return {
    error: { code: error.code, message: error.message, request_id: requestId, retryable: isRetryable(error.code) },
  }
}

/** Body of every error for the console, with the data for a text in the window's language. */
export function consoleErrorBody(error: ApiError, requestId: string): ConsoleErrorBody {
  const { error: body } = errorBody(error, requestId)
  return { error: { ...body, ...(error.detail !== undefined && { detail: error.detail }) } }
}

export interface ConsoleErrorBody {
  error: ErrorBody['error'] & { detail?: ErrorDetail }
}
