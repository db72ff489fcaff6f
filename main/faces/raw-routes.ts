import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { Callbacks } from '../engines/official/index.ts'
import { addCallbackRoutes } from './callback-routes.ts'
import { addOnboardingRoutes, type OnboardingRoutesDeps } from './onboarding/routes.ts'

export interface RawRoutesDeps {
  /** The OpenAPI document as YAML; built once, when it is first asked for. */
  openApiYaml(): string
  isReady(): boolean
  /** What is wrong, in words for programs; empty while all is well. */
  problems(): readonly string[]
  readonly onboarding: OnboardingRoutesDeps
  readonly callbacks: Callbacks
}

/** What is no operation: health, the API document, and the pages that prove themselves by a token of their own. */
export function addRawRoutes(app: FastifyInstance, deps: RawRoutesDeps): void {
  app.get('/healthz', { config: { health: true } }, () => {
    if (!deps.isReady())
      throw new ApiError('service_unavailable', 'The service is starting or stopping. Try again in a few seconds.')
    const problems = deps.problems()
    return { status: problems.length === 0 ? 'ok' : 'degraded', problems }
  })

  // As bytes: anybody may ask for it, and to encode 400 kB anew for each would keep others waiting.
  let document: Buffer | undefined
  const describe = (_request: FastifyRequest, reply: FastifyReply) =>
    reply.header('content-type', 'application/yaml; charset=utf-8').send((document ??= Buffer.from(deps.openApiYaml())))
  app.get('/openapi.yaml', { config: { open: true } }, describe)
  // For the console's reference: in the desktop app nothing but /panel/ reaches the service.
  app.get('/panel/openapi.yaml', { config: { console: 'panel' } }, describe)

  addOnboardingRoutes(app, deps.onboarding)
  addCallbackRoutes(app, deps.callbacks)
}
