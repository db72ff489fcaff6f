import type { FastifyInstance } from 'fastify'
import { LIMITS } from '../contract/limits.ts'
import type { Callbacks } from '../engines/official/index.ts'

type Params = { Params: { instance: string }; Querystring: Readonly<Record<string, unknown>> }

const POSTED = { config: { callbacks: true }, bodyLimit: LIMITS.callbackBytes } as const

/** Meta's callbacks. The engine gets the raw bytes of the body, because the signature covers them. */
export function addCallbackRoutes(app: FastifyInstance, callbacks: Callbacks): void {
  void app.register((routes, _options, done) => {
    routes.removeAllContentTypeParsers()
    const asBytes = { parseAs: 'buffer' } as const
    routes.addContentTypeParser('*', asBytes, (_request, bytes, parsed) => parsed(null, bytes))

    routes.get<Params>(
      '/callbacks/meta/:instance',
      { config: { callbacks: true } },
      async ({ params, query }, reply) => {
        const challenge = await callbacks.confirm(params.instance, {
          mode: text(query['hub.mode']),
          verifyToken: text(query['hub.verify_token']),
          challenge: text(query['hub.challenge']),
        })
        return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(challenge)
      },
    )

    routes.post<Params>('/callbacks/meta/:instance', POSTED, async (request, reply) => {
      const { params, body, headers } = request
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      await callbacks.take(params.instance, text(headers['x-hub-signature-256']), bytes)
      return reply.type('text/plain; charset=utf-8').send('')
    })
    done()
  })
}

/** A parameter that was sent twice is treated as missing. */
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
