import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LinkPage, LinkView } from '../../capabilities/links/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { networkOf } from '../../kernel/address-range.ts'
import type { Clock } from '../../kernel/clock.ts'
import { browserOf } from '../browser-name.ts'
import { createRateLimiter } from '../rate-limit.ts'
import { typed } from '../token-pages.ts'
import { gonePage, linkContent, linkPage } from './page.ts'
import { SCRIPT_HASH } from './script.ts'
import { createLinkStreams, type LinkStreamsDeps } from './stream.ts'
import { wordsFor } from './words.ts'

export interface LinkRoutesDeps extends Pick<LinkStreamsDeps, 'live'> {
  readonly page: LinkPage
  readonly clock: Clock
}

type OfLink = { Params: { token: string } }

const ACT_BYTES = 1_024
const open = { config: { open: true } }

/** The public page of an access link, authenticated by the token in its path. It sets no cookie and stores nothing. */
export function addLinkRoutes(app: FastifyInstance, deps: LinkRoutesDeps): void {
  const { page, clock } = deps
  const limiter = createRateLimiter(clock)
  const streams = createLinkStreams(deps)
  app.addHook('preClose', async () => streams.close())

  const throttle = (request: FastifyRequest, token: string) => {
    // Uses the token as sent, so that the time taken reveals nothing about stored tokens.
    const { allowed, retryAfterSeconds } = limiter.take(
      `${networkOf(request.ip)} ${token.slice(0, 100)}`,
      LIMITS.linkRequestsPerMinute,
    )
    if (allowed) return
    throw new ApiError('rate_limited', wordsOf(request).often, {
      'retry-after': String(retryAfterSeconds),
    })
  }
  const gone = (request: FastifyRequest, reply: FastifyReply) =>
    reply
      .code(404)
      .headers(headersFor(null))
      .send(gonePage(wordsOf(request)))

  void app.register((pages, _options, done) => {
    // A foreign host name gets the same answer as an unknown link.
    pages.setErrorHandler((error, request, reply) => {
      if (error instanceof ApiError && (error.code === 'not_found' || error.code === 'forbidden_host'))
        return gone(request, reply)
      throw error
    })

    pages.get<OfLink>('/link/:token', { ...open, exposeHeadRoute: false }, async (request, reply) => {
      const { token } = request.params
      throttle(request, token)
      const view = await page.view(token)
      if (view === undefined) return gone(request, reply)
      await page.noteVisit(token, { address: request.ip, browser: browserOf(request.headers['user-agent']) })
      return reply.headers(headersFor(view)).send(linkPage(wordsOf(request), view, clock.now()))
    })

    pages.get<OfLink>('/link/:token/events', { ...open, exposeHeadRoute: false }, async (request, reply) => {
      const { token } = request.params
      throttle(request, token)
      const link = await page.open(token)
      if (link === undefined) return gone(request, reply)
      const words = wordsOf(request)
      streams.open(reply, token, link, (view) => linkContent(words, view, clock.now()), words.full)
      return reply
    })

    pages.post<OfLink>('/link/:token', { ...open, bodyLimit: ACT_BYTES }, async (request, reply) => {
      const { token } = request.params
      throttle(request, token)
      if ((await page.open(token)) === undefined) return gone(request, reply)
      const words = wordsOf(request)
      const act = typed(request.body, 'act')
      reply.headers({ 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' })
      try {
        if (act === 'refresh') await page.refresh(token)
        else if (act === 'passkey') return { go: await page.passkey(token) }
        else if (act === 'code') {
          const digits = typed(request.body, 'phone').replaceAll(/[\s().+-]/g, '')
          if (!/^[1-9]\d{6,14}$/.test(digits)) throw new ApiError('validation_error', words.badPhone)
          await page.pairingCode(token, digits)
        } else throw new ApiError('validation_error', words.failed)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'validation_error') throw error
        // Our other sentences are for the agency, in English.
        const isFrozen = error.detail?.reason === 'account_frozen'
        throw new ApiError(error.code, isFrozen ? words.noCode : words.failed)
      }
      streams.refresh(token)
      return { ok: true }
    })
    done()
  })
}

const wordsOf = ({ headers }: FastifyRequest) => wordsFor(headers['accept-language'])

/** @param view null: the answer must not depend on the link. */
function headersFor(view: LinkView | null): Record<string, string> {
  const ancestors = view?.brand.allowed_origins.join(' ') || "'none'"
  const script = view === null ? '' : ` script-src '${SCRIPT_HASH}'; connect-src 'self'; img-src data:;`
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex, nofollow',
    'referrer-policy': 'no-referrer',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline';${script} form-action 'none'; base-uri 'none'; frame-ancestors ${ancestors}`,
    // A page that may be in a frame is fetched by the page around it.
    ...(view !== null && view.brand.allowed_origins.length > 0 && { 'cross-origin-resource-policy': 'cross-origin' }),
  }
}
