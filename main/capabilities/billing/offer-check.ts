import type { OrderBody } from '../../contract/billing.ts'
import { ApiError } from '../../contract/errors.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { findOffer, offerOf, type Offer } from './catalogue.ts'
import type { Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import type { ProviderSettingsStore } from './settings.ts'
import {
  instanceOf,
  livingSubscriptions,
  type CustomerRow,
  type Mode,
  type PriceRow,
  type SubscriptionRow,
} from './store.ts'

/** An offer that may be bought now, with the account's current purchases. */
export interface Wanted {
  readonly offer: Offer
  readonly instanceId: string | null
  readonly mode: Mode
  readonly customer: CustomerRow
  readonly price: PriceRow
  /** The subscription of the account's current plan; null for products, and without a plan. */
  readonly current: SubscriptionRow | null
}

export interface Block {
  readonly reason: 'slots_in_use' | 'current_plan' | 'past_due'
  readonly message: string
  readonly slotsUsed: number
  readonly slotsAfter: number
}

export interface OfferCheck {
  /** Checks existence and form, before payment and state. @throws ApiError validation_error, not_found */
  read(accountId: AccountId, body: OrderBody): Promise<{ offer: Offer; instanceId: string | null }>
  /**
   * Reads the current price from the provider. @throws ApiError billing_unavailable, invalid_state if the price
   * changed.
   */
  price(accountId: AccountId, offer: Offer, instanceId: string | null): Promise<Wanted>
  /** Why the account may not buy it now; null if it may. */
  blockOf(accountId: AccountId, wanted: Pick<Wanted, 'offer' | 'mode' | 'current'>): Promise<Block | null>
}

interface Deps extends Pick<BillingDeps, 'db' | 'entitlements'> {
  readonly settings: ProviderSettingsStore
  readonly customers: Customers
}

export function createOfferCheck({ db, entitlements, settings, customers }: Deps): OfferCheck {
  return {
    async read(accountId, { instance_id: instance, ...choice }) {
      const offer = findOffer(choice)
      if (instance === undefined) return { offer, instanceId: null }
      const found = await db.readOne(instanceOf, { accountId, id: instance.toLowerCase() })
      if (found === undefined)
        throw new ApiError('not_found', 'instance_id names no instance of this account.').because('chosen_gone', {
          field: 'instance_id',
        })
      return { offer, instanceId: found.id }
    },

    async price(accountId, offer, instanceId) {
      await customers.requireOwnBilling(accountId)
      await requireReady(settings)
      const mode = await settings.mode()
      const customer = await customers.ensure(accountId)
      const shown = await settings.price(offer)
      await settings.refreshPrices([offer])
      const price = await settings.price(offer)
      if (price === undefined) {
        throw new ApiError(
          'billing_unavailable',
          `${offer.name} has no price at the payment provider. The operator runs the check in Billing.`,
        ).because('offer_no_price')
      }
      if (shown !== undefined && (shown.amount !== price.amount || shown.currency !== price.currency)) {
        throw new ApiError(
          'invalid_state',
          `The price of ${offer.name} has changed to ${money(price)}. Nothing was charged. Read the plans again, then repeat the call.`,
        ).because('price_changed', { price: money(price) })
      }
      const living = await db.read(livingSubscriptions, { accountId, mode })
      const current = offer.plan === null ? null : (living.find(({ plan }) => plan !== null) ?? null)
      return { offer, instanceId, mode, customer, price, current }
    },

    async blockOf(accountId, { offer, mode, current }) {
      const { used, total } = await entitlements.slots(accountId)
      const before = current === null ? 0 : (offerOf(current)?.slots ?? 0)
      const after = total + offer.slots - before
      const about = { slotsUsed: used, slotsAfter: after }
      const living = await db.read(livingSubscriptions, { accountId, mode })
      if (living.some(({ status }) => status !== 'active')) {
        const message = 'A payment of this account failed. Pay the open invoice first, then repeat the call.'
        return { ...about, reason: 'past_due', message }
      }
      if (current !== null && current.plan === offer.plan) {
        return { ...about, reason: 'current_plan', message: `The account already has the plan ${offer.name}.` }
      }
      if (offer.slots < before && used > after) {
        const message = `${offer.name} leaves ${String(after)} instance slots, and ${String(used)} are in use. Delete ${String(used - after)} instances first, or choose a larger plan.`
        return { ...about, reason: 'slots_in_use', message }
      }
      return null
    },
  }
}

/** @throws ApiError billing_unavailable that names the first missing setting. */
export async function requireReady(settings: Pick<ProviderSettingsStore, 'missing'>): Promise<void> {
  const [first] = (await settings.missing()).filter(({ what }) => what !== 'callback_address')
  if (first !== undefined)
    throw new ApiError('billing_unavailable', `Billing is not set up. ${first.message}`).because(
      `billing_missing_${first.what}`,
    )
}

export function refuse({ reason, message, slotsUsed, slotsAfter }: Block): ApiError {
  const error = new ApiError('invalid_state', message)
  if (reason === 'current_plan' || reason === 'past_due') return error.because(`buy_${reason}`)
  return error.because('buy_slots_in_use', { n: slotsAfter, over: slotsUsed - slotsAfter })
}

export const money = ({ amount, currency }: Pick<PriceRow, 'amount' | 'currency'>): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amount / 100)

/** @throws ApiError invalid_state: an account can pay in only one currency. */
export function refuseOtherCurrency(has: string | null, price: Pick<PriceRow, 'currency'>): void {
  if (has === null || has === price.currency) return
  throw new ApiError(
    'invalid_state',
    `This account pays in ${has.toUpperCase()}, and the price is in ${price.currency.toUpperCase()}. Nothing was charged. The operator adds a price in ${has.toUpperCase()}.`,
  ).because('currency_differs', { has: has.toUpperCase(), wants: price.currency.toUpperCase() })
}
