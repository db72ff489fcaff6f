import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { keyedRequest, type Created, type KeyedRequest } from '../../kernel/keyed-request.ts'
import type { BillingDeps } from './deps.ts'
import type { Wanted } from './offer-check.ts'
import { addOrder, orderById, pendingPlan, type OrderRow } from './store.ts'

/** A call that may be retried with its Idempotency-Key. */
export interface OrderCall {
  readonly accountId: AccountId
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

export interface OrderPlace {
  request(operation: string, call: OrderCall): KeyedRequest
  /** Commits the order and claims the key before any money is charged. */
  place(
    order: NewOrder,
    request: KeyedRequest,
    watch: (tx: Tx, order: OrderRow) => Promise<void>,
  ): Promise<OrderRow | Created>
  /** Stores the answer in the commit that makes it true. */
  settle(tx: Tx, order: OrderRow, request: KeyedRequest, body: object): Promise<Created>
}

interface NewOrder {
  readonly wanted: Wanted
  readonly checkoutId: string | null
  readonly amount: number
  readonly replaces: string | null
  readonly changeOf: string | null
  readonly prorationAtMs: number | null
  readonly methodId: string | null
}

type Deps = Pick<BillingDeps, 'db' | 'clock' | 'ids' | 'idempotency'>

export function createOrderPlace({ db, clock, ids, idempotency }: Deps): OrderPlace {
  return {
    request: (operation, { accountId: scopeId, rawBody, idempotencyKey: key }) =>
      keyedRequest({ db, idempotency }, { operation, scopeId, rawBody, key }),

    place({ wanted, checkoutId, amount, replaces, changeOf, prorationAtMs, methodId }, request, watch) {
      const { offer, instanceId, mode, customer, price } = wanted
      const { accountId } = customer
      const id = ids.tagged('ord')
      return db.commit(async (tx) => {
        const earlier = await request.claim(tx, id)
        if (earlier !== undefined) return { bytes: earlier, replayed: true }
        // A second order of a plan would create a second subscription.
        if (offer.plan !== null && (await tx.one(pendingPlan, { accountId, mode })) !== undefined) {
          throw new ApiError(
            'invalid_state',
            'Another purchase of a plan is still processing. Wait until it is paid or failed; GET /v1/billing/purchases shows it.',
          ).because('plan_processing')
        }
        const { plan, product, tier } = offer
        await tx.run(addOrder, {
          ...{ seq: await tx.next('billing_orders'), id, accountId, mode, status: 'processing' },
          ...{ plan, product, tier, instanceId, priceId: price.priceId, isRecurring: price.interval === null ? 0 : 1 },
          ...{ amount, currency: price.currency, checkoutId, expiresAtMs: null, replaces, changeOf, prorationAtMs },
          ...{ methodId, idemKey: request.key, createdAtMs: clock.now() },
        })
        const order = await tx.one(orderById, { id })
        if (order === undefined) throw new Error('The order just stored is not there')
        await watch(tx, order)
        return order
      })
    },

    async settle(tx, order, request, body) {
      const bytes = Buffer.from(JSON.stringify(body))
      await request.settle(tx, order.id, bytes)
      return { bytes, replayed: false }
    },
  }
}
