import type { Tx } from '../../kernel/db.ts'
import { dueAt, dueIn } from '../../kernel/due.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { JobOutcome } from '../../kernel/job.ts'
import type { Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import type { OrderState, SubscriptionState } from './payment-provider.ts'
import type { Provisioning } from './provision.ts'
import type { ProviderSettingsStore } from './settings.ts'
import { livingSubscriptions, orderById, undecidedOrders, type Mode, type OrderRow } from './store.ts'
import type { Subscriptions } from './subscriptions.ts'

type RefInput = { readonly orderId: string }
type AccountInput = { readonly accountId: AccountId; readonly mode: Mode }
type FollowUpInput = {
  readonly orderId: string
  readonly subscriptionId: string | null
  readonly replaces: string | null
}
type PayInput = { readonly accountId: AccountId; readonly mode: Mode; readonly key: string }

export interface BillingJobs {
  /** Checks an order repeatedly until its outcome is known. */
  watchOrder(tx: Tx, order: Pick<OrderRow, 'id' | 'accountId'>, firstInMs: number): Promise<void>
  /** Runs at start. A restored backup may contain orders without the jobs that check them. */
  recover(): Promise<void>
  /** Ends the grace period on time. */
  watchGrace(tx: Tx, accountId: AccountId, mode: Mode): Promise<void>
  /** Does the remaining work at the provider after an order was provisioned. */
  followUp(tx: Tx, order: OrderRow): Promise<void>
  /** Pays what an account owes. @param key unique for each occasion. */
  payDebts(tx: Tx, input: PayInput): Promise<void>
}

interface Deps extends Pick<BillingDeps, 'db' | 'clock' | 'jobs'> {
  readonly settings: Pick<ProviderSettingsStore, 'findProvider'>
  readonly customers: Pick<Customers, 'find' | 'refresh'>
  readonly provisioning: () => Provisioning
  readonly subscriptions: () => Subscriptions
}

/** Requests at the provider have ended by then; an order that it does not know never arrived. */
const ABSENT_AFTER_MS = 5 * 60_000
const SOON_MS = 15_000
const PAGE = 100
const HOUR_MS = 3_600_000
const RETRIES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000]

/** Every 15 seconds while somebody is probably on the page, then less and less often. */
const pauseAfter = (ageMs: number) => (ageMs < 10 * 60_000 ? SOON_MS : ageMs < HOUR_MS ? 2 * 60_000 : 15 * 60_000)

