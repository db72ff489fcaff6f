import { ApiError, errorBody, ERROR_CODES, ERRORS, type ErrorCode } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { pascal } from './components.ts'
import type { ResponseEntry } from './document.ts'

const REQUEST_ID = 'req_01JQ5Z8T9V3X7K2M4N6P8R0S1T'

/** Headers of every answer, described once. */
export const HEADERS = {
  RequestId: {
    description: 'Id of this request: the one the caller sent in X-Request-Id, else one of ours. Quote it when asking.',
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  RateLimitLimit: {
    description: 'Requests this key may make in a minute.',
    schema: { type: 'integer', minimum: 0 },
    example: 600,
  },
  RateLimitRemaining: {
    description: 'Requests left at this moment.',
    schema: { type: 'integer', minimum: 0 },
    example: 599,
  },
  RetryAfter: {
    description: 'Seconds to wait before the call is repeated.',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  IdempotentReplayed: {
    description: '`true` when this is the stored answer to an earlier call with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  CacheControl: {
    description: 'Always `no-store`: the answer holds a credential.',
    schema: { type: 'string', enum: ['no-store'] },
    example: 'no-store',
  },
  WwwAuthenticate: {
    description: 'Always `Bearer`.',
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
} as const

const ref = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })

const EVERY_ANSWER = {
  'X-Request-Id': ref('RequestId'),
  'X-RateLimit-Limit': ref('RateLimitLimit'),
  'X-RateLimit-Remaining': ref('RateLimitRemaining'),
}

/** Headers of a success, beyond those of every answer, that the operation's contract promises. */
export function successHeaders(operation: Operation): Readonly<Record<string, unknown>> {
  return {
    ...EVERY_ANSWER,
    ...(operation.idempotencyKey === true && { 'Idempotent-Replayed': ref('IdempotentReplayed') }),
    ...(operation.noStore === true && { 'Cache-Control': ref('CacheControl') }),
  }
}

/** All error answers of an operation by status, each a reference: most operations share most of them. */
export function errorReferences(operation: Operation): Record<string, { $ref: string }> {
  return Object.fromEntries(
    byStatus(operation).map(({ status, codes }) => [status, { $ref: `#/components/responses/${nameOf(codes)}` }]),
  )
}

/** What the references of these operations lead to, as components/responses. */
export function errorResponses(operations: readonly Operation[]): Record<string, ResponseEntry> {
  const responses: Record<string, ResponseEntry> = {}
  for (const { status, codes } of operations.flatMap(byStatus))
    responses[nameOf(codes)] ??= errorResponse(status, codes)
  return Object.fromEntries(Object.entries(responses).toSorted(([a], [b]) => a.localeCompare(b, 'en')))
}

function byStatus(operation: Operation): { status: number; codes: ErrorCode[] }[] {
  const codes = errorCodes(operation)
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b)
  return statuses.map((status) => ({ status, codes: codes.filter((code) => ERRORS[code].status === status) }))
}

/** Any request can be refused with these, so they distinguish no answer from another. */
const FROM_ANYWHERE: readonly ErrorCode[] = ['forbidden_host', 'forbidden_origin']

/** `InsufficientScope`, `ValidationErrorInvalidJson`: an answer is named for what it can say. */
function nameOf(codes: readonly ErrorCode[]): string {
  const own = codes.filter((code) => !FROM_ANYWHERE.includes(code))
  return own.length === 0 ? 'Forbidden' : pascal(own.join('_'))
}

/** Every code the operation can answer with, in the order of the catalogue. */
function errorCodes(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([...doorCodes(operation), ...operation.errors])
  return ERROR_CODES.filter((code) => codes.has(code))
}

/** What the door itself can say to a caller of this operation, before the operation begins. */
function doorCodes({
  method,
  path,
  query,
  body,
  scope,
  reach,
  engine,
  confirm,
  idempotencyKey,
}: Operation): ErrorCode[] {
  const mayHaveBody = method !== 'GET'
  const applies: Partial<Record<ErrorCode, boolean>> = {
    validation_error: mayHaveBody || query !== undefined || body !== undefined,
    invalid_json: mayHaveBody,
    invalid_cursor: query?.properties['cursor'] !== undefined,
    engine_mismatch: engine !== undefined,
    confirmation_required: confirm !== undefined,
    unauthorized: true,
    insufficient_scope: scope !== null,
    key_restricted: reach === 'account',
    instance_restricted_key: reach === 'webhooks',
    forbidden_host: true,
    forbidden_origin: true,
    not_found: path.includes('{'),
    idempotency_conflict: idempotencyKey === true,
    idempotency_in_progress: idempotencyKey === true,
    payload_too_large: mayHaveBody,
    unsupported_media_type: mayHaveBody,
    rate_limited: true,
    headers_too_large: true,
    internal_error: true,
    service_unavailable: true,
    storage_full: mayHaveBody,
  }
  return ERROR_CODES.filter((code) => applies[code] === true)
}

const WITH_RETRY_AFTER: readonly ErrorCode[] = ['rate_limited', 'idempotency_in_progress', 'service_unavailable']

function errorResponse(status: number, codes: readonly ErrorCode[]): ResponseEntry {
  const mayWait = codes.some((code) => WITH_RETRY_AFTER.includes(code))
  return {
    description: codes.map((code) => `- \`${code}\`: ${ERRORS[code].when}.`).join('\n'),
    headers: {
      ...EVERY_ANSWER,
      ...(mayWait && { 'Retry-After': ref('RetryAfter') }),
      ...(status === 401 && { 'WWW-Authenticate': ref('WwwAuthenticate') }),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
    'x-error-codes': codes,
  }
}

/** One example for each code that some operation can answer with, as components/examples. */
export function errorExamples(operations: readonly Operation[]): Record<string, { value: unknown }> {
  const used = new Set(operations.flatMap(errorCodes))
  return Object.fromEntries(
    ERROR_CODES.filter((code) => used.has(code)).map((code) => [code, { value: exampleOf(code) }]),
  )
}

function exampleOf(code: ErrorCode): unknown {
  const { when } = ERRORS[code]
  return errorBody(new ApiError(code, `${when.charAt(0).toUpperCase()}${when.slice(1)}.`), REQUEST_ID)
}
