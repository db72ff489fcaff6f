import type { OrderBody, Preview, PreviewBody } from '../../contract/billing.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { offerOf, titleOf, type Offer } from './catalogue.ts'
import { orUnavailable, type Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import { refuseOtherCurrency, type OfferCheck, type Wanted } from './offer-check.ts'
import type { ProviderSettingsStore } from './settings.ts'
import type { PriceRow } from './store.ts'

interface Deps extends Pick<BillingDeps, 'entitlements'> {
  readonly settings: ProviderSettingsStore
  readonly customers: Customers
  readonly check: OfferCheck
}

/** The current cost of a purchase, and why it cannot be made. Charges and stores nothing. */
export function createPreview({ entitlements, settings, customers, check }: Deps) {
  async function termsOf({ customer, price, current, mode, offer }: Wanted, isSame: boolean) {
    if (price.interval === null) return paidOnce(offer, price)
    return orUnavailable(
      await (
        await settings.provider(mode)
      ).preview({
        ...{ customerId: customer.customerId, priceId: price.priceId },
        subscriptionId: isSame ? null : (current?.id ?? null),
        at: customers.nowMs(customer),
      }),
    )
  }

  return async (accountId: AccountId, body: PreviewBody): Promise<Preview> => {
    const order: OrderBody = body
    const { offer } = await check.read(accountId, order)
    const wanted = await check.price(accountId, offer, null)
    const { customer, price, current } = wanted
    const { methodId, currency } = await customers.refresh(customer)
    refuseOtherCurrency(currency, price)
    const block = await check.blockOf(accountId, wanted)
    const isSame = block?.reason === 'current_plan'
    const found = await termsOf(wanted, isSame)
    const before = current === null ? undefined : offerOf(current)
    const change = before === undefined ? 'new' : isSame ? 'same' : offer.slots < before.slots ? 'downgrade' : 'upgrade'
    const noCard = { reason: 'no_saved_card', message: 'The account has no saved card. Use a checkout.' } as const
    const { used, total } = await entitlements.slots(accountId)
    const slots = { slots_used: used, slots_after: total + offer.slots - (before?.slots ?? 0) }
    const blocked =
      block !== null
        ? { reason: block.reason, message: block.message, ...slots }
        : methodId === null
          ? { ...noCard, ...slots }
          : null
    return { ...found, change, blocked }
  }
}

/** The provider previews only subscriptions. One-time purchases are charged at their price, without credit. */
const paidOnce = (offer: Offer, { amount, currency }: PriceRow) => ({
  ...{ amount_due_cents: amount, currency, credit_cents: 0, next_payment: null },
  lines: [{ description: `1 × ${titleOf(offer)}`, amount_cents: amount, proration: false }],
})
