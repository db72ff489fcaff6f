import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import { ApiError } from '../../contract/errors.ts'
import type { PageOutcome, StripePages } from '../../simulators/stripe/index.ts'
import { localeFor } from '../onboarding/language.ts'
import { checkoutPage, goneFrom, invoicePage, portalPage, returnPage } from './pages.ts'
import { challengePage, dateIn, moneyIn, readExpiry, refusalIn } from './parts.ts'
import { pdfOf } from './pdf.ts'
import { wordsIn, type PaymentWords } from './words.ts'

export interface PaymentRoutesDeps {
  /** The pages of the simulated payment provider. */
  readonly stripe: StripePages
  /** Resolves once the bytes of a callback are durable. @throws ApiError unauthorized, not_found */
  readonly takeCallback: (body: Buffer, signature: string | undefined) => Promise<void>
  /** Somebody returned from a page of the provider. */
  readonly returned: (query: { checkout: string | undefined; customer: string | undefined }) => Promise<void>
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // With no-referrer, browsers send `Origin: null` with the form of this page, and the origin check would refuse it.
  'referrer-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
} as const

const FORM_BYTES = 4_096

type OfPage = { Params: { id: string } }
type OfReturn = { Querystring: Readonly<Record<string, unknown>> }

/** The sandbox's payment pages, the return page, and Stripe's callbacks. */
export function addPaymentRoutes(app: FastifyInstance, deps: PaymentRoutesDeps): void {
  addCallbackRoute(app, deps)
  const { stripe } = deps
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
      const isPerson = request.headers.accept?.includes('text/html') === true
      if (!(error instanceof ApiError && error.code === 'not_found' && isPerson)) throw error
      return send(reply, goneFrom(wordsOf(request)), 404)
    })

    pages.get<OfReturn>('/callbacks/stripe/return', open, async (request, reply) => {
      const { query } = request
      // If the provider cannot be asked now, the poller finds out the result later.
      await deps.returned({ checkout: text(query['checkout']), customer: text(query['customer']) }).catch(() => {})
      return send(reply, returnPage(wordsOf(request)))
    })

    pages.get<OfPage>('/sandbox/stripe/checkout/:id', open, (request, reply) =>
      send(reply, checkoutPage(wordsOf(request), stripe.checkout(request.params.id))),
    )
    pages.post<OfPage>('/sandbox/stripe/checkout/:id', open, async (request, reply) => {
      const { id } = request.params
      const words = wordsOf(request)
      stripe.checkout(id)
      return answerCard(request, reply, {
        pay: (card, isConfirmed) => stripe.payCheckout(id, card, isConfirmed),
        show: (problem, typed) => checkoutPage(words, stripe.checkout(id), problem, typed),
        path: `/sandbox/stripe/checkout/${id}`,
      })
    })

    pages.get<OfPage>('/sandbox/stripe/portal/:id', open, (request, reply) =>
      send(reply, portalPage(wordsOf(request), stripe.portal(request.params.id))),
    )
    pages.post<OfPage>('/sandbox/stripe/portal/:id', open, async (request, reply) => {
      const { id } = request.params
      const words = wordsOf(request)
      stripe.portal(id)
      const path = `/sandbox/stripe/portal/${id}`
      const act = actOf(stripe, id, field(request.body, 'action'), field(request.body, 'id'))
      const show = (problem: string) => portalPage(words, stripe.portal(id), problem)
      if (act === undefined) return answerCard(request, reply, { pay: (card) => stripe.saveCard(id, card), show, path })
      const outcome = await act
      if (outcome.kind === 'refused') return send(reply, show(refusalIn(words, outcome.code)), 400)
      return reply.redirect(path, 303)
    })

    pages.get<OfPage>('/sandbox/stripe/invoice/:id', open, (request, reply) =>
      send(reply, invoicePage(wordsOf(request), stripe.invoice(request.params.id))),
    )
    pages.post<OfPage>('/sandbox/stripe/invoice/:id', open, async (request, reply) => {
      const { id } = request.params
      const words = wordsOf(request)
      stripe.invoice(id)
      return answerCard(request, reply, {
        pay: (card, isConfirmed) => stripe.payInvoice(id, card, isConfirmed),
        show: (problem, typed) => invoicePage(words, stripe.invoice(id), problem, typed),
        path: `/sandbox/stripe/invoice/${id}`,
      })
    })
    pages.get<OfPage>('/sandbox/stripe/invoice/:id/pdf', open, (request, reply) => {
      const words = wordsOf(request)
      const invoice = stripe.invoice(request.params.id)
      const money = (cents: number) => moneyIn(words, cents, invoice.currency)
      const lines = [
        words.sandbox,
        `${dateIn(words, invoice.created)} · ${words.status[invoice.status ?? ''] ?? ''}`,
        '',
        ...invoice.lines.data.map(({ description, amount }) => `${description ?? ''}   ${money(amount)}`),
        '',
        `${words.total}: ${money(invoice.total)}`,
        `${words.due}: ${money(invoice.amount_remaining)}`,
      ]
      return reply
        .headers({ ...PAGE_HEADERS, 'content-type': 'application/pdf' })
        .header('content-disposition', `inline; filename="${invoice.number ?? 'invoice'}.pdf"`)
        .send(pdfOf(words.invoice(invoice.number ?? ''), lines))
    })
    done()
  })

  /** Handles a submitted card: pays, asks for the bank's confirmation, or shows the error. */
  async function answerCard(
    request: FastifyRequest,
    reply: FastifyReply,
    act: {
      readonly pay: (
        card: { number: string; expMonth: number; expYear: number },
        isConfirmed: boolean,
      ) => Promise<PageOutcome>
      readonly show: (problem: string, typed: { number: string; expiry: string }) => string
      readonly path: string
    },
  ) {
    const words = wordsOf(request)
    const typed = { number: field(request.body, 'number'), expiry: field(request.body, 'expiry') }
    const expiry = readExpiry(typed.expiry)
    if (expiry === undefined) return send(reply, act.show(words.wrongExpiry, typed), 400)
    const outcome = await act.pay({ number: typed.number, ...expiry }, field(request.body, 'confirmed') === 'yes')
    if (outcome.kind === 'challenge') return send(reply, challengePage(words, typed, act.path))
    if (outcome.kind === 'refused') return send(reply, act.show(refusalIn(words, outcome.code), typed), 400)
    // Redirects, so that a reload does not send the form again.
    return reply.redirect(act.path, 303)
  }
}

