import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../kernel/db.ts'
import { stillBusy, type Claim } from '../../kernel/idempotency.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { BillingDeps } from './deps.ts'
import type { Wanted } from './offer-check.ts'
import { addOrder, orderById, pendingPlan, type OrderRow } from './store.ts'

/** A call that may be repeated with its Idempotency-Key. */
export interface OrderCall {
  readonly accountId: AccountId
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

export interface Held {
  readonly key: string
  readonly fp: Buffer
}

/** An answer, or that of the first request with the same key. */
export interface Answered {
  readonly bytes: Buffer
  readonly replayed: boolean
}

export interface OrderPlace {
  held(operation: string, call: OrderCall): Held | null
  /** The answer to an earlier request with this key. @throws ApiError idempotency_in_progress, idempotency_conflict */
  earlier(accountId: AccountId, held: Held | null): Promise<Answered | undefined>
  /** Commits the order and claims the key, before any money moves. */
  place(
    order: NewOrder,
    held: Held | null,
    watch: (tx: Tx, order: OrderRow) => Promise<void>,
  ): Promise<OrderRow | Answered>
  /** In the commit that makes the answer true. */
  settle(tx: Tx, order: OrderRow, held: Held | null, body: object): Promise<Answered>
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
  const answered = (claim: Claim): Answered | undefined => {
    if (claim.kind === 'busy') throw stillBusy(claim)
    return claim.kind === 'replay' ? { bytes: claim.body, replayed: true } : undefined
  }

  return {
    held: (operation, { accountId, rawBody, idempotencyKey: key }) =>
      key === null ? null : { key, fp: idempotency.fingerprint(operation, accountId, rawBody) },
    earlier: async (accountId, held) =>
      held === null ? undefined : answered(await idempotency.peek(db, { scopeId: accountId, ...held })),

    place({ wanted, checkoutId, amount, replaces, changeOf, prorationAtMs, methodId }, held, watch) {
      const { offer, instanceId, mode, customer, price } = wanted
      const { accountId } = customer
      const id = ids.tagged('ord')
      return db.commit(async (tx) => {
        if (held !== null) {
          const claim = await idempotency.claim(tx, { scopeId: accountId, ...held, subjectId: id, boot: db.boot })
          const earlier = answered(claim)
          if (earlier !== undefined) return earlier
        }
        // Two of them would make two subscriptions.
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
          ...{ methodId, idemKey: held?.key ?? null, createdAtMs: clock.now() },
        })
        const order = await tx.one(orderById, { id })
        if (order === undefined) throw new Error('The order just stored is not there')
        await watch(tx, order)
        return order
      })
    },

    async settle(tx, order, held, body) {
      const bytes = Buffer.from(JSON.stringify(body))
      if (held !== null) await idempotency.settle(tx, order.accountId, held.key, 201, bytes, order.id)
      return { bytes, replayed: false }
    },
  }
}
