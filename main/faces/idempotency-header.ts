import { isUtf8 } from 'node:buffer'
import { ApiError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'

/**
 * The Idempotency-Key of a request, or null when there is none.
 * Read from the raw headers: Node joins two headers of this name with a comma, and two keys are an error, not a key.
 * @throws ApiError validation_error when it is empty, too long, repeated or holds control characters.
 */
export function readIdempotencyKey(rawHeaders: readonly string[]): string | null {
  const found: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === 'idempotency-key')
      found.push(decode(rawHeaders[i + 1] ?? '').replaceAll(/^[ \t]+|[ \t]+$/g, ''))
  }
  const [key] = found
  if (key === undefined) return null
  if (found.length > 1)
    throw new ApiError('validation_error', 'Idempotency-Key was sent more than once; send exactly one.')
  if (key.length < 1 || key.length > LIMITS.idempotencyKeyLength) {
    throw new ApiError('validation_error', `Idempotency-Key must have 1 to ${LIMITS.idempotencyKeyLength} characters.`)
  }
  if (hasControlCharacter(key))
    throw new ApiError('validation_error', 'Idempotency-Key must not hold control characters.')
  return key
}

/** Node reads header bytes as Latin-1. What is UTF-8 is read as such, so that the key can be asked for in a query. */
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
