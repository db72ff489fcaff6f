import type { HISTORY_KINDS, HistoryEntry } from '../../contract/billing.ts'
import { isoTime } from '../../contract/request.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import { addHistory, type HistoryRow, type Mode } from './store.ts'

export interface Fact {
  readonly accountId: AccountId
  readonly mode: Mode
  readonly kind: (typeof HISTORY_KINDS)[number]
  readonly atMs: number
  /** Key that keeps a repeated event from being written twice. */
  readonly once: string
  readonly plan?: string | null
  readonly product?: string | null
  readonly tier?: string | null
  readonly amount?: number | null
  readonly currency?: string | null
  readonly orderId?: string | null
  readonly detail?: string | null
}

export type Tell = (tx: Tx, fact: Fact) => Promise<void>

/** Writes the billing history, in the commits that it describes. */
export function createHistory({ ids }: { readonly ids: Pick<Ids, 'tagged'> }): Tell {
  return async (tx, fact) => {
    const { accountId, mode, kind, atMs, once } = fact
    const { plan = null, product = null, tier = null, amount = null } = fact
    const { currency = null, orderId = null, detail = null } = fact
    await tx.run(addHistory, {
      ...{ seq: await tx.next('billing_history'), id: ids.tagged('bhy'), accountId, mode, kind, atMs, once },
      ...{ plan, product, tier, amount, currency, orderId, detail },
    })
  }
}

export const toEntry = (row: HistoryRow): HistoryEntry => ({
  id: row.id,
  // Written by `tell`.
  kind: row.kind as HistoryEntry['kind'],
  at: isoTime(row.atMs),
  plan: row.plan,
  product: row.product,
  tier: row.tier,
  amount_cents: row.amount,
  currency: row.currency,
  purchase_id: row.orderId,
  detail: row.detail,
})
