import { isClosedWhenFrozen, isClosedWhenSuspended } from '../../contract/effects.ts'
import { ApiError, errorBody, ERROR_CODES, ERRORS, type ErrorCode } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { pascal } from './components.ts'
import type { ResponseEntry } from './document.ts'

const REQUEST_ID = 'req_01JQ5Z8T9V3X7K2M4N6P8R0S1T'

/** Response headers, as components/headers. */
export const HEADERS = {
  RequestId: {
    description:
      'Id of this request: the X-Request-Id you sent, or a generated one. Include it when you ask for support.',
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  RateLimitLimit: {
    description: 'Requests this key may make per minute.',
    schema: { type: 'integer', minimum: 0 },
    example: 600,
  },
  RateLimitRemaining: {
    description: 'Requests left right now.',
    schema: { type: 'integer', minimum: 0 },
    example: 599,
  },
  RetryAfter: {
    description: 'Seconds to wait before you retry.',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  IdempotentReplayed: {
    description: '`true` if this is the stored response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  CacheControl: {
    description: 'Always `no-store`: the response contains a credential.',
    schema: { type: 'string', enum: ['no-store'] },
    example: 'no-store',
  },
  AcceptRanges: {
    description: 'Always `bytes`: parts of the file can be requested with `Range`.',
    schema: { type: 'string', enum: ['bytes'] },
    example: 'bytes',
  },
  ContentRange: {
    description: 'The part of the file in this response, and the size of the file.',
    schema: { type: 'string' },
    example: 'bytes 0-1023/146515',
  },
  ETag: {
    description: 'Changes with the content of the file. Send it as `If-None-Match` or `If-Range`.',
    schema: { type: 'string' },
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  },
  WwwAuthenticate: {
    description: 'Always `Bearer`.',
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
} as const

const ref = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })

const COMMON_HEADERS = {
  'X-Request-Id': ref('RequestId'),
  'X-RateLimit-Limit': ref('RateLimitLimit'),
  'X-RateLimit-Remaining': ref('RateLimitRemaining'),
}

/** Headers of a successful response, according to the contract. */
export function successHeaders(operation: Operation): Readonly<Record<string, unknown>> {
  return {
    ...COMMON_HEADERS,
    ...(operation.idempotencyKey === true && { 'Idempotent-Replayed': ref('IdempotentReplayed') }),
    ...(operation.noStore === true && { 'Cache-Control': ref('CacheControl') }),
    ...(operation.reply.file === true && { 'Accept-Ranges': ref('AcceptRanges'), ETag: ref('ETag') }),
  }
}

/** Other responses of operations that return a file. */
export function fileResponses(operation: Operation, content: NonNullable<ResponseEntry['content']>) {
  const headers = successHeaders(operation)
  return {
    206: {
      description: 'The requested part of the file.',
      headers: { ...headers, 'Content-Range': ref('ContentRange') },
      content,
    },
    304: {
      description: 'The file is the one you have: its ETag matches `If-None-Match`.',
      headers: { ...COMMON_HEADERS, ETag: ref('ETag') },
    },
  } satisfies Record<number, ResponseEntry>
}

/** The error responses of an operation by status, as references: most operations share most of them. */
export function errorReferences(operation: Operation): Record<string, { $ref: string }> {
  return Object.fromEntries(
    byStatus(operation).map(({ status, codes }) => [status, { $ref: `#/components/responses/${nameOf(codes)}` }]),
  )
}

/** The error responses of these operations, as components/responses. */
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

/** Every request can get these, so they are left out of the names of responses. */
const COMMON_CODES: readonly ErrorCode[] = ['forbidden_host', 'forbidden_origin']

/** Names a response after its codes: `InsufficientScope`, `ValidationErrorInvalidJson`. */
function nameOf(codes: readonly ErrorCode[]): string {
  const own = codes.filter((code) => !COMMON_CODES.includes(code))
  return own.length === 0 ? 'Forbidden' : pascal(own.join('_'))
}

/** Every error code of the operation, in the order of the catalogue. */
function errorCodes(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([...doorCodes(operation), ...operation.errors])
  return ERROR_CODES.filter((code) => codes.has(code))
}

/** Error codes of the checks that run before the operation. */
function doorCodes(operation: Operation): ErrorCode[] {
  const { method, path, query, body, bodyFile, scope, reach, engine, confirm, idempotencyKey, reply } = operation
  const mayHaveBody = method !== 'GET'
  const applies: Partial<Record<ErrorCode, boolean>> = {
    validation_error: mayHaveBody || query !== undefined || body !== undefined,
    invalid_json: mayHaveBody && bodyFile === undefined,
    invalid_cursor: query?.properties['cursor'] !== undefined,
    engine_mismatch: engine !== undefined,
    confirmation_required: confirm !== undefined,
    unauthorized: true,
    insufficient_scope: scope !== null,
    account_suspended: isClosedWhenSuspended(operation),
    invalid_state: isClosedWhenFrozen(operation),
    key_restricted: reach === 'account',
    instance_restricted_key: reach === 'webhooks',
    forbidden_host: true,
    forbidden_origin: true,
    not_found: path.includes('{'),
    idempotency_conflict: idempotencyKey === true,
    idempotency_in_progress: idempotencyKey === true,
    payload_too_large: mayHaveBody,
    unsupported_media_type: mayHaveBody,
    range_not_satisfiable: reply.file === true,
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
      ...COMMON_HEADERS,
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

/** One example per error code in use, as components/examples. */
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
