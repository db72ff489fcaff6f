import type { FastifyInstance } from 'fastify'
import { LIMITS } from '../contract/limits.ts'
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts'
import { requireFeature, type AdmissionDeps } from './admission.ts'
import type { Mcp } from './mcp.ts'

/**
 * The MCP routes. The hooks of `http.ts` have checked Host, Origin, key and rate limit.
 * @param openMcp called for each request; the first call loads MCP.
 */
export function addMcpRoute(
  app: FastifyInstance,
  openMcp: () => Promise<Mcp>,
  featuresOf: AdmissionDeps['featuresOf'],
): void {
  for (const url of MCP_PATHS) addRoute(app, url, openMcp, featuresOf)
}

/** The second path offers only read-only tools. */
const MCP_PATHS = ['/mcp', '/mcp/readonly']

function addRoute(
  app: FastifyInstance,
  url: string,
  openMcp: () => Promise<Mcp>,
  featuresOf: AdmissionDeps['featuresOf'],
): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url,
    config: { bodyValues: LIMITS.mcpValues },
    handler: async (request, reply) => {
      const { principal } = request.admitted
      if (principal === null) throw new Error('/mcp was reached without a principal')
      await requireFeature(principal, 'mcp', { featuresOf })
      const features = await featuresOf(principal.accountId)
      const mcp = await openMcp()
      // hijack() also drops the headers that the hooks have set, so they are passed on.
      const headers = Object.fromEntries(
        Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
      )
      reply.hijack()
      // The library parses the body again. Other requests run before that.
      await yieldToEventLoop()
      await mcp.handle({
        req: request.raw,
        res: reply.raw,
        body: request.body,
        principal: { ...principal, source: 'mcp', features },
        requestId: request.id,
        headers,
      })
    },
  })
}
