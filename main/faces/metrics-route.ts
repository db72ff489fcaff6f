import type { FastifyInstance } from 'fastify'
import { requireAccessLevel, requireScope, type Principal } from '../kernel/access.ts'
import { EXPOSITION_TYPE, exposition, type Family } from '../kernel/metrics.ts'

/** `GET /metrics` for Prometheus. Needs an unrestricted key with `instances:read`. */
export function addMetricsRoute(
  app: FastifyInstance,
  measure: (principal: Principal) => Promise<readonly Family[]>,
): void {
  app.get('/metrics', async ({ admitted: { principal } }, reply) => {
    if (principal === null) throw new Error('/metrics was reached without a principal')
    requireScope(principal, 'instances:read')
    requireAccessLevel(principal, 'account')
    const text = exposition(await measure(principal))
    return reply.header('content-type', EXPOSITION_TYPE).header('cache-control', 'no-store').send(text)
  })
}