/** The work of billing that happens later. */
export function createBillingJobs(deps: Deps): BillingJobs {
  const { db, clock, jobs, settings, customers } = deps
  const kind = {
    perLane: 1,
    concurrency: 4,
    deadlineMs: 120_000,
    retryDelaysMs: RETRIES_MS,
    keepsTrying: true,
  } as const

  const orders = jobs.define<RefInput, { order: OrderRow; state: OrderState } | null>({
    ...kind,
    name: 'billing.reconcile',
    async act({ input }) {
      const order = await db.readOne(orderById, { id: input.orderId })
      if (order === undefined || (order.status !== 'processing' && order.status !== 'open')) return null
      return { order, state: await stateOf(order) }
    },
    async record(tx, _run, found): Promise<JobOutcome> {
      if (found === null) return { kind: 'done' }
      const { order, state } = found
      const ageMs = clock.now() - order.createdAtMs
      const again = { kind: 'again', at: dueIn(clock, pauseAfter(ageMs)) } as const
      switch (state.kind) {
        case 'paid':
          await deps.provisioning().provision(tx, order.id, state.payment)
          return { kind: 'done' }
        case 'failed':
          await deps.provisioning().fail(tx, order.id, state.code)
          return { kind: 'done' }
        case 'absent':
          if (ageMs < ABSENT_AFTER_MS) return again
          await deps.provisioning().fail(tx, order.id, 'not_charged')
          return { kind: 'done' }
        case 'pending':
        case 'unknown':
          await deps.provisioning().keepAnswer(tx, order)
          return again
      }
    },
  })

  async function stateOf(order: OrderRow): Promise<OrderState> {
    const provider = await settings.findProvider(order.mode)
    const customer = await customers.find(order.accountId, order.mode)
    if (provider === undefined || customer === undefined) return { kind: 'unknown' }
    // A checkout without a session was never shown to anybody.
    if (order.checkoutId !== null && order.sessionId === null) return { kind: 'absent' }
    const { id: orderId, sessionId, changeOf } = order
    const isRecurring = order.isRecurring === 1
    return provider.reconcile({ orderId, sessionId, changeOf, isRecurring, customerId: customer.customerId })
  }

  const grace = jobs.define<AccountInput, null>({
    ...kind,
    name: 'billing.grace',
    act: () => Promise.resolve(null),
    async record(tx, { input }) {
      const atMs = await deps.subscriptions().settleGrace(tx, input.accountId, input.mode)
      return atMs === null ? { kind: 'done' } : { kind: 'again', at: dueAt(clock, atMs) }
    },
  })

  const followUps = jobs.define<FollowUpInput, SubscriptionState | null>({
    ...kind,
    name: 'billing.follow_up',
    async act({ input }) {
      const order = await db.readOne(orderById, { id: input.orderId })
      const provider = order && (await settings.findProvider(order.mode))
      if (order === undefined || provider === undefined) throw new Error('billing is not set up')
      const customer = await customers.find(order.accountId, order.mode)
      if (input.replaces !== null) must(await provider.endSubscription(input.replaces, 'now_with_credit'))
      // A card entered on a page is charged for later purchases.
      if (customer !== undefined) await customers.refresh(customer)
      if (input.subscriptionId === null) return null
      const state = await provider.subscription(input.subscriptionId)
      if (state.kind !== 'ok') throw new Error(`the subscription was not read (${state.kind})`)
      return state.value
    },
    async record(tx, _run, state) {
      if (state !== null) await deps.subscriptions().apply(tx, state)
      return { kind: 'done' }
    },
  })

  const debts = jobs.define<PayInput, readonly SubscriptionState[]>({
    ...kind,
    name: 'billing.pay_debts',
    async act({ input: { accountId, mode, key } }) {
      const provider = await settings.findProvider(mode)
      const customer = await customers.find(accountId, mode)
      const methodId = customer?.methodId ?? null
      if (provider === undefined || customer === undefined || methodId === null) return []
      const open = await provider.invoices(customer.customerId, { rows: 100, status: 'open' })
      if (open.kind !== 'ok') throw new Error(`open invoices were not read (${open.kind})`)
      for (const { id } of open.value.invoices.toReversed()) {
        const paid = await provider.payInvoice(id, methodId, `${key}:${id}`)
        if (paid.kind === 'unknown' || paid.kind === 'not_sent')
          throw new Error(`an invoice was not paid (${paid.kind})`)
      }
      const states: SubscriptionState[] = []
      for (const { id } of await db.read(livingSubscriptions, { accountId, mode })) {
        const state = await provider.subscription(id)
        if (state.kind === 'ok') states.push(state.value)
      }
      return states
    },
    async record(tx, _run, states) {
      for (const state of states) await deps.subscriptions().apply(tx, state)
      return { kind: 'done' }
    },
  })

  const watchOrder: BillingJobs['watchOrder'] = async (tx, { id, accountId }, firstInMs) => {
    await orders.add(tx, { accountId, subjectId: id, key: id, runAt: dueIn(clock, firstInMs), input: { orderId: id } })
  }

  return {
    watchOrder,
    async recover() {
      for (let afterSeq = 0; ;) {
        const undecided = await db.read(undecidedOrders, { afterSeq, rows: PAGE })
        await db.commit(async (tx) => {
          for (const order of undecided) {
            const { id, accountId, failureCode } = order
            // An earlier version looked it up without deciding, so the repeat needs another key.
            const key = failureCode === 'amount_mismatch' ? `${id}:mismatch` : id
            await orders.add(tx, { accountId, subjectId: id, key, input: { orderId: id } })
          }
        })
        afterSeq = undecided.at(-1)?.seq ?? afterSeq
        if (undecided.length < PAGE) return
      }
    },
    async watchGrace(tx, accountId, mode) {
      const subjectId = `${accountId}:${mode}`
      await grace.add(tx, { accountId, subjectId, input: { accountId, mode } })
    },
    async followUp(tx, { id, accountId, subscriptionId, replaces }) {
      const input = { orderId: id, subscriptionId, replaces }
      await followUps.add(tx, { accountId, subjectId: id, key: id, input })
    },
    async payDebts(tx, input) {
      const { accountId, key } = input
      await debts.add(tx, { accountId, subjectId: accountId, key, input })
    },
  }
}

function must(asked: { readonly kind: string; readonly code?: string }): void {
  // The subscription has already ended in an earlier run of this job.
  if (asked.kind === 'ok' || (asked.kind === 'refused' && asked.code === 'resource_missing')) return
  throw new Error(`the provider did not do it (${asked.kind})`)
}
