import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Cards } from './cards.ts'
import type { Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import type { Grants } from './grants.ts'
import type { Tell } from './history.ts'
import type { Callback, OrderState, PayEvent, PaymentProvider, SubscriptionState } from './payment-provider.ts'
import type { Provisioning } from './provision.ts'
import type { ProviderSettingsStore } from './settings.ts'
import {
  addCallback,
  callbackBody,
  callbackDone,
  customerById,
  orderById,
  orderByPayment,
  pruneCallbacks,
  setRefunded,
  subscriptionById,
  type CustomerRow,
  type Mode,
} from './store.ts'
import type { Subscriptions } from './subscriptions.ts'

type Input = { readonly owner: Mode; readonly eventId: string }

/** The provider's state for an event, ready to be recorded. */
interface Found {
  readonly callback: Callback
  readonly customer: CustomerRow | undefined
  readonly orders: ReadonlyMap<string, OrderState>
  readonly subscriptions: readonly SubscriptionState[]
}

export interface BillingCallbacks {
  /** Resolves once the exact bytes are durable; they are processed afterwards. @throws ApiError unauthorized, not_found */
  take(body: Buffer, signature: string | undefined): Promise<void>
  readonly chore: Chore
}

interface Deps extends Pick<BillingDeps, 'db' | 'clock' | 'jobs' | 'live'> {
  readonly settings: ProviderSettingsStore
  readonly customers: Customers
  readonly provisioning: Provisioning
  readonly subscriptions: Subscriptions
  readonly grants: Grants
  readonly tell: Tell
  readonly cards: Cards
}

const KEPT_MS = 30 * 86_400_000
const PRUNED_AT_ONCE = 500

/**
 * Callbacks may come twice, in any order, before the answer they belong to, or never. An event only says what to
 * read; the state that is then read from the provider decides.
 */
export function createBillingCallbacks(deps: Deps): BillingCallbacks {
  const { db, clock, jobs, settings, customers, provisioning, subscriptions, cards, tell } = deps

  const queue = jobs.define<Input, Found | null>({
    name: 'billing.callback',
    perLane: 1,
    concurrency: 4,
    deadlineMs: 120_000,
    retryDelaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000],
    async act({ input }) {
      const row = await db.readOne(callbackBody, input)
      const provider = await settings.findProvider(input.owner)
      if (row === undefined || row.processedAtMs !== null) return null
      if (provider === undefined) throw new Error('billing is not set up')
      return gather(provider, provider.parseCallback(Buffer.from(row.body)))
    },
    async record(tx, { input }, found) {
      if (found !== null) await write(tx, found)
      await tx.run(callbackDone, { ...input, now: clock.now() })
      return { kind: 'done' }
    },
  })

  async function gather(provider: PaymentProvider, callback: Callback): Promise<Found> {
    const { customerId, events } = callback
    const row = customerId === null ? undefined : await db.readOne(customerById, { customerId })
    if (row === undefined) return { callback, customer: undefined, orders: new Map(), subscriptions: [] }
    const orders = new Map<string, OrderState>()
    for (const event of events) {
      if (event.kind !== 'order' || orders.has(event.orderId)) continue
      const state = await lookUp(provider, row, event.orderId)
      if (state?.kind === 'unknown') throw new Error('the order was not read')
      if (state !== undefined) orders.set(event.orderId, state)
    }
    const ids = new Set(events.flatMap((event) => ('subscriptionId' in event ? (event.subscriptionId ?? []) : [])))
    const states: SubscriptionState[] = []
    for (const id of ids) {
      const state = await provider.subscription(id)
      if (state.kind === 'ok') states.push(state.value)
      else if (state.kind !== 'refused') throw new Error(`a subscription was not read (${state.kind})`)
    }
    if (events.some(({ kind }) => kind === 'card_saved')) await cards.saved(row)
    else if (events.some(({ kind }) => kind === 'customer')) await customers.refresh(row)
    return { callback, customer: row, orders, subscriptions: states }
  }

  async function lookUp(provider: PaymentProvider, customer: CustomerRow, orderId: string) {
    const order = await db.readOne(orderById, { id: orderId })
    if (order === undefined || order.accountId !== customer.accountId || order.status === 'paid') return undefined
    const { sessionId, changeOf } = order
    // The session is stored just after it was created; the callback can arrive earlier.
    if (order.checkoutId !== null && sessionId === null) throw new Error('the checkout is not stored yet')
    const isRecurring = order.isRecurring === 1
    return provider.reconcile({ orderId, sessionId, changeOf, isRecurring, customerId: customer.customerId })
  }

  async function write(tx: Tx, { callback, customer, orders, subscriptions: states }: Found): Promise<void> {
    if (customer === undefined) return
    for (const [orderId, state] of orders) {
      if (state.kind === 'paid') await provisioning.provision(tx, orderId, state.payment)
      if (state.kind === 'failed') await provisioning.fail(tx, orderId, state.code)
    }
    for (const event of callback.events) await writeEvent(tx, event, callback, customer)
    for (const state of states) await subscriptions.apply(tx, state)
    tx.afterCommit(() => deps.live.publish(customer.accountId, { topic: 'billing' }))
  }

  async function writeEvent(tx: Tx, event: PayEvent, { createdMs }: Callback, customer: CustomerRow): Promise<void> {
    const { accountId, mode } = customer
    switch (event.kind) {
      case 'invoice_paid':
      case 'invoice_failed': {
        if (event.kind === 'invoice_paid' && !event.isRenewal) return
        const about =
          event.subscriptionId === null ? undefined : await tx.one(subscriptionById, { id: event.subscriptionId })
        const { invoiceId, amount, currency } = event
        const kind = event.kind === 'invoice_paid' ? 'renewed' : 'payment_failed'
        const once =
          event.kind === 'invoice_paid' ? `renewed ${invoiceId}` : `failed ${invoiceId} ${String(event.attempt)}`
        const { plan = null, product = null, tier = null } = about ?? {}
        return tell(tx, { accountId, mode, kind, atMs: createdMs, amount, currency, plan, product, tier, once })
      }
      case 'refund':
        return refund(tx, event, accountId, createdMs)
      case 'order':
      case 'subscription':
      case 'customer':
      case 'card_saved':
        return
    }
  }

  async function refund(tx: Tx, event: Extract<PayEvent, { kind: 'refund' }>, accountId: AccountId, atMs: number) {
    const order = await tx.one(orderByPayment, { paymentId: event.paymentId })
    if (order === undefined || order.accountId !== accountId) return
    const { id: orderId, mode, plan, product, tier, currency } = order
    await tx.run(setRefunded, { id: orderId, refunded: event.refunded })
    const once = `refunded ${orderId} ${String(event.refunded)}`
    await tell(tx, {
      accountId,
      mode,
      kind: 'refunded',
      atMs,
      amount: event.refunded,
      ...{ currency, plan, product, tier, orderId, once },
    })
    // A full refund revokes a one-time order. What a subscription gives ends with the subscription.
    if (event.isWhole && order.subscriptionId === null) await deps.grants.revokeOrder(tx, orderId)
  }

  return {
    async take(body, signature) {
      let refusal: ApiError | undefined
      // The simulator is not started for callbacks of live mode.
      const modes: readonly Mode[] = (await settings.mode()) === 'live' ? ['live'] : ['sandbox', 'live']
      for (const mode of modes) {
        const secret = await settings.callbackSecret(mode)
        const provider = await settings.findProvider(mode)
        if (secret === undefined || provider === undefined) continue
        try {
          const { id: eventId } = await provider.readCallback(body, signature, secret, clock.now())
          return await db.commit(async (tx) => {
            const isNew = await tx.run(addCallback, { owner: mode, eventId, body, now: clock.now() })
            if (isNew === 0) return
            // Events of the operator's own Stripe account; they belong to no account here.
            const accountId = mode as string as AccountId
            await queue.add(tx, {
              accountId,
              subjectId: `billing:${mode}`,
              key: `${mode} ${eventId}`,
              input: { owner: mode, eventId },
            })
          })
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          refusal = error
        }
      }
      throw refusal ?? new ApiError('not_found', 'Billing is not set up here.')
    },
    chore: {
      name: 'billing.callbacks',
      begin: () => async () =>
        (await db.commit((tx) => tx.run(pruneCallbacks, { before: clock.now() - KEPT_MS, limit: PRUNED_AT_ONCE }))) ===
        PRUNED_AT_ONCE,
    },
  }
}
