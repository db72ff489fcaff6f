import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { pathNotFound } from './admission.ts'

/**
 * Tells an unknown path from a known one that was asked with the wrong method. It learns the paths as they are added,
 * pages and documents included, so it must be made before them.
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
    return new ApiError('method_not_allowed', `${request.method} does not exist here; this path takes ${methods}.`, {
      allow: methods,
    })
  }
}
