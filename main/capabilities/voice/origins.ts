import { ApiError } from '../../contract/errors.ts'

const LOOPBACK = /^(localhost|[a-z0-9-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * An origin as browsers send it: scheme, host and port, nothing else.
 * @throws ApiError validation_error
 */
export function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.origin === 'null' || !['http:', 'https:'].includes(url.protocol))
    throw wrong(text, 'is not an origin such as https://www.example.com')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' || url.pathname !== '/')
    throw wrong(text, `has more than scheme, host and port. Use ${url.origin}`)
  if (text.includes('*')) throw wrong(text, 'has a wildcard. Name every origin')
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw wrong(text, 'is http. Browsers allow the microphone on https pages only; http works for loopback addresses')
  return url.origin
}

const wrong = (text: string, why: string) =>
  new ApiError('validation_error', `allowed_origins has ${JSON.stringify(text.slice(0, 100))}, which ${why}.`)

/** The page that may be shown the widget, exactly. `null` is what sandboxed frames and files send. */
export const isAllowedOrigin = (origin: string | undefined, allowed: readonly string[]): boolean =>
  origin !== undefined && origin !== 'null' && allowed.includes(origin)
