import type Stripe from 'stripe'
import type { Preview } from '../../../contract/billing.ts'
import { isoTime, isoTimeOrNull } from '../../../contract/request.ts'
import type { ProviderInvoice } from '../invoices.ts'

const time = (seconds: number) => isoTime(seconds * 1_000)

const STATUSES = ['draft', 'open', 'paid', 'uncollectible', 'void'] as const

export function toInvoice(invoice: Stripe.Invoice): ProviderInvoice {
  const [line] = invoice.lines.data
  return {
    id: invoice.id,
    number: invoice.number,
    status: STATUSES.find((status) => status === invoice.status) ?? 'draft',
    total_cents: invoice.total,
    amount_due_cents: invoice.amount_remaining,
    amount_paid_cents: invoice.amount_paid,
    currency: invoice.currency,
    created_at: time(invoice.created),
    due_at: isoTimeOrNull(dueMs(invoice)),
    // Stripe's period of an invoice is the previous one; people look for the period they paid for.
    period_start: time(line?.period.start ?? invoice.period_start),
    period_end: time(line?.period.end ?? invoice.period_end),
    description: line?.description ?? '',
    hosted_url: invoice.hosted_invoice_url ?? null,
    pdf_url: invoice.invoice_pdf ?? null,
  }
}

/** Only an invoice sent by email has a due date. One that is charged is due when Stripe first tries to charge it. */
function dueMs({ due_date: date, attempted, status_transitions: { finalized_at: finalized } }: Stripe.Invoice) {
  const seconds = date ?? (attempted ? finalized : null)
  return seconds === null ? null : seconds * 1_000
}

/** @param periodEnd of the subscription to change; null for a new one. */
export function toPreview(
  invoice: Stripe.Invoice,
  price: Stripe.Price,
  periodEnd: number | null,
): Omit<Preview, 'change' | 'blocked'> {
  const ends = [...invoice.lines.data.map(({ period }) => period.end), periodEnd ?? 0]
  const end = Math.max(...ends)
  return {
    amount_due_cents: invoice.amount_due,
    currency: invoice.currency,
    lines: invoice.lines.data.map((line) => ({
      description: line.description ?? '',
      amount_cents: line.amount,
      proration: line.parent?.subscription_item_details?.proration === true,
    })),
    credit_cents: Math.max(0, -invoice.starting_balance),
    next_payment:
      price.recurring === null || end === 0 ? null : { amount_cents: price.unit_amount ?? 0, at: time(end) },
  }
}
