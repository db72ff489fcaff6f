import { createPrice, createProduct, updatePrice, updateProduct } from './catalogue.ts'
import { createSession, expireSession, shownSession } from './checkout.ts'
import { createCustomer, deleteCustomer, updateCustomer } from './customers.ts'
import { advanceClock } from './advance.ts'
import {
  accountObject,
  createEndpoint,
  createMeter,
  createMeterEvent,
  createTaxId,
  createTestClock,
  updateEndpoint,
  withoutSecret,
} from './extras.ts'
import { noSuch, unexpected } from './faults.ts'
import type { Reader } from './form.ts'
import { collect, finalize, namedMethod, subscriptionOf, voidInvoice } from './invoices.ts'
import type { Kind, Kinds } from './kinds.ts'
import { listOf, wholeList } from './lists.ts'
import { attach, createPaymentMethod, detach, methodNamed, methodsOf } from './payment-methods.ts'
import { cancelIntent, confirm, createIntent, settled } from './payments.ts'
import { createPortalSession } from './portal.ts'
import { previewInvoice } from './preview.ts'
import { createRefund } from './refunds.ts'
import { search } from './search.ts'
import { confirmSetup, createSetupIntent } from './setup-intents.ts'
import { cancelSubscription, createSubscription, onInvoicePaid, updateSubscription } from './subscriptions.ts'
import { idOf, type Work } from './unit.ts'

interface RouteCall {
  readonly work: Work
  readonly params: Reader
  /** Values of the placeholders in the path. */
  readonly ids: readonly string[]
  readonly url: string
}

export interface Route {
  readonly act: (call: RouteCall) => object
  /** Nothing is stored. */
  readonly isDry?: true
}

type Act = Route['act']

/** A list with its filters: parameters that equal a field of the objects. */
const listing =
  <K extends Kind>(kind: K, filters: Readonly<Record<string, (one: Kinds[K]) => unknown>> = {}): Act =>
  ({ work, params, url }) => {
    const given = Object.entries(filters).filter(([name]) => params.has(name))
    const all = work.unit.list(kind).filter((one) =>
      given.every(([name, field]) => {
        const wanted = params.texts(name)
        return wanted.length === 0 || wanted.includes(String(field(one)))
      }),
    )
    return listOf(url, all, params)
  }

const reading =
  (kind: Kind): Act =>
  ({ work, ids }) =>
    work.get(kind, ids[0] ?? '')

const searching =
  (kind: Kind): Act =>
  ({ work, params, url }) =>
    search(url, work.unit.list(kind), params)

const NONE = ''

