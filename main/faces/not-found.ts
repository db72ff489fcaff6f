import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { pathNotFound } from './admission.ts'

/**
 * Distinguishes an unknown path (404) from a wrong method (405). It collects routes as they are added, so it must be
 * created before them.
 */
export function createNotFound(app: FastifyInstance): (request: FastifyRequest) => ApiError {
  const known = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.operation?.audience === 'console' || config?.console === 'panel') return
    const path = known.get(url) ?? {
      pattern: new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}$`),
      methods: new Set(),
    }
    for (const one of [method].flat()) path.methods.add(one)
    known.set(url, path)
  })
  return (request) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const found = [...known.values()].filter(({ pattern }) => pattern.test(path))
    const methods = [...new Set(found.flatMap((one) => [...one.methods]))].sort().join(', ')
    if (methods === '') return pathNotFound()
    return new ApiError('method_not_allowed', `This path does not support ${request.method}. Use ${methods}.`, {
      allow: methods,
    })
  }
}
