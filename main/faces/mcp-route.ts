import type { FastifyInstance } from 'fastify'
import type { Mcp } from './mcp.ts'

/**
 * The MCP routes. The door's hooks have run: Host and Origin, key, one rate limit token.
 * @param openMcp called for each request; the first call loads MCP.
 */
export function addMcpRoute(app: FastifyInstance, openMcp: () => Promise<Mcp>): void {
  for (const url of MCP_PATHS) addRoute(app, url, openMcp)
}

/** The second path offers only read-only tools. */
const MCP_PATHS = ['/mcp', '/mcp/readonly']

function addRoute(app: FastifyInstance, url: string, openMcp: () => Promise<Mcp>): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url,
    handler: async (request, reply) => {
      const { principal } = request.admitted
      if (principal === null) throw new Error('/mcp was reached without a principal')
      const mcp = await openMcp()
      // hijack() also drops the headers that the hooks have set, so they are passed on.
      const headers = Object.fromEntries(
        Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
      )
      reply.hijack()
      await mcp.handle({
        req: request.raw,
        res: reply.raw,
        body: request.body,
        principal: { ...principal, source: 'mcp' },
        requestId: request.id,
        headers,
      })
    },
  })
}
