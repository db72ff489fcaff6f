import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/**
 * Whether it is the console's page that asks. A cookie alone does not say so: pages of other ports on this machine
 * count as the same site. That an Origin which is sent is our own, the door has checked already.
 * @throws ApiError forbidden_origin, unsupported_media_type
 */
export function requireSameOrigin({ method, headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  // `none`: a person typed the address.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign()
  if (READING.has(method)) return
  if (headers.origin === undefined) throw foreign()
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ApiError(
      'unsupported_media_type',
      'Every change below /panel/ is sent with Content-Type: application/json, also without a body.',
    )
  }
}

const foreign = () =>
  new ApiError('forbidden_origin', 'Below /panel/ only the console’s own page is answered. Programs use /v1 and a key.')
