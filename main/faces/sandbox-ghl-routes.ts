import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GhlPages } from '../simulators/ghl/index.ts'

type OfPages = { Params: { token: string; '*': string } }

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
} as const

const BODY_BYTES = 26 * 1024 * 1024

/** The pages of the simulated GoHighLevel. Anyone who knows the URL, which cannot be guessed, may use them. */
export function addSandboxGhlRoutes(app: FastifyInstance, pages: GhlPages): void {
  void app.register((routes, _options, done) => {
    routes.removeAllContentTypeParsers()
    const asBytes = { parseAs: 'buffer' } as const
    routes.addContentTypeParser('*', asBytes, (_request, bytes, parsed) => parsed(null, bytes))
    const answer = async (request: FastifyRequest<OfPages>, reply: FastifyReply) => {
      const { params, method, headers, body, raw } = request
      const given = await pages.answer(params.token, {
        method,
        path: params['*'].split('/'),
        query: new URL(raw.url ?? '/', 'http://page').searchParams,
        language: headers['accept-language'],
        contentType: headers['content-type'],
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      })
      return reply
        .code(given.status)
        .headers({ ...HEADERS, ...given.headers })
        .send(given.body)
    }
    routes.get<OfPages>('/sandbox/ghl/:token/*', { config: { callbacks: true } }, answer)
    routes.post<OfPages>('/sandbox/ghl/:token/*', { config: { callbacks: true }, bodyLimit: BODY_BYTES }, answer)
    done()
  })
}
