interface CatalogueEntry {
  readonly status: number
  /** When the service answers with it, in one line; shown in the API reference. */
  readonly when: string
}

/** Every code the API can answer with. Spec: Errors; codes the spec does not show are our own. */
export const ERRORS = {
  validation_error: { status: 400, when: 'a field, parameter or header breaks its rule; the message names both' },
  invalid_json: { status: 400, when: 'the body is not JSON' },
  invalid_cursor: { status: 400, when: 'the cursor was altered or belongs to another list' },
  invalid_url: { status: 400, when: 'the address has the wrong scheme or does not lead to a public destination' },
  engine_mismatch: { status: 400, when: 'the operation does not exist for the engine of this instance' },
  confirmation_required: { status: 400, when: 'irreversible operation without confirm=true; nothing is done' },
  phone_mismatch: { status: 400, when: 'fusion of instances with different numbers' },
  unauthorized: { status: 401, when: 'the API key is missing, malformed, unknown, revoked or expired' },
  no_saved_card: { status: 402, when: 'purchase on an account without a saved card' },
  card_declined: { status: 402, when: 'the card was declined' },
  payment_action_required: { status: 402, when: 'the bank asks the card holder to confirm' },
  insufficient_scope: { status: 403, when: 'the key lacks the scope' },
  key_restricted: { status: 403, when: 'restricted key used for an account operation' },
  instance_restricted_key: { status: 403, when: 'restricted key used for account webhooks, deliveries or events' },
  forbidden_host: { status: 403, when: 'the Host header names an address this service does not answer for' },
  forbidden_origin: { status: 403, when: 'the request comes from a web page of another origin' },
  account_suspended: { status: 403, when: 'the account is suspended' },
  not_found: { status: 404, when: "unknown id or path, another account's, or outside the key's list" },
  method_not_allowed: { status: 405, when: 'the path exists, but not with this method' },
  external_ref_conflict: { status: 409, when: 'external_ref already used in the account' },
  not_ready: { status: 409, when: 'instance not connected' },
  idempotency_conflict: { status: 409, when: 'same Idempotency-Key with a different body' },
  idempotency_in_progress: { status: 409, when: 'same key still being processed; wait and retry' },
  already_fused: { status: 409, when: 'instance already fused' },
  ambiguous_instance: { status: 409, when: 'name matches more than one instance' },
  invalid_state: { status: 409, when: 'the resource is not in a state that allows this; the message says which' },
  no_free_slot: { status: 409, when: 'every instance slot of the plan is in use' },
  webhook_limit_reached: { status: 409, when: 'the account already has ten webhooks' },
  retry_limit_reached: { status: 409, when: 'five manual redeliveries were already made' },
  provider_key_missing: { status: 409, when: 'no key is stored for the AI provider' },
  call_permission_required: { status: 409, when: 'the person called has not given permission' },
  payload_too_large: { status: 413, when: 'the body is larger than the operation takes' },
  unsupported_media_type: { status: 415, when: 'the body is not application/json' },
  rate_limited: { status: 429, when: 'key rate limit exceeded; Retry-After says how long to wait' },
  headers_too_large: { status: 431, when: 'the request headers are larger than 16 KiB' },
  internal_error: { status: 500, when: 'a fault of the service; the request id finds its cause in the log' },
  upstream_unavailable: { status: 502, when: 'instance server unreachable; nothing was sent; safe to retry' },
  service_unavailable: { status: 503, when: 'the service is starting, stopping or at its limit' },
  storage_full: { status: 503, when: 'the disk is full' },
  sealed: { status: 503, when: 'the keychain is locked, so secrets cannot be read' },
  billing_unavailable: { status: 503, when: 'the payment provider is not configured or not reachable' },
  upstream_timeout: {
    status: 504,
    when: 'sending server did not answer; the message may have been sent; check status by idempotency_key before resending',
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof ERRORS

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

/** True when repeating the call makes sense: 429 and every 5xx (spec: Errors). */
export function isRetryable(code: ErrorCode): boolean {
  const { status } = ERRORS[code]
  return status === 429 || status >= 500
}

/**
 * The only error that reaches a caller as it is. Anything else thrown leaves as `internal_error`.
 * @param message for the person who must fix it: what, why, what next.
 * @param headers response headers that belong to it, such as Retry-After in seconds.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return ERRORS[this.code].status
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
