import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Check } from 'typebox/value'
import type { PasskeyPage } from '../../capabilities/instances/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { PasskeyCredential } from '../../contract/instance.ts'
import { gonePage, passkeyPage } from './page.ts'
import { wordsFor, type PasskeyWords } from './words.ts'

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // With no-referrer, browsers send `Origin: null` with the form of this page, and the door would refuse it.
  'referrer-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
} as const

/** A credential of 16 KiB, with every character of it escaped. */
const FORM_BYTES = 64 * 1024

type OfPage = { Params: { token: string } }

/** The page on which the owner of an account confirms with its passkey, authenticated by the token in the URL. */
export function addPasskeyRoutes(app: FastifyInstance, deps: PasskeyPage): void {
  const open = { config: { open: true } }
  const send = (reply: FastifyReply, html: string, status = 200) => reply.code(status).headers(PAGE_HEADERS).send(html)

  void app.register((pages, _options, done) => {
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_request, text, parsed) => parsed(null, Object.fromEntries(new URLSearchParams(text as string))),
    )

    // Programs get the JSON error, people get a page.
    pages.setErrorHandler((error, request, reply) => {
      if (!(error instanceof ApiError && error.code === 'not_found' && isPerson(request))) throw error
      return send(reply, gonePage(wordsOf(request)), 404)
    })

    pages.get<OfPage>('/passkey/:token', open, async (request, reply) =>
      send(reply, passkeyPage(wordsOf(request), await deps.view(request.params.token))),
    )
    pages.post<OfPage>('/passkey/:token', open, async (request, reply) => {
      const { token } = request.params
      const words = wordsOf(request)
      // First of all: a stranger's link must not say more than that it has ended.
      await deps.view(token)
      try {
        await take(token, request.body, words)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'not_found') throw error
        const view = await deps.view(token)
        return send(reply, passkeyPage(words, view, error.message), error.status)
      }
      // What a reload would send again is gone from the address and the history.
      return reply.redirect(`/passkey/${encodeURIComponent(token)}`, 303)
    })
    done()
  })

  async function take(token: string, body: unknown, words: PasskeyWords): Promise<void> {
    const attempt = Number(typed(body, 'attempt'))
    const match = typed(body, 'match')
    if (match !== '') return deps.confirm(token, { attempt, match: match === 'yes' })
    return deps.respond(token, { attempt, credential: credentialIn(typed(body, 'credential'), words) })
  }
}

/** @throws ApiError validation_error */
function credentialIn(text: string, { notJson }: PasskeyWords): PasskeyCredential {
  try {
    const credential = JSON.parse(text) as unknown
    if (Check(PasskeyCredential, credential)) return credential
  } catch {
    // Told below.
  }
  throw new ApiError('validation_error', notJson)
}

const wordsOf = ({ headers }: FastifyRequest) => wordsFor(headers['accept-language'])
const isPerson = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') === true

/** A form field as text; anything else is ''. */
function typed(body: unknown, name: string): string {
  const value: unknown = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : ''
  return typeof value === 'string' ? value : ''
}
