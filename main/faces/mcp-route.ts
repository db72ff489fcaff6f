import type { FastifyInstance } from 'fastify'
import type { Mcp } from './mcp.ts'

/**
 * MCP's addresses. The door's hooks have run: Host and Origin, key, one token of the key's rate.
 * @param openMcp asked at the first request, and at each one after it.
 */
export function addMcpRoute(app: FastifyInstance, openMcp: () => Promise<Mcp>): void {
  for (const url of MCP_PATHS) addRoute(app, url, openMcp)
}

/** The second offers, and carries out, only what changes nothing. */
const MCP_PATHS = ['/mcp', '/mcp/readonly']

function addRoute(app: FastifyInstance, url: string, openMcp: () => Promise<Mcp>): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url,
    handler: async (request, reply) => {
      const { principal } = request.admitted
      if (principal === null) throw new Error('/mcp was reached without a principal')
      const mcp = await openMcp()
      // Taken out of the framework's hands, and with it the headers that the hooks have set.
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