const ROUTES: Readonly<Record<string, Act | Route>> = {
  'GET account': ({ work }) => accountObject(work.unit.account),
  'GET balance': ({ work }) => balanceOf(work),

  'POST customers': ({ work, params }) => createCustomer(work, params),
  'GET customers': listing('customer', { email: (one) => one.email, test_clock: (one) => one.test_clock }),
  'GET customers/search': searching('customer'),
  'GET customers/*': reading('customer'),
  'POST customers/*': ({ work, params, ids }) => updateCustomer(work, work.get('customer', ids[0] ?? NONE), params),
  'DELETE customers/*': ({ work, ids }) => deleteCustomer(work, work.get('customer', ids[0] ?? NONE)),
  'GET customers/*/payment_methods': ({ work, params, ids, url }) => {
    work.get('customer', ids[0] ?? NONE)
    return listOf(url, methodsOf(work, ids[0] ?? NONE), params)
  },
  'POST customers/*/tax_ids': ({ work, params, ids }) => createTaxId(work, ids[0] ?? NONE, params),
  'GET customers/*/tax_ids': ({ work, ids, url }) =>
    wholeList(
      url,
      work.unit.list('tax_id').filter((tax) => idOf(tax.customer) === ids[0]),
    ),
  'DELETE customers/*/tax_ids/*': ({ work, ids }) => {
    const tax = work.get('tax_id', ids[1] ?? NONE)
    work.unit.remove(tax.id)
    return { id: tax.id, object: 'tax_id', deleted: true }
  },

  'POST payment_methods': ({ work, params }) => createPaymentMethod(work, params),
  'GET payment_methods': ({ work, params, url }) => {
    const customer = params.text('customer')
    const all = customer ? methodsOf(work, customer) : work.unit.list('payment_method')
    return listOf(url, all, params)
  },
  'GET payment_methods/*': ({ work, ids }) => work.get('payment_method', ids[0] ?? NONE),
  'POST payment_methods/*/attach': ({ work, params, ids }) =>
    attach(work, methodNamed(work, ids[0] ?? NONE, 'id'), params.need('customer')),
  'POST payment_methods/*/detach': ({ work, ids }) => detach(work, work.get('payment_method', ids[0] ?? NONE)),

  'POST setup_intents': ({ work, params }) => createSetupIntent(work, params),
  'GET setup_intents': listing('setup_intent', { customer: (one) => one.customer }),
  'GET setup_intents/*': reading('setup_intent'),
  'POST setup_intents/*/confirm': ({ work, params, ids }) => {
    const intent = work.get('setup_intent', ids[0] ?? NONE)
    const method = params.text('payment_method') || idOf(intent.payment_method) || params.need('payment_method')
    return confirmSetup(work, intent, methodNamed(work, method), false)
  },

  'POST payment_intents': ({ work, params }) => createIntent(work, params),
  'GET payment_intents': listing('payment_intent', { customer: (one) => one.customer }),
  'GET payment_intents/search': searching('payment_intent'),
  'GET payment_intents/*': reading('payment_intent'),
  'POST payment_intents/*/confirm': ({ work, params, ids }) =>
    confirm(work, work.get('payment_intent', ids[0] ?? NONE), params),
  'POST payment_intents/*/cancel': ({ work, params, ids }) =>
    cancelIntent(work, work.get('payment_intent', ids[0] ?? NONE), params),
  'GET charges': listing('charge', { customer: (one) => one.customer, payment_intent: (one) => one.payment_intent }),
  'GET charges/search': searching('charge'),
  'GET charges/*': reading('charge'),
  'POST refunds': ({ work, params }) => createRefund(work, params),
  'GET refunds': listing('refund', { charge: (one) => one.charge, payment_intent: (one) => one.payment_intent }),
  'GET refunds/*': reading('refund'),

  'POST products': ({ work, params }) => createProduct(work, params),
  'GET products': listing('product', { active: (one) => one.active }),
  'GET products/search': searching('product'),
  'GET products/*': reading('product'),
  'POST products/*': ({ work, params, ids }) => updateProduct(work, work.get('product', ids[0] ?? NONE), params),
  'POST prices': ({ work, params }) => createPrice(work, params),
  'GET prices': listing('price', {
    active: (one) => one.active,
    product: (one) => one.product,
    type: (one) => one.type,
    currency: (one) => one.currency,
    lookup_keys: (one) => one.lookup_key,
  }),
  'GET prices/search': searching('price'),
  'GET prices/*': reading('price'),
  'POST prices/*': ({ work, params, ids }) => updatePrice(work, work.get('price', ids[0] ?? NONE), params),

  'POST subscriptions': ({ work, params }) => createSubscription(work, params),
  'GET subscriptions': ({ work, params, url }) => {
    const [customer, status, price] = [params.text('customer'), params.text('status'), params.text('price')]
    const all = work.unit.list('subscription').filter((one) => {
      if (customer && one.customer !== customer) return false
      if (price && !one.items.data.some((item) => item.price.id === price)) return false
      return status === 'all' || (status ? one.status === status : one.status !== 'canceled')
    })
    return listOf(url, all, params)
  },
  'GET subscriptions/search': searching('subscription'),
  'GET subscriptions/*': reading('subscription'),
  'POST subscriptions/*': ({ work, params, ids }) =>
    updateSubscription(work, work.get('subscription', ids[0] ?? NONE), params),
  'DELETE subscriptions/*': ({ work, params, ids }) =>
    cancelSubscription(work, work.get('subscription', ids[0] ?? NONE), params),
  'GET subscription_items': ({ work, params, url }) =>
    wholeList(url, work.get('subscription', params.need('subscription'), 'subscription').items.data),

  'GET invoices': listing('invoice', {
    customer: (one) => one.customer,
    status: (one) => one.status,
    subscription: subscriptionOf,
  }),
  'GET invoices/search': searching('invoice'),
  'POST invoices/create_preview': { act: ({ work, params }) => previewInvoice(work, params), isDry: true },
  'GET invoices/*': reading('invoice'),
  'GET invoices/*/lines': ({ work, ids }) => work.get('invoice', ids[0] ?? NONE).lines,
  'POST invoices/*/finalize': ({ work, ids }) => finalize(work, work.get('invoice', ids[0] ?? NONE)),
  'POST invoices/*/void': ({ work, ids }) => voidInvoice(work, work.get('invoice', ids[0] ?? NONE)),
  'POST invoices/*/pay': ({ work, params, ids }) => payInvoice(work, ids[0] ?? NONE, params),
  'GET invoice_payments': ({ work, params, url }) => {
    const [invoice, intent] = [params.text('invoice'), params.below('payment').text('payment_intent')]
    const all = work.unit.list('invoice_payment').filter((one) => {
      if (invoice && one.invoice !== invoice) return false
      return !intent || one.payment.payment_intent === intent
    })
    return listOf(url, all, params)
  },
  'GET invoiceitems': listing('invoiceitem', { customer: (one) => one.customer }),

  'POST checkout/sessions': ({ work, params }) => shownSession(createSession(work, params), false),
  'GET checkout/sessions': ({ work, params, url }) => {
    const [customer, status] = [params.text('customer'), params.text('status')]
    const all = work.unit
      .list('checkout_session')
      .filter((one) => (!customer || one.customer === customer) && (!status || one.status === status))
    return listOf(
      url,
      all.map((one) => shownSession(one, false)),
      params,
    )
  },
  'GET checkout/sessions/*': ({ work, ids }) => shownSession(work.get('checkout_session', ids[0] ?? NONE), false),
  'GET checkout/sessions/*/line_items': ({ work, ids }) =>
    work.get('checkout_session', ids[0] ?? NONE).line_items ?? wholeList('', []),
  'POST checkout/sessions/*/expire': ({ work, ids }) =>
    shownSession(expireSession(work, work.get('checkout_session', ids[0] ?? NONE)), false),
  'POST billing_portal/sessions': ({ work, params }) => createPortalSession(work, params),

  'GET events': listing('event', { type: (one) => one.type, types: (one) => one.type }),
  'GET events/*': reading('event'),
  'POST webhook_endpoints': ({ work, params }) => createEndpoint(work, params),
  'GET webhook_endpoints': ({ work, params, url }) =>
    listOf(url, work.unit.list('webhook_endpoint').map(withoutSecret), params),
  'GET webhook_endpoints/*': ({ work, ids }) => withoutSecret(work.get('webhook_endpoint', ids[0] ?? NONE)),
  'POST webhook_endpoints/*': ({ work, params, ids }) =>
    withoutSecret(updateEndpoint(work, work.get('webhook_endpoint', ids[0] ?? NONE), params)),
  'DELETE webhook_endpoints/*': ({ work, ids }) => {
    const endpoint = work.get('webhook_endpoint', ids[0] ?? NONE)
    work.unit.remove(endpoint.id)
    return { id: endpoint.id, object: 'webhook_endpoint', deleted: true }
  },

  'POST test_helpers/test_clocks': ({ work, params }) => createTestClock(work, params),
  'GET test_helpers/test_clocks': listing('test_clock'),
  'GET test_helpers/test_clocks/*': reading('test_clock'),
  'POST test_helpers/test_clocks/*/advance': ({ work, params, ids }) => advanceClock(work, ids[0] ?? NONE, params),
  'DELETE test_helpers/test_clocks/*': ({ work, ids }) => {
    const clock = work.get('test_clock', ids[0] ?? NONE)
    for (const one of work.unit.list('customer')) if (one.test_clock === clock.id) work.unit.remove(one.id)
    work.unit.remove(clock.id)
    return { id: clock.id, object: 'test_helpers.test_clock', deleted: true }
  },
  'POST billing/meters': ({ work, params }) => createMeter(work, params),
  'GET billing/meters': listing('meter', { status: (one) => one.status }),
  'POST billing/meter_events': ({ work, params }) => createMeterEvent(work, params),
}

