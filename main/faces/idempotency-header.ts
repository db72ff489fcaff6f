import { isUtf8 } from 'node:buffer'
import { ApiError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'

/**
 * The Idempotency-Key of a request, or null if there is none.
 * Read from the raw headers, because Node joins repeated headers with a comma, and two keys are an error.
 * @throws ApiError validation_error if it is empty, too long, repeated or contains control characters.
 */
export function readIdempotencyKey(rawHeaders: readonly string[]): string | null {
  const found: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === 'idempotency-key')
      found.push(decode(rawHeaders[i + 1] ?? '').replaceAll(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''))
  }
  const [key] = found
  if (key === undefined) return null
  if (found.length > 1)
    throw new ApiError('validation_error', 'Idempotency-Key was sent more than once. Send exactly one.')
  if (key.length < 1 || key.length > LIMITS.idempotencyKeyLength) {
    throw new ApiError('validation_error', `Idempotency-Key must have 1 to ${LIMITS.idempotencyKeyLength} characters.`)
  }
  if (hasControlCharacter(key))
    throw new ApiError('validation_error', 'Idempotency-Key must not contain control characters.')
  return key
}

/** Node decodes headers as Latin-1. UTF-8 is decoded again, so that the key matches the same key in a query. */
function decode(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  const isBytes = bytes.toString('latin1') === value
  return isBytes && isUtf8(bytes) ? bytes.toString('utf8') : value
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}
