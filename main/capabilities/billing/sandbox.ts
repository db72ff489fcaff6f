import type { BillingFault } from '../../contract/billing-words.ts'
import type { Card, CardBody, Checkout, Purchase } from '../../contract/billing.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { StripeFault, type CardDetails } from '../../simulators/stripe/index.ts'
import type { Checkouts } from './checkout.ts'
import { cardOf, orUnavailable, type Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import { SANDBOX_KEY, type Providers } from './providers.ts'
import { toPurchase } from './record.ts'
import type { ProviderSettingsStore } from './settings.ts'
import { livingSubscriptions, orderById, saveAhead, type CustomerRow, type OrderRow } from './store.ts'
import type { Subscriptions } from './subscriptions.ts'

interface Deps extends Pick<BillingDeps, 'db' | 'clock' | 'simulator'> {
  readonly settings: ProviderSettingsStore
  readonly providers: Providers
  readonly customers: Customers
  readonly checkouts: Checkouts
  readonly subscriptions: Subscriptions
}

interface ClockView {
  readonly now: string
  readonly advanced_days: number
}

/** What a person could do on the simulated provider's pages, and the simulated time. */
export interface BillingSandbox {
  clock(accountId: AccountId): Promise<ClockView>
  advance(accountId: AccountId, days: number): Promise<ClockView>
  fail(accountId: AccountId, kind: BillingFault, times: number): Promise<void>
  saveCard(accountId: AccountId, card: CardBody): Promise<Card>
  pay(accountId: AccountId, checkoutId: string, card: CardBody, isConfirmed: boolean): Promise<Checkout>
  refund(accountId: AccountId, purchaseId: string, amount: number | null): Promise<Purchase>
}

const DAY_MS = 86_400_000

export function createBillingSandbox(deps: Deps): BillingSandbox {
  const { db, clock, simulator, settings, providers, customers, checkouts, subscriptions } = deps

  async function customerOf(accountId: AccountId): Promise<CustomerRow> {
    if ((await settings.mode()) === 'live') {
      throw new ApiError(
        'invalid_state',
        'Billing is live, so nothing is simulated. Switch it to the sandbox first.',
      ).because('billing_is_live')
    }
    return customers.ensure(accountId)
  }

  const viewOf = (customer: CustomerRow): ClockView => ({
    now: isoTime(customers.nowMs(customer)),
    advanced_days: customer.aheadMs / DAY_MS,
  })

  const detailsOf = ({ number, exp_month: month, exp_year: year }: CardBody): CardDetails => ({
    number,
    expMonth: month ?? 12,
    expYear: year ?? new Date(clock.now()).getUTCFullYear() + 3,
  })

  async function getOrder(accountId: AccountId, id: string): Promise<OrderRow> {
    const order = await db.readOne(orderById, { id })
    const isPurchase = order !== undefined && (order.checkoutId === null || order.status === 'paid')
    if (isPurchase && order.accountId === accountId) return order
    throw new ApiError('not_found', 'There is no purchase with this id.')
  }

  return {
    clock: async (accountId) => viewOf(await customerOf(accountId)),

    async advance(accountId, days) {
      const { customerId, mode } = await customerOf(accountId)
      const aheadMs = await simulator.advance(SANDBOX_KEY, customerId, days)
      await db.commit((tx) => tx.run(saveAhead, { customerId, aheadMs, now: clock.now() }))
      for (const { id } of await db.read(livingSubscriptions, { accountId, mode })) {
        const state = orUnavailable(await providers.sandbox.subscription(id))
        await db.commit((tx) => subscriptions.apply(tx, state))
      }
      await db.commit((tx) => subscriptions.settleGrace(tx, accountId, mode))
      return viewOf(await customerOf(accountId))
    },

    async fail(accountId, kind, times) {
      simulator.fail((await customerOf(accountId)).customerId, kind, times)
    },

    async saveCard(accountId, card) {
      const customer = await customerOf(accountId)
      try {
        await simulator.saveCard(SANDBOX_KEY, customer.customerId, detailsOf(card))
      } catch (error) {
        if (error instanceof StripeFault) throw asRefusal(error.body)
        throw error
      }
      await customers.refresh(customer)
      const saved = cardOf(await customers.find(accountId, 'sandbox'), customers.nowMs(customer))
      if (saved === null) throw new Error('The card just saved is not there')
      return saved
    },

    async pay(accountId, checkoutId, card, isConfirmed) {
      await customerOf(accountId)
      const order = await checkouts.getOrder(accountId, checkoutId)
      if (order.status !== 'open' || order.sessionId === null) {
        throw new ApiError('invalid_state', `This checkout is ${order.status}. Create a new one.`)
      }
      const outcome = await simulator.pages.payCheckout(order.sessionId, detailsOf(card), isConfirmed)
      if (outcome.kind === 'challenge') {
        throw new ApiError(
          'payment_action_required',
          'The bank asks the cardholder to confirm. Nothing was charged. Repeat the call with confirm_challenge: true.',
        )
      }
      if (outcome.kind === 'refused') throw asRefusal(outcome)
      return checkouts.get(accountId, checkoutId)
    },

    async refund(accountId, purchaseId, amount) {
      await customerOf(accountId)
      const order = await getOrder(accountId, purchaseId)
      if (order.paymentId === null) {
        throw new ApiError('invalid_state', 'Nothing was paid for this purchase, so nothing can be refunded.')
      }
      const key = `refund:${order.id}:${String(order.refunded)}:${String(amount)}`
      const done = await providers.sandbox.refund(order.paymentId, amount, key)
      if (done.kind === 'refused') throw new ApiError('invalid_state', done.message)
      orUnavailable(done)
      return toPurchase(await getOrder(accountId, purchaseId))
    },
  }
}

function asRefusal({ code, message }: { readonly code?: string; readonly message: string }): ApiError {
  const isState = code === 'resource_missing'
  return new ApiError(isState ? 'invalid_state' : 'card_declined', `${message} Nothing was charged or saved.`)
}
