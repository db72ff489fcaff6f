import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** An operation in the person's own account, or in a client's. */
const OPERATION = /^\/panel\/(accounts\/[0-9a-f-]{36}\/)?v1\//i
/** A file type for an operation that accepts files. */
const FILE = /^[\w.+-]+\/[\w.+-]+ *(;|$)/
/** Content types that a page on another origin can send without a CORS preflight. */
const SIMPLE = /^(text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)/i

/**
 * Requires that the request comes from the console's page. The cookie does not prove it: pages on other ports of this
 * machine count as the same site. An existing Origin header has already been checked.
 * @throws ApiError forbidden_origin, unsupported_media_type
 */
export function requireSameOrigin({ method, url, headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  // `none`: a person typed the URL.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign()
  if (READING.has(method)) return
  if (headers.origin === undefined) throw foreign()
  const type = headers['content-type'] ?? ''
  // Only the browser itself can set `sec-fetch-site`, so a simple content type is no risk then; text files have one.
  const isFile = OPERATION.test(url) && FILE.test(type) && (site === 'same-origin' || !SIMPLE.test(type))
  if (!isFile && !/^application\/json *(;|$)/i.test(type)) {
    throw new ApiError(
      'unsupported_media_type',
      'Requests under /panel/ that change something need Content-Type: application/json, even without a body.',
    )
  }
}

const foreign = () =>
  new ApiError('forbidden_origin', 'Only the console’s own page can use /panel/. Programs use /v1 with an API key.')
