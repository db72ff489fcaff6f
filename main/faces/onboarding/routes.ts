import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Onboarding, Pasted } from '../../engines/official/index.ts'
import { localeFor } from './language.ts'
import { liveDone, livePage, liveProblem, sentenceOf } from './live-page.ts'
import { gonePage, sandboxDone, sandboxPage, suspendedPage } from './sandbox-page.ts'
import type { OnboardingLocale } from './locales/shape.ts'
import { addTokenPages, OPEN, sendPage as send, typed, type OfToken } from '../token-pages.ts'

export interface OnboardingRoutesDeps {
  /** @throws ApiError not_found if the token is unknown or was already used. */
  sandboxSubject(token: string): Promise<{ name: string }>
  completeInSandbox(token: string, number: string): Promise<void>
  readonly live: Onboarding
  nameOf(instanceId: Awaited<ReturnType<Onboarding['view']>>['id']): Promise<string>
}

const FORM_BYTES = 4_096

type OfReturn = { Querystring: Readonly<Record<string, unknown>> }

/** The pages that connect an official number, authenticated by the token in the URL. */
export function addOnboardingRoutes(app: FastifyInstance, deps: OnboardingRoutesDeps): void {
  const { live } = deps

  addTokenPages(app, { formBytes: FORM_BYTES, gonePage: (request) => gonePage(localeOf(request)), add })

  function add(pages: FastifyInstance): void {
    pages.get<OfToken>('/onboard/:token', OPEN, async (request, reply) => {
      const { token } = request.params
      const locale = localeOf(request)
      if (await live.isKnown(token)) return send(reply, await showLive(locale, token))
      return send(reply, sandboxPage(locale, (await deps.sandboxSubject(token)).name))
    })
    pages.post<OfToken>('/onboard/:token', OPEN, async (request, reply) => {
      const { token } = request.params
      const locale = localeOf(request)
      if (await live.isKnown(token)) return pasteLive(reply, locale, token, pastedIn(request.body))
      const { name } = await deps.sandboxSubject(token)
      const number = typed(request.body, 'number').replaceAll(/[\s()+-]/g, '')
      if (!/^[0-9]{7,15}$/.test(number)) return send(reply, sandboxPage(locale, name, locale.sandbox.wrongNumber), 400)
      await deps.completeInSandbox(token, number)
      return send(reply, sandboxDone(locale, name, number))
    })

    pages.get<OfToken>('/onboard/:token/signup', OPEN, async ({ params }, reply) => {
      // Fails if the page is no longer valid.
      await live.view(params.token)
      return reply.header('cache-control', 'no-store').redirect(await live.beginSignup(params.token), 303)
    })
    pages.get<OfReturn>('/onboard/signup', OPEN, async (request, reply) =>
      finish(reply, localeOf(request), request.query).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.code === 'account_suspended')) throw error
        return send(reply, suspendedPage(localeOf(request)), error.status)
      }),
    )
  }

  async function showLive(
    locale: OnboardingLocale,
    token: string,
    again: Parameters<typeof livePage>[4] = {},
  ): Promise<string> {
    const view = await live.view(token)
    const signup = view.canSignUp ? `/onboard/${encodeURIComponent(token)}/signup` : null
    return livePage(locale, await deps.nameOf(view.id), view, signup, again)
  }

  async function pasteLive(reply: FastifyReply, locale: OnboardingLocale, token: string, pasted: Pasted) {
    // Read first: connecting uses up the token.
    const view = await live.view(token)
    const outcome = await live.paste(token, pasted)
    if (outcome.kind === 'used') throw used()
    if (outcome.kind === 'connected')
      return send(reply, liveDone(locale, await deps.nameOf(view.id), { ...outcome, view, pin: null }))
    const { phoneNumberId, wabaId } = pasted
    return send(reply, await showLive(locale, token, { problem: outcome, values: { phoneNumberId, wabaId } }), 400)
  }

  async function finish(reply: FastifyReply, locale: OnboardingLocale, query: Readonly<Record<string, unknown>>) {
    const { id, pin, view, outcome } = await live.finishSignup(typed(query, 'code'), typed(query, 'state'))
    const name = await deps.nameOf(id)
    if (outcome.kind === 'connected')
      return send(reply, liveDone(locale, name, { ...outcome, view, pin: outcome.isNew ? pin.open() : null }))
    const why = outcome.kind === 'used' ? locale.live.usedMeanwhile : sentenceOf(locale, outcome.reason)
    return send(reply, liveProblem(locale, name, why), 400)
  }
}

const localeOf = ({ headers }: FastifyRequest) => localeFor(headers['accept-language'])
/** Trims white space around pasted values. */
function pastedIn(body: unknown): Pasted {
  const field = (name: string) => typed(body, name).trim()
  return {
    accessToken: field('access_token'),
    appSecret: field('app_secret'),
    phoneNumberId: field('phone_number_id'),
    wabaId: field('waba_id'),
    pin: field('pin'),
  }
}

const used = () => new ApiError('not_found', 'This onboarding page was already used.')