function payInvoice(work: Work, id: string, params: Reader): object {
  const invoice = work.get('invoice', id)
  if (invoice.status === 'paid') throw unexpected('invoice_already_paid', 'Invoice is already paid')
  const open = invoice.status === 'draft' ? finalize(work, invoice) : invoice
  const present = params.boolean('off_session') === false
  const method = namedMethod(work, params.text('payment_method'))
  const { invoice: after, attempt } = collect(work, open, { ...method, present })
  if (attempt.kind === 'no_card') {
    throw unexpected('', 'There is no `default_payment_method` set on this Customer or Invoice.')
  }
  if (attempt.kind === 'paid' || after.status === 'paid') onInvoicePaid(work, after)
  else if (attempt.kind !== 'nothing_due') settled(attempt)
  return work.get('invoice', id)
}

function balanceOf(work: Work): object {
  const amount = work.unit
    .list('charge')
    .reduce((total, charge) => total + charge.amount_captured - charge.amount_refunded, 0)
  const entry = [{ amount, currency: 'usd', source_types: { card: amount } }]
  return { object: 'balance', available: entry, livemode: false, pending: [] }
}

const TABLE = Object.entries(ROUTES).map(([name, route]) => {
  const [method = '', path = ''] = name.split(' ')
  return { method, parts: path.split('/'), route: typeof route === 'function' ? { act: route } : route }
})

/** @param path after `/v1/`. @throws StripeFault for a path that Stripe or the simulator does not have. */
export function findRoute(method: string, path: readonly string[]): { route: Route; ids: string[] } {
  // Literal segments win over placeholders: /customers/search is not a customer.
  const candidates = TABLE.filter(
    ({ method: own, parts }) =>
      own === method && parts.length === path.length && parts.every((part, i) => part === '*' || part === path[i]),
  )
  const found = candidates.toSorted((a, b) => wildcards(a.parts) - wildcards(b.parts))[0]
  if (found === undefined) throw noSuch('route', `${method} /v1/${path.join('/')}`)
  return { route: found.route, ids: path.filter((_part, i) => found.parts[i] === '*') }
}

const wildcards = (parts: readonly string[]) => parts.filter((part) => part === '*').length
