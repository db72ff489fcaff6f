import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import type { Grants } from './grants.ts'
import type { Tell } from './history.ts'
import type { SubscriptionState } from './payment-provider.ts'
import {
  customerById,
  customerOf,
  livingSubscriptions,
  putSubscription,
  subscriptionById,
  type CustomerRow,
  type Mode,
  type OrderRow,
  type SubscriptionRow,
} from './store.ts'

const DAY_MS = 86_400_000
/** Grace period after a failed payment, in which everything still works. */
export const GRACE_MS = 7 * DAY_MS
/** Days before the end of the grace period on which a warning is sent. */
const WARN_DAYS = [3, 1]

export interface Subscriptions {
  /** A paid order begins a subscription or changes one. */
  begin(tx: Tx, order: OrderRow, subscriptionId: string): Promise<void>
  /** Copies the provider's state. @returns undefined for an unknown subscription. */
  apply(tx: Tx, state: SubscriptionState): Promise<SubscriptionRow | undefined>
  /** Ends expired grace periods and sends due warnings. @returns when to check again. */
  settleGrace(tx: Tx, accountId: AccountId, mode: Mode): Promise<number | null>
  /** Ends a subscription, after a checkout for another plan was paid. */
  end(tx: Tx, id: string): Promise<void>
}

interface Deps extends Pick<BillingDeps, 'live'> {
  readonly customers: Pick<Customers, 'nowMs'>
  readonly grants: Grants
  readonly tell: Tell
  /** Called in the commit in which an account starts to owe money. */
  readonly watch: (tx: Tx, accountId: AccountId, mode: Mode) => Promise<void>
}

export function createSubscriptions({ live, customers, grants, tell, watch }: Deps): Subscriptions {
  async function store(tx: Tx, row: SubscriptionRow, customer: CustomerRow | undefined): Promise<void> {
    await tx.run(putSubscription, { ...row, now: customers.nowMs(customer) })
    await grants.ofSubscription(tx, row)
    tx.afterCommit(() => live.publish(row.accountId, { topic: 'billing' }))
  }

  const about = ({ accountId, mode, plan, product, tier, orderId }: SubscriptionRow) => ({
    ...{ accountId, mode, plan, product, tier, orderId },
  })

  async function changed(before: SubscriptionRow, state: SubscriptionState, nowMs: number): Promise<SubscriptionRow> {
    const rest = { ...before, periodEndMs: state.periodEndMs, cancels: state.cancelsAtPeriodEnd ? 1 : 0 } as const
    if (state.status === 'ended')
      return { ...rest, status: 'ended', pastDueSinceMs: null, frozenAtMs: null, warnedDays: null }
    if (state.status !== 'past_due')
      return { ...rest, status: 'active', pastDueSinceMs: null, frozenAtMs: null, warnedDays: null }
    // The grace period counts from the first unpaid invoice, not from later ones.
    const since = before.pastDueSinceMs ?? state.unpaidSinceMs ?? nowMs
    return { ...rest, status: before.status === 'frozen' ? 'frozen' : 'past_due', pastDueSinceMs: since }
  }

  async function tellChange(tx: Tx, before: SubscriptionRow, after: SubscriptionRow, nowMs: number): Promise<void> {
    const facts = about(after)
    if (after.status === 'ended') return tell(tx, { ...facts, kind: 'ended', atMs: nowMs, once: `ended ${after.id}` })
    if (before.cancels !== after.cancels) {
      const kind = after.cancels === 1 ? 'cancel_scheduled' : 'cancel_undone'
      await tell(tx, { ...facts, kind, atMs: nowMs, once: `${kind} ${after.id} ${String(nowMs)}` })
    }
    if (before.status !== 'active' && after.status === 'active') {
      const once = `revived ${after.id} ${String(before.pastDueSinceMs)}`
      await tell(tx, { ...facts, kind: 'revived', atMs: nowMs, once })
    }
  }

  const settleOne = async (tx: Tx, row: SubscriptionRow, customer: CustomerRow | undefined): Promise<number | null> => {
    const { pastDueSinceMs: since } = row
    if (row.status !== 'past_due' || since === null) return null
    const nowMs = customers.nowMs(customer)
    const endMs = since + GRACE_MS
    if (nowMs >= endMs) {
      await store(tx, { ...row, status: 'frozen', frozenAtMs: endMs }, customer)
      await tell(tx, { ...about(row), kind: 'frozen', atMs: endMs, once: `frozen ${row.id} ${String(since)}` })
      return null
    }
    const due = WARN_DAYS.filter((days) => endMs - days * DAY_MS <= nowMs)
    const days = due.at(-1)
    if (days !== undefined && row.warnedDays !== days) {
      await store(tx, { ...row, warnedDays: days }, customer)
      const once = `grace ${row.id} ${String(since)} ${String(days)}`
      await tell(tx, { ...about(row), kind: 'grace_ends', atMs: endMs - days * DAY_MS, detail: String(days), once })
    }
    const next = [...WARN_DAYS.map((left) => endMs - left * DAY_MS), endMs].find((atMs) => atMs > nowMs)
    return next === undefined ? null : next - (customer?.aheadMs ?? 0)
  }

  const settleGrace: Subscriptions['settleGrace'] = async (tx, accountId, mode) => {
    const customer = await tx.one(customerOf, { accountId, mode })
    let next: number | null = null
    for (const row of await tx.all(livingSubscriptions, { accountId, mode })) {
      const atMs = await settleOne(tx, row, customer)
      if (atMs !== null) next = Math.min(next ?? Infinity, atMs)
    }
    return next
  }

  const end: Subscriptions['end'] = async (tx, id) => {
    const row = await tx.one(subscriptionById, { id })
    if (row === undefined || row.status === 'ended') return
    await store(tx, { ...row, status: 'ended', pastDueSinceMs: null, frozenAtMs: null, warnedDays: null }, undefined)
  }

  return {
    end,
    settleGrace,
    async begin(tx, order, id) {
      const { accountId, mode, plan, product, tier, id: orderId } = order
      const before = await tx.one(subscriptionById, { id })
      const customer = await tx.one(customerOf, { accountId, mode })
      await store(
        tx,
        {
          ...{ id, accountId, mode, orderId, plan, product, tier, status: 'active' },
          ...{ periodEndMs: before?.periodEndMs ?? null, cancels: 0 },
          ...{ pastDueSinceMs: null, frozenAtMs: null, warnedDays: null },
        },
        customer,
      )
      if (order.replaces !== null) await end(tx, order.replaces)
    },

    async apply(tx, state) {
      const before = await tx.one(subscriptionById, { id: state.id })
      if (before === undefined || state.status === 'incomplete') return undefined
      // An ended subscription stays ended: an older callback must not reopen it.
      if (before.status === 'ended') return before
      const customer = await tx.one(customerById, { customerId: state.customerId })
      const nowMs = customers.nowMs(customer)
      const after = await changed(before, state, nowMs)
      if (JSON.stringify(after) === JSON.stringify(before)) return before
      await store(tx, after, customer)
      await tellChange(tx, before, after, nowMs)
      if (after.status === 'past_due') {
        if (before.status === 'active') await watch(tx, after.accountId, after.mode)
        await settleGrace(tx, after.accountId, after.mode)
      }
      return after
    },
  }
}
