import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { onboardingDone, onboardingPage } from './onboarding-page.ts'

export interface RawRoutesNeeds {
  /** The OpenAPI document as YAML; built once, when it is first asked for. */
  openApiYaml(): string
  isReady(): boolean
  /** @throws ApiError not_found for a token that is unknown or was used. */
  onboardingSubject(token: string): Promise<{ name: string }>
  completeOnboarding(token: string, number: string): Promise<void>
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // With no-referrer, as everywhere else, browsers send `Origin: null` with the page's own form, and the door refuses it.
  'referrer-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
} as const

/** What is no operation: health, the API document, and the pages that prove themselves by a token of their own. */
export function addRawRoutes(app: FastifyInstance, needs: RawRoutesNeeds): void {
  app.get('/healthz', { config: { open: true } }, () => {
    if (!needs.isReady()) throw new ApiError('service_unavailable', 'The service is starting or stopping.')
    return { status: 'ok' }
  })

  // As bytes: anybody may ask for it, and to encode 400 kB anew for each would keep others waiting.
  let document: Buffer | undefined
  const describe = (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .header('content-type', 'application/yaml; charset=utf-8')
      .send((document ??= Buffer.from(needs.openApiYaml())))
  app.get('/openapi.yaml', { config: { open: true } }, describe)
  // For the console's reference: in the desktop app nothing but /panel/ reaches the service.
  app.get('/panel/openapi.yaml', { config: { console: 'panel' } }, describe)

  void app.register((pages, _options, done) => {
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 4_096 },
      (_request, text, parsed) => parsed(null, Object.fromEntries(new URLSearchParams(text as string))),
    )
    pages.get<{ Params: { token: string } }>(
      '/onboard/:token',
      { config: { open: true } },
      async ({ params }, reply) => {
        const { name } = await needs.onboardingSubject(params.token)
        return reply.headers(PAGE_HEADERS).send(onboardingPage(name))
      },
    )
    pages.post<{ Params: { token: string } }>(
      '/onboard/:token',
      { config: { open: true } },
      async ({ params, body }, reply) => {
        const { name } = await needs.onboardingSubject(params.token)
        const number = typed(body)
        if (!/^[0-9]{7,15}$/.test(number)) {
          return reply
            .code(400)
            .headers(PAGE_HEADERS)
            .send(onboardingPage(name, 'Enter the number with its country code: 7 to 15 digits.'))
        }
        await needs.completeOnboarding(params.token, number)
        return reply.headers(PAGE_HEADERS).send(onboardingDone(name, number))
      },
    )
    done()
  })
}

/** What a person may have put between the digits is left out. Programs may send anything. */
function typed(body: unknown): string {
  const number: unknown = typeof body === 'object' && body !== null && 'number' in body ? body.number : ''
  return typeof number === 'string' ? number.replaceAll(/[\s()+-]/g, '') : ''
}
