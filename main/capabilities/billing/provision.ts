import type { PurchaseFailure } from '../../contract/billing-words.ts'
import type { Tx } from '../../kernel/db.ts'
import type { Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import type { Grants } from './grants.ts'
import type { Fact, Tell } from './history.ts'
import type { Payment } from './payment-provider.ts'
import { toPurchase } from './record.ts'
import { customerOf, orderById, settleFailed, settleMismatched, settlePaid, type OrderRow } from './store.ts'
import type { Subscriptions } from './subscriptions.ts'

export interface Provisioning {
  /**
   * Provisions a paid order exactly once. It may be called by the provider's answer, a callback, the return from the
   * page and the poller, in any order.
   * @returns the updated order.
   */
  provision(tx: Tx, orderId: string, payment: Payment): Promise<OrderRow | undefined>
  /** Nothing was charged. */
  fail(tx: Tx, orderId: string, code: PurchaseFailure): Promise<OrderRow | undefined>
  /** The request ends before the outcome is known: a repeat is answered with the order's state. */
  keepAnswer(tx: Tx, order: OrderRow): Promise<void>
}

interface Deps extends Pick<BillingDeps, 'live' | 'clock' | 'log' | 'idempotency'> {
  readonly customers: Pick<Customers, 'nowMs'>
  readonly grants: Grants
  readonly subscriptions: Pick<Subscriptions, 'begin'>
  readonly tell: Tell
  /** Work left to do at the provider, added in the same commit. */
  readonly followUp: (tx: Tx, order: OrderRow) => Promise<void>
}

const isMismatched = ({ status, failureCode }: OrderRow): boolean =>
  status === 'failed' && failureCode === 'amount_mismatch'

export function createProvisioning(deps: Deps): Provisioning {
  const { live, log, idempotency, customers, grants, subscriptions, tell, followUp } = deps
  const publish = (tx: Tx, { accountId }: OrderRow) =>
    tx.afterCommit(() => live.publish(accountId, { topic: 'billing' }))

  async function factOf(tx: Tx, order: OrderRow, kind: Fact['kind']): Promise<Fact> {
    const { accountId, mode, plan, product, tier, amount, currency, id: orderId } = order
    const atMs = customers.nowMs(await tx.one(customerOf, { accountId, mode }))
    return { accountId, mode, kind, atMs, plan, product, tier, amount, currency, orderId, once: `${kind} ${orderId}` }
  }

  /** The request may have ended without an answer, in a crash or because storage failed. */
  async function keepAnswer(tx: Tx, order: OrderRow): Promise<void> {
    const { accountId, id, idemKey } = order
    // The answer of a checkout request is not kept: its page was shown to nobody.
    if (idemKey === null || order.checkoutId !== null) return
    await idempotency.settle(tx, accountId, idemKey, 201, Buffer.from(JSON.stringify(toPurchase(order))), id)
  }

  /** Not refunded automatically: the provider keeps its fees, and a person may have to talk to the buyer. */
  async function settleOther(tx: Tx, order: OrderRow, payment: Payment): Promise<OrderRow | undefined> {
    const { id } = order
    await tx.run(settleMismatched, { id, ...payment })
    log.error({ event: 'billing.amount_mismatch', orderId: id })
    await tell(tx, { ...(await factOf(tx, order, 'purchase_failed')), detail: 'amount_mismatch' })
    publish(tx, order)
    const settled = await tx.one(orderById, { id })
    if (settled !== undefined) await keepAnswer(tx, settled)
    return settled
  }

  return {
    keepAnswer,
    async provision(tx, orderId, payment) {
      const order = await tx.one(orderById, { id: orderId })
      if (order === undefined || order.status === 'paid' || isMismatched(order)) return order
      // Credit may lower the amount; a higher amount or another currency was not agreed to.
      if (payment.currency !== order.currency || payment.amount > order.amount) return settleOther(tx, order, payment)
      const { amount, currency, subscriptionId, paymentId, invoiceId } = payment
      const now = deps.clock.now()
      await tx.run(settlePaid, { id: orderId, amount, currency, subscriptionId, paymentId, invoiceId, now })
      const paid = await tx.one(orderById, { id: orderId })
      if (paid === undefined) throw new Error('The order just settled is not there')
      if (subscriptionId === null) await grants.ofOrder(tx, paid)
      else await subscriptions.begin(tx, paid, subscriptionId)
      const kind =
        paid.plan === null
          ? 'product_bought'
          : (paid.changeOf ?? paid.replaces) === null
            ? 'subscribed'
            : 'plan_changed'
      await tell(tx, await factOf(tx, paid, kind))
      await keepAnswer(tx, paid)
      await followUp(tx, paid)
      publish(tx, paid)
      return paid
    },

    async fail(tx, orderId, code) {
      const order = await tx.one(orderById, { id: orderId })
      if (order === undefined) return undefined
      const status = order.checkoutId === null ? 'failed' : 'expired'
      if ((await tx.run(settleFailed, { id: orderId, status, code })) > 0 && status === 'failed') {
        await tell(tx, { ...(await factOf(tx, order, 'purchase_failed')), detail: code })
      }
      // Nothing was charged, so the same key may buy again.
      if (order.idemKey !== null) await idempotency.release(tx, order.accountId, order.idemKey, orderId)
      publish(tx, order)
      return tx.one(orderById, { id: orderId })
    },
  }
}
