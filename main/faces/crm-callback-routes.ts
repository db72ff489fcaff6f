import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CrmCallbacks } from '../capabilities/crm/index.ts'
import { LIMITS } from '../contract/limits.ts'
import { consentResultPage } from './crm-pages/consent-result.ts'
import { localeFor } from './onboarding/language.ts'
import { sendPage } from './token-pages.ts'

type OfLink = { Params: { link: string } }
type OfConsent = { Querystring: Readonly<Record<string, unknown>> }

/** Signed requests from CRMs, verified over the raw bytes, and the return from a consent page. */
export function addCrmCallbackRoutes(app: FastifyInstance, { ghl, consent, webhook }: CrmCallbacks): void {
  void app.register((routes, _options, done) => {
    routes.removeAllContentTypeParsers()
    const asBytes = { parseAs: 'buffer' } as const
    routes.addContentTypeParser('*', asBytes, (_request, bytes, parsed) => parsed(null, bytes))
    const posted = { config: { callbacks: true }, bodyLimit: LIMITS.callbackBytes }

    routes.post('/callbacks/ghl/outbound', posted, async (request, reply) => {
      await ghl.outbound(text(request.headers['x-ghl-signature']), bytesOf(request))
      return taken(reply)
    })
    routes.post('/callbacks/ghl/app', posted, async (request, reply) => {
      await ghl.app(text(request.headers['x-ghl-signature']), bytesOf(request))
      return taken(reply)
    })
    routes.post<OfLink>('/callbacks/crm/:link', posted, async (request, reply) => {
      const timestamp = text(request.headers['x-service-timestamp'])
      const signature = text(request.headers['x-service-signature'])
      const { id } = await webhook(request.params.link, { timestamp, signature }, bytesOf(request))
      return reply.code(202).send({ id, accepted: true })
    })
    done()
  })

  app.get<OfConsent>('/callbacks/ghl/oauth', { config: { open: true } }, async ({ query, headers }, reply) => {
    const [state, code, error] = ['state', 'code', 'error'].map((name) => text(query[name]))
    const result = await consent({ state, code, error })
    const page = consentResultPage(localeFor(headers['accept-language']), result)
    return sendPage(reply, page, result.kind === 'connected' || result.kind === 'denied' ? 200 : 400)
  })
}

/** A header or parameter that was sent twice is treated as missing. */
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const bytesOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))
const taken = (reply: FastifyReply) => reply.type('application/json; charset=utf-8').send({ received: true })
