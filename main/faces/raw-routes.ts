import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { Callbacks } from '../engines/official/index.ts'
import { addCallbackRoutes } from './callback-routes.ts'
import type { CrmCallbacks } from '../capabilities/crm/index.ts'
import type { PasskeyPage } from '../capabilities/instances/index.ts'
import { addLinkRoutes, type LinkRoutesDeps } from './link-page/routes.ts'
import type { GhlPages } from '../simulators/ghl/index.ts'
import { addCrmCallbackRoutes } from './crm-callback-routes.ts'
import { addSandboxGhlRoutes } from './sandbox-ghl-routes.ts'
import { addOnboardingRoutes, type OnboardingRoutesDeps } from './onboarding/routes.ts'
import { addPaymentRoutes, type PaymentRoutesDeps } from './payment-pages/routes.ts'
import type { VoicePages } from '../capabilities/voice/index.ts'
import { addPasskeyRoutes } from './passkey-page/routes.ts'
import { addRecordingRoute } from './voice/recording-route.ts'
import { addWidgetRoutes, addWidgetTestRoute } from './voice/widget-routes.ts'

export interface RawRoutesDeps {
  /** The OpenAPI document as YAML. Called once. */
  openApiYaml(): Promise<string>
  isReady(): boolean
  /** Codes of current problems; empty if there are none. */
  problems(): readonly string[]
  readonly onboarding: OnboardingRoutesDeps
  readonly callbacks: Callbacks
  readonly passkey: PasskeyPage
  readonly links: LinkRoutesDeps
  readonly payments: PaymentRoutesDeps
  readonly crm: CrmCallbacks
  /** Of the simulated GoHighLevel. */
  readonly ghlPages: GhlPages
  readonly voice: VoicePages
}

/** Routes that are not operations: health, the API document, onboarding, passkey and sandbox pages, and callbacks. */
export function addRawRoutes(app: FastifyInstance, deps: RawRoutesDeps): void {
  app.get('/healthz', { config: { health: true } }, () => {
    if (!deps.isReady())
      throw new ApiError('service_unavailable', 'The service is starting or stopping. Try again in a few seconds.')
    const problems = deps.problems()
    return { status: problems.length === 0 ? 'ok' : 'degraded', problems }
  })

  // Cached as bytes: the document is public, and encoding 400 kB for every request would block others.
  let document: Promise<Buffer> | undefined
  const sendDocument = async (_request: FastifyRequest, reply: FastifyReply) => {
    document ??= deps.openApiYaml().then((yaml) => Buffer.from(yaml))
    return reply.header('content-type', 'application/yaml; charset=utf-8').send(await document)
  }
  app.get('/openapi.yaml', { config: { open: true } }, sendDocument)
  // For the API reference in the console: the desktop app can only reach /panel/.
  app.get('/panel/openapi.yaml', { config: { console: 'panel' } }, sendDocument)

  addOnboardingRoutes(app, deps.onboarding)
  addPasskeyRoutes(app, deps.passkey)
  addLinkRoutes(app, deps.links)
  addCallbackRoutes(app, deps.callbacks)
  addPaymentRoutes(app, deps.payments)
  addCrmCallbackRoutes(app, deps.crm)
  addSandboxGhlRoutes(app, deps.ghlPages)
  addRecordingRoute(app, deps.voice)
  addWidgetRoutes(app, deps.voice)
  addWidgetTestRoute(app, deps.voice)
}
