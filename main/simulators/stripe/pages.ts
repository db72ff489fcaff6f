import type Stripe from 'stripe'
import { ApiError } from '../../contract/errors.ts'
import type { StripeApi } from './api.ts'
import { completeSession, makeDefault } from './checkout.ts'
import { StripeFault } from './faults.ts'
import { Reader } from './form.ts'
import { collect, finalize } from './invoices.ts'
import { attach, createCard, detach, methodsOf, type CardDetails } from './payment-methods.ts'
import type { StripeStore } from './store.ts'
import { onInvoicePaid, updateSubscription } from './subscriptions.ts'
import { idOf, PAGES, type Work } from './unit.ts'

/** The result of submitting a form on one of the pages. */
export type PageOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'challenge' }
  /** Stripe's message and code; pages in other languages have their own text for the code. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }

export interface PortalView {
  readonly id: string
  readonly returnUrl: string | null
  readonly email: string | null
  readonly subscriptions: readonly Stripe.Subscription[]
  readonly cards: readonly Stripe.PaymentMethod[]
  readonly defaultCard: string | null
  readonly invoices: readonly Stripe.Invoice[]
  /** The name of what a subscription item is for. */
  readonly nameOf: (item: Stripe.SubscriptionItem) => string
}

/** The hosted pages without their design. Ids cannot be guessed; knowing one gives access to the page. */
export interface StripePages {
  /** @throws ApiError not_found, like all functions here. */
  checkout(id: string): Stripe.Checkout.Session
  payCheckout(id: string, card: CardDetails, isConfirmed: boolean): Promise<PageOutcome>
  portal(id: string): PortalView
  saveCard(id: string, card: CardDetails): Promise<PageOutcome>
  detachCard(id: string, method: string): Promise<PageOutcome>
  chooseCard(id: string, method: string): Promise<PageOutcome>
  keepSubscription(id: string, subscription: string, isKept: boolean): Promise<PageOutcome>
  /** @param token id and secret of an invoice. */
  invoice(token: string): Stripe.Invoice
  payInvoice(token: string, card: CardDetails, isConfirmed: boolean): Promise<PageOutcome>
}

interface Deps {
  readonly api: StripeApi
  readonly store: StripeStore
}

/** Thrown to drop staged changes of a payment when the bank asks for confirmation first. */
class Challenged extends Error {}

export function createStripePages({ api, store }: Deps): StripePages {
  /** The account of an object; ids are unique across accounts. */
  function accountOf(id: string): string {
    const found = store.accounts().find((account) => store.begin(account).any(id) !== undefined)
    if (found === undefined) throw new ApiError('not_found', 'There is no such page. It may have expired.')
    return found
  }

  async function attempt(account: string, act: (work: Work) => void): Promise<PageOutcome> {
    try {
      await api.act(account, act)
      return { kind: 'done' }
    } catch (error) {
      if (error instanceof Challenged) return { kind: 'challenge' }
      if (!(error instanceof StripeFault)) throw error
      const { code = '', decline_code: decline, message } = error.body
      return { kind: 'refused', code: decline ?? code, message }
    }
  }

  const sessionOf = (work: Work, id: string) => work.get('portal_session', id)

  const ofPortal = (id: string, act: (work: Work, customer: string) => void) =>
    attempt(accountOf(id), (work) => act(work, sessionOf(work, id).customer))

  function invoiceOf(token: string): { account: string; id: string } {
    const id = /^in_[0-9A-Za-z]+/.exec(token)?.[0] ?? ''
    const account = accountOf(id)
    const invoice = store.begin(account).find('invoice', id)
    if (invoice?.hosted_invoice_url !== `${PAGES}/invoice/${token}`)
      throw new ApiError('not_found', 'There is no such page.')
    return { account, id }
  }

  return {
    checkout(id) {
      const session = id.startsWith('cs_') ? store.begin(accountOf(id)).find('checkout_session', id) : undefined
      if (session === undefined) throw new ApiError('not_found', 'There is no such page. It may have expired.')
      return session
    },
    payCheckout: (id, card, isConfirmed) =>
      attempt(accountOf(id), (work) => {
        const session = work.get('checkout_session', id)
        if (completeSession(work, session, card, isConfirmed) === 'challenge') throw new Challenged()
      }),

    portal(id) {
      const account = accountOf(id)
      return api.look(account, (work) => {
        const session = work.unit.find('portal_session', id)
        if (session === undefined) throw new ApiError('not_found', 'There is no such page. It may have expired.')
        const { customer, return_url } = session
        const owner = work.get('customer', customer)
        return {
          id,
          returnUrl: return_url,
          email: owner.email,
          subscriptions: work.unit
            .list('subscription')
            .filter((one) => one.customer === customer && one.status !== 'canceled'),
          cards: methodsOf(work, customer),
          defaultCard: idOf(owner.invoice_settings.default_payment_method),
          invoices: work.unit.list('invoice').filter((one) => one.customer === customer),
          nameOf: ({ price }) => work.unit.find('product', work.get('price', price.id).product)?.name ?? price.id,
        }
      })
    },
    saveCard: (id, card) =>
      ofPortal(id, (work, customer) => {
        const method = attach(work, createCard(work, card), customer)
        makeDefault(work, customer, method.id)
      }),
    detachCard: (id, method) => ofPortal(id, (work, customer) => void detach(work, ownMethod(work, customer, method))),
    chooseCard: (id, method) =>
      ofPortal(id, (work, customer) => makeDefault(work, customer, ownMethod(work, customer, method).id)),
    keepSubscription: (id, subscription, isKept) =>
      ofPortal(id, (work, customer) => {
        const found = work.get('subscription', subscription)
        if (found.customer !== customer) throw new ApiError('not_found', 'There is no such subscription.')
        updateSubscription(work, found, new Reader({ cancel_at_period_end: String(!isKept) }))
      }),

    invoice(token) {
      const { account, id } = invoiceOf(token)
      return api.look(account, (work) => work.get('invoice', id))
    },
    payInvoice(token, card, isConfirmed) {
      const { account, id } = invoiceOf(token)
      return attempt(account, (work) => {
        const invoice = work.get('invoice', id)
        const open = invoice.status === 'draft' ? finalize(work, invoice) : invoice
        const method = createCard(work, card)
        const { invoice: after, attempt: made } = collect(work, open, { method, present: true, isConfirmed })
        if (made.kind === 'challenge') throw new Challenged()
        if (made.kind === 'declined') throw new StripeFault(402, { type: 'card_error', ...made.decline })
        onInvoicePaid(work, after)
      })
    },
  }
}

function ownMethod(work: Work, customer: string, id: string): Stripe.PaymentMethod {
  const method = work.get('payment_method', id)
  if (idOf(method.customer) !== customer) throw new ApiError('not_found', 'There is no such card.')
  return method
}
