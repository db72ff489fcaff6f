/** The parts of a request that decide about a refusal. JsSIP parses it. */
export interface SipRequest {
  readonly body?: string | null
  getHeaders(name: string): string[]
  getHeader(name: string): string | undefined
}

/** The refusal that JsSIP should send. */
export interface Refusal {
  readonly status_code: number
  readonly extraHeaders?: string[]
}

/** Supported extensions: the session timer (RFC 4028). */
const SUPPORTED: ReadonlySet<string> = new Set(['timer'])
/** RFC 4028, section 4. */
const SHORTEST_SESSION_SECONDS = 90

/** Required extensions that are not supported: RFC 3261, section 8.2.2.3. Not for ACK and CANCEL. */
export function unsupportedIn(request: Pick<SipRequest, 'getHeaders'>): Refusal | null {
  const required = request.getHeaders('require').flatMap((value) => value.split(','))
  const unknown = required.map((tag) => tag.trim()).filter((tag) => tag !== '' && !SUPPORTED.has(tag.toLowerCase()))
  return unknown.length === 0 ? null : { status_code: 420, extraHeaders: [`Unsupported: ${unknown.join(', ')}`] }
}

/**
 * Why an INVITE or UPDATE is refused regardless of its session description: RFC 3261, section 8.2.2.3, and RFC 4028,
 * section 6. JsSIP checks neither.
 */
export function refusalOf(request: Pick<SipRequest, 'getHeaders' | 'getHeader'>): Refusal | null {
  const unsupported = unsupportedIn(request)
  if (unsupported !== null) return unsupported
  const seconds = /^\s*(\d+)/.exec(request.getHeader('session-expires') ?? '')?.[1]
  if (seconds !== undefined && Number(seconds) < SHORTEST_SESSION_SECONDS)
    return { status_code: 422, extraHeaders: [`Min-SE: ${SHORTEST_SESSION_SECONDS}`] }
  return null
}
