import type { OrderBody } from '../../contract/billing.ts'
import type { PurchaseFailure } from '../../contract/billing-words.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Created, KeyedRequest } from '../../kernel/keyed-request.ts'
import { titleOf } from './catalogue.ts'
import { orUnavailable, type Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import { refuse, refuseOtherCurrency, type OfferCheck, type Wanted } from './offer-check.ts'
import type { Charged, PaymentProvider, PurchaseOrder } from './payment-provider.ts'
import type { OrderCall, OrderPlace } from './place-order.ts'
import type { Provisioning } from './provision.ts'
import { unavailable } from './providers.ts'
import { toPurchase } from './record.ts'
import type { ProviderSettingsStore } from './settings.ts'
import type { OrderRow } from './store.ts'
import type { BillingJobs } from './work.ts'

interface Deps extends Pick<BillingDeps, 'db' | 'log'> {
  readonly settings: ProviderSettingsStore
  readonly customers: Customers
  readonly check: OfferCheck
  readonly orders: OrderPlace
  readonly provisioning: Provisioning
  readonly work: Pick<BillingJobs, 'watchOrder'>
}

export type Purchase = (call: OrderCall & { readonly body: OrderBody }) => Promise<Created>

/** The poller checks after this time; the request itself has ended by then. */
const FIRST_LOOK_MS = 60_000

/**
 * Charges the saved card. The order is committed first, its id is the idempotency key at the provider, and the answer
 * is recorded in one commit with the purchase. After a crash or a timeout it stays `processing`, and the poller finds
 * out the result.
 */
export function createPurchase(deps: Deps): Purchase {
  const { db, log, settings, customers, check, orders, provisioning, work } = deps

  return async ({ body, ...call }) => {
    const { accountId } = call
    const request = orders.request('POST billing/purchases', call)
    const earlier = await request.earlier()
    if (earlier !== undefined) return { bytes: earlier, replayed: true }
    const { offer, instanceId } = await check.read(accountId, body)
    const wanted = await check.price(accountId, offer, instanceId)
    const block = await check.blockOf(accountId, wanted)
    if (block !== null) throw refuse(block)
    const { methodId, currency } = await customers.refresh(wanted.customer)
    if (methodId === null) throw noCard()
    refuseOtherCurrency(currency, wanted.price)
    const provider = await settings.provider(wanted.mode)
    const terms = await termsOf(provider, wanted)
    const placed = await orders.place(
      { wanted, checkoutId: null, replaces: null, methodId, ...terms },
      request,
      (tx, made) => work.watchOrder(tx, made, FIRST_LOOK_MS),
    )
    if ('bytes' in placed) return placed
    const charged = await chargeFor(provider, placed, wanted, methodId)
    return conclude(placed, request, charged)
  }

  /** The current amount: the price, or what is due for the rest of the period. */
  async function termsOf(provider: PaymentProvider, { customer, price, current }: Wanted) {
    if (current === null) return { amount: price.amount, changeOf: null, prorationAtMs: null }
    const at = customers.nowMs(customer)
    const ask = { customerId: customer.customerId, priceId: price.priceId, subscriptionId: current.id, at }
    const { amount_due_cents: amount } = orUnavailable(await provider.preview(ask))
    return { amount, changeOf: current.id, prorationAtMs: at }
  }

  function chargeFor(
    provider: PaymentProvider,
    order: OrderRow,
    { customer, price, offer }: Wanted,
    methodId: string,
  ): Promise<Charged> {
    const { amount, currency, priceId } = order
    const wish: PurchaseOrder = {
      ...{ orderId: order.id, customerId: customer.customerId, methodId, priceId, amount, currency },
      description: titleOf(offer),
    }
    if (order.changeOf !== null) return provider.changePlan(wish, order.changeOf, order.prorationAtMs ?? 0)
    return price.interval === null ? provider.charge(wish) : provider.subscribe(wish)
  }

  async function conclude(order: OrderRow, request: KeyedRequest, charged: Charged): Promise<Created> {
    switch (charged.kind) {
      case 'paid':
        return db.commit(async (tx) => {
          const paid = (await provisioning.provision(tx, order.id, charged.value)) ?? order
          return orders.settle(tx, paid, request, toPurchase(paid))
        })
      case 'unknown':
        log.warn({ event: 'billing.outcome_unknown', orderId: order.id })
        // The poller finds out the result; charging again could charge twice.
        return db.commit((tx) => orders.settle(tx, order, request, toPurchase(order)))
      case 'declined':
        await fail(order, charged.code)
        throw new ApiError(
          'card_declined',
          `${charged.message} Nothing was charged. Save another card, or use a checkout.`,
        )
      case 'action_required':
        await fail(order, 'payment_action_required')
        throw new ApiError(
          'payment_action_required',
          'The bank wants the cardholder to confirm this payment. Nothing was charged. Create a checkout and confirm it on its page.',
        )
      case 'not_sent':
        await fail(order, 'not_charged')
        throw unavailable('The payment provider cannot be reached. Nothing was charged; try again in a minute.')
      case 'refused':
        log.error({ event: 'billing.refused', orderId: order.id, code: charged.code })
        await fail(order, 'not_charged')
        throw unavailable(`The payment provider refused the purchase, and nothing was charged: ${charged.message}`)
    }
  }

  async function fail(order: OrderRow, code: PurchaseFailure): Promise<void> {
    await db.commit((tx) => provisioning.fail(tx, order.id, code))
  }
}

const noCard = () =>
  new ApiError(
    'no_saved_card',
    'The account has no saved card. Create a checkout; it saves the card for later purchases.',
  )
