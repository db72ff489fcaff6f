import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError } from 'fastify'
import { ApiError, errorBody } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { StorageError } from '../kernel/db.ts'
import { isDiskFull } from '../kernel/durable-file.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

const MB = 1024 * 1024

/** Our errors for framework errors on requests that never reach a handler. @param bodyLimit of the route, in bytes */
const FRAMEWORK: Record<string, (bodyLimit: number) => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (bodyLimit) =>
    new ApiError(
      'payload_too_large',
      `The body is larger than ${bodyLimit < MB ? `${bodyLimit / 1024} kB` : `${bodyLimit / MB} MB`}.`,
    ),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new ApiError('invalid_json', 'The body is not valid JSON.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError('validation_error', 'The length of the body does not match Content-Length.'),
  FST_ERR_BAD_URL: () => new ApiError('not_found', 'This path does not exist: it is not valid percent-encoding.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('not_found', 'This path does not exist: an id in it is too long.'),
}

const STORAGE = {
  full: () =>
    new ApiError(
      'storage_full',
      'The disk of the service is full, so nothing was stored. Free some space, then repeat the call.',
    ),
  unknown: () =>
    new ApiError(
      'service_unavailable',
      'The storage of the service failed during this call, so it may have taken effect. Read the resource before you repeat the call.',
    ).because('storage_unknown'),
  read_only: () =>
    new ApiError(
      'service_unavailable',
      'The disk of the service failed, so nothing was stored. Only reads work until it recovers; try again later.',
    ).because('storage_failed'),
  unreachable: () =>
    new ApiError(
      'service_unavailable',
      'The database server does not answer, so nothing was stored. Repeat the call in a few seconds.',
    ).because('database_unreachable'),
  closed: () =>
    new ApiError('service_unavailable', 'The service is stopping. Repeat the call once it is back.').because(
      'service_stopping',
    ),
} as const satisfies Record<StorageError['kind'], () => ApiError>

/**
 * Maps an error to the catalogue.
 * @param bodyLimit of the route, in bytes; some differ from that of the API.
 * @returns undefined if it has no code there and must become internal_error.
 */
export function asApiError(error: unknown, bodyLimit: number = LIMITS.bodyBytes): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (isDiskFull(error)) return STORAGE.full()
  if (error instanceof StorageError) return STORAGE[error.kind]()
  // Anything can be thrown, null included.
  const code = (error as Partial<FastifyError> | null | undefined)?.code
  return code !== undefined && Object.hasOwn(FRAMEWORK, code) ? FRAMEWORK[code]?.(bodyLimit) : undefined
}

/** Reveals no cause: the log has it, under the request id. */
export const internalError = () =>
  new ApiError('internal_error', 'An unexpected error occurred. Look up the request id in the log of the service.')

/** For Node's errors about bytes that are not a valid request. */
export function malformed(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('headers_too_large', 'The request headers are larger than 16 KiB.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('validation_error', 'The request took too long to arrive.')
  return new ApiError('validation_error', 'This is not a valid HTTP request.')
}

/** Writes a response directly to a socket that has no parsed request, and so no framework reply. */
export function answerRaw(
  socket: Socket,
  error: ApiError,
  requestId: string,
  rate: { limit: number; remaining: number },
): void {
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify(errorBody(error, requestId))
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    `x-ratelimit-limit: ${rate.limit}`,
    `x-ratelimit-remaining: ${rate.remaining}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
