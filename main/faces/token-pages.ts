import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'

/** The path of a page whose token is its only authentication. */
export type OfToken = { Params: { token: string } }

interface TokenPagesDeps {
  readonly formBytes: number
  /** The page for people whose link has ended; programs get the JSON error. */
  readonly gonePage: (request: FastifyRequest) => string
  readonly add: (pages: FastifyInstance) => void
}

/** No key is needed for these. */
export const OPEN = { config: { open: true } } as const

/**
 * The shared parts of pages that are authenticated by their URL: headers, forms, and a readable page for ended links.
 */
export function addTokenPages(app: FastifyInstance, { formBytes, gonePage, add }: TokenPagesDeps): void {
  void app.register((pages, _options, done) => {
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: formBytes },
      (_request, text, parsed) => parsed(null, Object.fromEntries(new URLSearchParams(text as string))),
    )
    pages.setErrorHandler((error, request, reply) => {
      if (!(error instanceof ApiError && error.code === 'not_found' && isPerson(request))) throw error
      return sendPage(reply, gonePage(request), 404)
    })
    add(pages)
    done()
  })
}

/** @param scriptHash of the only script that may run on the page; without it no script may run. */
export const sendPage = (reply: FastifyReply, html: string, status = 200, scriptHash?: string): FastifyReply =>
  reply.code(status).headers(headersWith(scriptHash)).send(html)

const headersWith = (scriptHash: string | undefined) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // With no-referrer, browsers send `Origin: null` with the form of this page, and the origin check would refuse it.
  'referrer-policy': 'same-origin',
  'content-security-policy':
    `default-src 'none'; style-src 'unsafe-inline'; ${scriptHash === undefined ? '' : `script-src '${scriptHash}'; `}` +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
})

const isPerson = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') === true

/** A form field as text; anything else is ''. */
export function typed(body: unknown, name: string): string {
  const value: unknown = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : ''
  return typeof value === 'string' ? value : ''
}
