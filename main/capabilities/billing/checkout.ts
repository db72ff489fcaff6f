import type { Checkout, CheckoutBody } from '../../contract/billing.ts'
import { ApiError } from '../../contract/errors.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import type { Created } from '../../kernel/keyed-request.ts'
import type { Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import { refuse, refuseOtherCurrency, type OfferCheck } from './offer-check.ts'
import type { OrderCall, OrderPlace } from './place-order.ts'
import type { Provisioning } from './provision.ts'
import { unavailable } from './providers.ts'
import { toCheckout } from './record.ts'
import type { ProviderSettingsStore } from './settings.ts'
import { orderByCheckout, orderById, setSession, type OrderRow } from './store.ts'
import type { BillingJobs } from './work.ts'

interface Deps extends Pick<BillingDeps, 'db' | 'clock'> {
  readonly ids: Pick<Ids, 'tagged'>
  readonly settings: ProviderSettingsStore
  readonly customers: Customers
  readonly check: OfferCheck
  readonly orders: OrderPlace
  readonly provisioning: Provisioning
  readonly work: Pick<BillingJobs, 'watchOrder'>
  /** The URL to which the page returns. */
  readonly returnUrl: (checkoutId: string | null) => string
  /** Rewrites URLs of the simulator's pages to their current address. */
  readonly shown: (url: string) => string
}

export interface Checkouts {
  create(call: OrderCall & { readonly body: CheckoutBody }): Promise<Created>
  /** @throws ApiError not_found */
  get(accountId: AccountId, checkoutId: string): Promise<Checkout>
  /** @throws ApiError not_found */
  getOrder(accountId: AccountId, checkoutId: string): Promise<OrderRow>
  /** Somebody returned from the page: checks immediately instead of later. */
  returned(checkoutId: string): Promise<void>
}

const FIRST_LOOK_MS = 15_000
const DAY_MS = 86_400_000

export function createCheckouts(deps: Deps): Checkouts {
  const { db, clock, ids, settings, customers, check, orders, provisioning, work, returnUrl, shown } = deps

  const getOrder: Checkouts['getOrder'] = async (accountId, checkoutId) => {
    const order = await db.readOne(orderByCheckout, { checkoutId })
    if (order?.accountId === accountId) return order
    throw new ApiError('not_found', 'There is no checkout with this id.')
  }

  return {
    async create({ body: { language, ...body }, ...call }) {
      const { accountId } = call
      const request = orders.request('POST billing/checkouts', call)
      const earlier = await request.earlier()
      if (earlier !== undefined) return { bytes: earlier, replayed: true }
      const { offer, instanceId } = await check.read(accountId, body)
      const wanted = await check.price(accountId, offer, instanceId)
      const block = await check.blockOf(accountId, wanted)
      if (block !== null) throw refuse(block)
      const { customer, price, current, mode } = wanted
      const { currency } = await customers.refresh(customer)
      refuseOtherCurrency(currency, price)
      const checkoutId = ids.tagged('chk')
      const terms = { amount: price.amount, changeOf: null, prorationAtMs: null, methodId: null }
      const placed = await orders.place(
        { wanted, checkoutId, replaces: current?.id ?? null, ...terms },
        request,
        (tx, made) => work.watchOrder(tx, made, FIRST_LOOK_MS),
      )
      if ('bytes' in placed) return placed
      const session = await (
        await settings.provider(mode)
      ).createCheckout({
        ...{ orderId: placed.id, customerId: customer.customerId, priceId: price.priceId },
        isRecurring: price.interval !== null,
        successUrl: returnUrl(checkoutId),
        cancelUrl: returnUrl(null),
        ...(language !== undefined && { language }),
      })
      if (session.kind !== 'ok') {
        // The page was never shown, so nobody can pay on it.
        await db.commit((tx) => provisioning.fail(tx, placed.id, 'canceled'))
        throw unavailable(
          session.kind === 'refused'
            ? `The payment provider refused the checkout: ${session.message}`
            : 'The payment provider did not answer, and no checkout was created. Try again in a minute.',
        )
      }
      return db.commit(async (tx) => {
        await tx.run(setSession, { id: placed.id, ...session.value, url: session.value.url })
        const order = (await tx.one(orderById, { id: placed.id })) ?? placed
        return orders.settle(tx, order, request, toCheckout(order, shown))
      })
    },
    getOrder,
    get: async (accountId, checkoutId) => toCheckout(await getOrder(accountId, checkoutId), shown),

    async returned(checkoutId) {
      const order = await db.readOne(orderByCheckout, { checkoutId })
      const isWaiting = order?.status === 'open' && clock.now() - order.createdAtMs < 2 * DAY_MS
      const provider = isWaiting ? await settings.findProvider(order.mode) : undefined
      const customer = isWaiting ? await customers.find(order.accountId, order.mode) : undefined
      if (!isWaiting || provider === undefined || customer === undefined) return
      const { id: orderId, sessionId, changeOf } = order
      const ask = {
        orderId,
        sessionId,
        changeOf,
        isRecurring: order.isRecurring === 1,
        customerId: customer.customerId,
      }
      const state = await provider.reconcile(ask)
      if (state.kind === 'paid') await db.commit((tx) => provisioning.provision(tx, orderId, state.payment))
    },
  }
}
