import type Stripe from 'stripe'
import type { Reader } from './form.ts'
import { isMetered, periodLine, usageLine, type LineDraft } from './invoice-lines.ts'
import { newInvoice } from './invoices.ts'
import { nextPeriodEnd } from './periods.ts'
import { itemFor, periodOf, planChange } from './proration.ts'
import { pendingLines } from './subscriptions.ts'
import { needId, type Work } from './unit.ts'

/** The invoice that a change would create now, or the next one. The caller drops the staged changes. */
export function previewInvoice(work: Work, params: Reader): Stripe.Invoice {
  const details = params.below('subscription_details')
  const id = params.text('subscription')
  if (!id) return previewNew(work, params, details)
  const subscription = work.get('subscription', id, 'subscription')
  const wanted = details.items('items')
  const period = periodOf(subscription)
  const customer = needId(subscription.customer)
  if (wanted.length > 0) {
    const at = details.integer('proration_date') ?? work.now(customer)
    const { lines, restarts, items } = planChange(work, subscription, wanted, at)
    if (restarts || details.text('proration_behavior') === 'always_invoice') {
      return draftOf(work, { customer, subscription, lines, period, currency: subscription.currency })
    }
    return upcoming(work, { ...subscription, items: { ...subscription.items, data: [...items] } }, lines)
  }
  return upcoming(work, subscription, [])
}

function upcoming(work: Work, subscription: Stripe.Subscription, more: readonly LineDraft[]): Stripe.Invoice {
  const period = periodOf(subscription)
  const customer = needId(subscription.customer)
  const recurring = subscription.items.data[0]?.price.recurring
  const next = nextPeriodEnd(subscription.billing_cycle_anchor, recurring, period.end)
  const lines = subscription.cancel_at_period_end
    ? []
    : subscription.items.data.map((item) =>
        isMetered(item)
          ? usageLine(work, item, customer, period.start, period.end)
          : periodLine(work, item, period.end, next),
      )
  const all = [...pendingLines(work, subscription).lines, ...more, ...lines]
  const invoice = draftOf(work, { customer, subscription, lines: all, period, currency: subscription.currency })
  return { ...invoice, next_payment_attempt: period.end }
}

function previewNew(work: Work, params: Reader, details: Reader): Stripe.Invoice {
  const customer = params.need('customer')
  const now = work.now(customer)
  const drafts = details.items('items').map((one) => itemFor(work, one, 'sub_preview', { start: now, end: now }))
  const recurring = drafts[0]?.price.recurring
  const end = nextPeriodEnd(now, recurring, now)
  const lines = drafts.filter((item) => !isMetered(item)).map((item) => periodLine(work, item, now, end))
  const currency = drafts[0]?.price.currency ?? 'usd'
  return draftOf(work, { customer, subscription: null, lines, period: { start: now, end }, currency })
}

function draftOf(
  work: Work,
  draft: {
    customer: string
    subscription: Stripe.Subscription | null
    lines: readonly LineDraft[]
    period: { start: number; end: number }
    currency: string
  },
): Stripe.Invoice {
  const { customer, subscription, lines, period, currency } = draft
  return newInvoice(
    work,
    { customer, subscription, lines, currency, reason: 'upcoming', start: period.start, end: period.end },
    true,
  )
}
