import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError } from 'fastify'
import { ApiError, errorBody } from '../contract/errors.ts'
import { StorageError } from '../kernel/db.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** Codes of the framework for requests that never reach a handler, in our words. */
const FRAMEWORK: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large', 'The body is larger than 2 MB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new ApiError('invalid_json', 'The body is not valid JSON.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError('validation_error', 'The body is not as long as Content-Length says.'),
  FST_ERR_BAD_URL: () =>
    new ApiError('not_found', 'There is nothing at this path: it is not valid percent-encoded text.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('not_found', 'There is nothing at this path: an id in it is too long.'),
}

const STORAGE = {
  full: () =>
    new ApiError(
      'storage_full',
      'The disk of this service is full, so nothing was stored. Free some space, then repeat the call.',
    ),
  unknown: () =>
    new ApiError(
      'service_unavailable',
      'The storage of this service failed while answering. Read the resource before you repeat the call.',
    ),
  read_only: () =>
    new ApiError(
      'service_unavailable',
      'The disk of this service failed, so nothing was stored: until it is reopened, only reads work. Try again later.',
    ),
  closed: () => new ApiError('service_unavailable', 'The service is stopping. Repeat the call when it is back.'),
} as const satisfies Record<StorageError['kind'], () => ApiError>

/** Any error as one of the catalogue. `undefined`: it has no place there and must leave as internal_error. */
export function asApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof StorageError) return STORAGE[error.kind]()
  // Anything can be thrown, null included.
  const code = (error as Partial<FastifyError> | null | undefined)?.code
  return code !== undefined && Object.hasOwn(FRAMEWORK, code) ? FRAMEWORK[code]?.() : undefined
}

/** Says nothing but the request id; the cause is in the log under it. */
export const internalError = () =>
  new ApiError('internal_error', 'Something went wrong inside the service. The request id finds the cause in its log.')

/** What Node reports when bytes on a socket never became a request. */
export function malformed(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('headers_too_large', 'The request headers are larger than 16 KiB.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('validation_error', 'The request was not sent completely in time.')
  return new ApiError('validation_error', 'This is not a well-formed HTTP request.')
}

/** Writes a whole answer by hand, for a socket that has no request and so no framework reply. */
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