function actOf(stripe: StripePages, id: string, action: string, target: string): Promise<PageOutcome> | undefined {
  switch (action) {
    case 'keep':
    case 'end':
      return stripe.keepSubscription(id, target, action === 'keep')
    case 'choose':
      return stripe.chooseCard(id, target)
    case 'remove':
      return stripe.detachCard(id, target)
    default:
      return undefined
  }
}

/** The exact bytes, because the signature covers them. */
function addCallbackRoute(app: FastifyInstance, { takeCallback }: PaymentRoutesDeps): void {
  void app.register((routes, _options, done) => {
    routes.removeAllContentTypeParsers()
    const asBytes = { parseAs: 'buffer' } as const
    routes.addContentTypeParser('*', asBytes, (_request, bytes, parsed) => parsed(null, bytes))
    routes.post(
      '/callbacks/stripe',
      { config: { callbacks: true }, bodyLimit: LIMITS.callbackBytes },
      async (request, reply) => {
        const { body, headers } = request
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        await takeCallback(bytes, text(headers['stripe-signature']))
        return reply.type('text/plain; charset=utf-8').send('')
      },
    )
    done()
  })
}

const wordsOf = ({ headers }: FastifyRequest): PaymentWords => wordsIn(localeFor(headers['accept-language']).language)

/** A parameter that was sent twice is treated as missing. */
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** A form field as text; anything else is ''. */
function field(body: unknown, name: string): string {
  const value: unknown = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : ''
  return typeof value === 'string' ? value : ''
}
