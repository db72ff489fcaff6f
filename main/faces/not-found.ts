import type { FastifyRequest } from 'fastify'
import type { Served } from '../capabilities/handler.ts'
import { ApiError } from '../contract/errors.ts'
import { unknownPath } from './admission.ts'

/** Tells an unknown path from a known one that was asked with the wrong method. */
export function createNotFound(operations: readonly Served[]): (request: FastifyRequest) => ApiError {
  const paths = new Map<string, { pattern: RegExp; methods: string[] }>()
  for (const { operation } of operations) {
    if (operation.audience === 'console') continue
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const known = paths.get(operation.path) ?? { pattern, methods: [] }
    known.methods.push(operation.method, ...(operation.method === 'GET' ? ['HEAD'] : []))
    paths.set(operation.path, known)
  }
  const patterns = [...paths.values()]
  return (request) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).flatMap((found) => found.methods)
    if (methods.length === 0) return unknownPath()
    return new ApiError(
      'method_not_allowed',
      `${request.method} does not exist here; this path takes ${methods.join(', ')}.`,
      { allow: methods.join(', ') },
    )
  }
}
