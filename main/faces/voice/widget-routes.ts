import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { VoicePages } from '../../capabilities/voice/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Body } from '../../contract/shapes.ts'
import { expiredPage, TEST_HEADERS, testPage, testWordsFor } from './test-page.ts'
import { widgetScript } from './widget-script.ts'

interface OfWidget {
  Params: { key: string; session?: string }
  Querystring: { test?: unknown }
}

const pageOf = ({ headers, query }: FastifyRequest) => {
  const { test } = query as OfWidget['Querystring']
  return { origin: headers.origin, host: headers.host, test: typeof test === 'string' ? test : undefined }
}

const Offer = Body({ offer: Type.String({ minLength: 1, maxLength: LIMITS.voiceOfferLength }) })
const SCRIPT_SECONDS = 300
const PREFLIGHT_SECONDS = 600

/**
 * Routes for pages on other sites: the widget's script and the calls that it starts. The origin is checked before the
 * body is read, and only pages of allowed origins may read an answer.
 */
export function addWidgetRoutes(app: FastifyInstance, { widgets }: Pick<VoicePages, 'widgets'>): void {
  const config = { widget: true } as const
  let script: Buffer | undefined

  app.get('/widget/v1.js', { config }, (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': `public, max-age=${SCRIPT_SECONDS}`,
        // Pages on other sites load it.
        'cross-origin-resource-policy': 'cross-origin',
      })
      .send((script ??= Buffer.from(widgetScript()))),
  )

  void app.register((routes, _options, done) => {
    routes.addHook('onRequest', async (request, reply) => {
      const { key } = request.params as OfWidget['Params']
      const { origin } = request.headers
      reply.header('vary', 'origin')
      if (!(await widgets.isAllowed(key, pageOf(request)))) throw refused()
      if (origin !== undefined) reply.header('access-control-allow-origin', origin)
    })

    routes.get<OfWidget>('/widget/:key', { config }, async ({ params }, reply) => {
      const view = await widgets.view(params.key)
      if (view === undefined) throw refused()
      return reply.header('cache-control', 'no-store').send(view)
    })

    const preflight = (methods: string) => (_request: FastifyRequest, reply: FastifyReply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-methods': methods,
          'access-control-allow-headers': 'content-type',
          'access-control-max-age': String(PREFLIGHT_SECONDS),
        })
        .send()
    routes.options('/widget/:key/sessions', { config }, preflight('POST'))
    routes.options('/widget/:key/sessions/:session', { config }, preflight('DELETE'))

    routes.post<OfWidget>('/widget/:key/sessions', { config, bodyLimit: 64 * 1024 }, async (request, reply) => {
      const { body, params, ip } = request
      if (!Check(Offer, body)) throw new ApiError('validation_error', 'The body must be {"offer": "<SDP>"}.')
      const begun = await widgets.begin(params.key, pageOf(request), ip, body.offer)
      return reply.code(201).header('cache-control', 'no-store').send(begun)
    })

    routes.delete<OfWidget>('/widget/:key/sessions/:session', { config }, async ({ params }, reply) => {
      await widgets.end(params.key, params.session ?? '')
      return reply.code(204).send()
    })
    done()
  })
}

/** The page on which the owner of a widget tests it. Only a signed link opens it. */
export function addWidgetTestRoute(app: FastifyInstance, { widgets }: Pick<VoicePages, 'widgets'>): void {
  app.get<OfWidget>('/widget/:key/test', { config: { open: true } }, async (request, reply) => {
    const { key } = request.params
    const test = pageOf(request).test ?? ''
    const found = await widgets.testPage(key, test)
    const words = testWordsFor(request.headers['accept-language'])
    const html = found === undefined ? expiredPage(words) : testPage(words, { ...found, key, test })
    return reply
      .code(found === undefined ? 404 : 200)
      .headers(TEST_HEADERS)
      .send(html)
  })
}

/** A widget that does not exist gets the same answer, so that nobody learns which ones exist. */
const refused = () =>
  new ApiError('forbidden_origin', 'This page may not use the widget. Add its origin to allowed_origins of the widget.')
