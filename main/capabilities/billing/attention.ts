import { linesOfClients } from '../client-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { clientRow, clientsIn } from './clients-store.ts'
import type { Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import { money } from './offer-check.ts'
import { frozenAt } from './overview.ts'
import type { ProviderSettingsStore } from './settings.ts'
import { livingSubscriptions, mismatchedOrders, type OrderRow } from './store.ts'

interface Deps extends Pick<BillingDeps, 'db'> {
  readonly settings: Pick<ProviderSettingsStore, 'mode' | 'missing'>
  readonly customers: Pick<Customers, 'find' | 'nowMs'>
}

const DAY_MS = 86_400_000

/**
 * Issues for the overview: `past_due`, `frozen`, `amount_mismatch`; for a client `invoice_overdue`; for the operator
 * those of overdue clients and of clients whose terms Stripe rejected, and `not_configured`.
 */
export async function attentionOf(
  { db, settings, customers }: Deps,
  { accountId, role }: AttentionQuery,
): Promise<AttentionLine[]> {
  const mode = await settings.mode()
  const customer = await customers.find(accountId, mode)
  const nowMs = customers.nowMs(customer)
  // The clock of simulated billing may be ahead; issues of other rooms use this computer's time.
  const hereMs = (atMs: number | null) => (atMs === null ? null : atMs - (customer?.aheadMs ?? 0))
  const unpaid = (await db.read(livingSubscriptions, { accountId, mode })).filter(({ status }) => status !== 'active')
  const worst = unpaid.find(({ status }) => status === 'frozen') ?? unpaid[0]
  const mismatched = await db.read(mismatchedOrders, { accountId })
  const missing =
    role === 'operator' ? (await settings.missing()).filter(({ what }) => what !== 'callback_address') : []
  const line = { subject: null, text: null } as const
  const lines: AttentionLine[] = []
  if (worst !== undefined) {
    const isFrozen = worst.status === 'frozen'
    // Days left of the grace period.
    const days = Math.max(1, Math.ceil(((frozenAt(worst) ?? nowMs) - nowMs) / DAY_MS))
    lines.push({
      ...line,
      code: isFrozen ? 'frozen' : 'past_due',
      severity: 'error',
      count: isFrozen ? 1 : days,
      sinceMs: hereMs(isFrozen ? worst.frozenAtMs : worst.pastDueSinceMs),
    })
  }
  const [first] = mismatched
  if (first !== undefined) {
    lines.push({
      ...line,
      code: 'amount_mismatch',
      severity: 'error',
      count: mismatched.length,
      sinceMs: first.createdAtMs,
      text: howToEnd(first),
      detail: mismatchOf(first),
    })
  }
  const asClient = await db.readOne(clientRow, { clientId: accountId })
  if (asClient?.state === 'past_due') {
    lines.push({ ...line, code: 'invoice_overdue', severity: 'warning', count: 1, sinceMs: asClient.updatedAtMs })
  }
  if (role === 'operator') {
    const overdue = await db.read(clientsIn, { accountId, state: 'past_due' })
    const rejected = await db.read(clientsIn, { accountId, state: 'failed' })
    lines.push(...linesOfClients('warning', overdue))
    lines.push(...linesOfClients('warning', rejected).map((each) => ({ ...each, code: `rejected_${each.code}` })))
  }
  const [lacks] = missing
  if (lacks !== undefined) {
    const count = missing.length
    lines.push({
      ...{ ...line, code: 'not_configured', severity: 'warning', count, sinceMs: null, text: lacks.message },
      detail: { code: lacks.code ?? lacks.what, params: lacks.params ?? {} },
    })
  }
  return lines
}

/** Ids to search for at the payment provider. */
function mismatchOf({ id, amount, currency, paymentId, invoiceId, subscriptionId }: OrderRow) {
  const params = { order: id, payment: paymentId ?? invoiceId ?? '–', amount: money({ amount, currency }) }
  return subscriptionId === null
    ? { code: 'refund', params }
    : { code: 'refund_and_cancel', params: { ...params, subscription: subscriptionId } }
}

function howToEnd({ id, amount, currency, paymentId, invoiceId, subscriptionId }: OrderRow): string {
  const payment = paymentId ?? invoiceId ?? 'without an id'
  const end = subscriptionId === null ? '' : `cancel subscription ${subscriptionId} and `
  return (
    `Payment ${payment} of ${money({ amount, currency })} does not match order ${id}, so nothing was provided. ` +
    `At the payment provider, ${end}refund the payment. Then buy again.`
  )
}
