import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Check } from 'typebox/value'
import type { PasskeyPage } from '../../capabilities/instances/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { PasskeyCredential } from '../../contract/instance.ts'
import { addTokenPages, OPEN, sendPage, typed, type OfToken } from '../token-pages.ts'
import { gonePage, passkeyPage, SCRIPT_HASH } from './page.ts'
import { wordsFor, type PasskeyWords, type PasskeyProblem } from './words.ts'

/** Fits a credential of 16 KiB with every character escaped. */
const FORM_BYTES = 64 * 1024

/** The page on which the owner of an account confirms with its passkey, authenticated by the token in the URL. */
export function addPasskeyRoutes(app: FastifyInstance, deps: PasskeyPage): void {
  addTokenPages(app, { formBytes: FORM_BYTES, gonePage: (request) => gonePage(wordsOf(request)), add })

  function add(pages: FastifyInstance): void {
    async function show(reply: FastifyReply, { params, headers }: FastifyRequest<OfToken>, error?: ApiError) {
      const { token } = params
      const view = await deps.view(token)
      const words = wordsFor(headers['accept-language'])
      const html = passkeyPage(words, view, deps.address(token), error && problemOf(error, words))
      return sendPage(reply, html, error?.status, SCRIPT_HASH)
    }

    pages.get<OfToken>('/passkey/:token', OPEN, async (request, reply) => show(reply, request))
    pages.post<OfToken>('/passkey/:token', OPEN, async (request, reply) => {
      const { token } = request.params
      // Checked first, so that a stranger with an old link learns only that it has ended.
      await deps.view(token)
      try {
        await take(token, request.body, wordsOf(request))
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'not_found') throw error
        return show(reply, request, error)
      }
      // Redirects, so that a reload does not send the form again.
      return reply.redirect(`/passkey/${encodeURIComponent(token)}`, 303)
    })
  }

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

/** Other sentences are for developers, in English. */
function problemOf({ detail, message }: ApiError, { notJson, problem }: PasskeyWords): string {
  if (message === notJson) return notJson
  return problem[PROBLEMS[detail?.reason ?? ''] ?? 'failed']
}

const PROBLEMS: Readonly<Partial<Record<string, PasskeyProblem>>> = {
  passkey_wrong: 'wrong',
  passkey_superseded: 'superseded',
  passkey_ended: 'ended',
  passkey_lost: 'ended',
  passkey_refused: 'refused',
}

const wordsOf = ({ headers }: FastifyRequest) => wordsFor(headers['accept-language'])
