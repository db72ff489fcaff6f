import type Stripe from 'stripe'
import type { Callback, PayEvent } from '../payment-provider.ts'

const idOf = (reference: string | { readonly id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null)

/** Converts a Stripe event. Events that do not matter here become an empty callback. */
export function readEvent(event: Stripe.Event): Callback {
  const object = event.data.object as { customer?: string | { id: string } | null; id?: string; object?: string }
  return {
    id: event.id,
    type: event.type,
    createdMs: event.created * 1_000,
    customerId: object.object === 'customer' ? (object.id ?? null) : (idOf(object.customer) ?? formerOwner(event)),
    events: eventsOf(event),
  }
}

/** A detached card no longer names its customer. */
function formerOwner(event: Stripe.Event): string | null {
  const before = event.data.previous_attributes as { customer?: unknown } | undefined
  return typeof before?.customer === 'string' ? before.customer : null
}

function eventsOf(event: Stripe.Event): PayEvent[] {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired': {
      const { metadata, mode } = event.data.object
      return [...orderIn(metadata), ...(mode === 'setup' ? [CUSTOMER] : [])]
    }
    case 'payment_intent.succeeded':
      return orderIn(event.data.object.metadata)
    case 'invoice.paid':
    case 'invoice.payment_failed':
      return invoiceEvents(event.type, event.data.object)
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return [{ kind: 'subscription', subscriptionId: event.data.object.id }, ...orderIn(event.data.object.metadata)]
    case 'payment_method.attached':
      return [{ kind: 'card_saved' }]
    case 'customer.updated':
    case 'payment_method.detached':
    case 'payment_method.updated':
    case 'payment_method.automatically_updated':
      return [CUSTOMER]
    case 'charge.refunded': {
      const { payment_intent: payment, amount_refunded: refunded, refunded: isWhole } = event.data.object
      const paymentId = idOf(payment)
      return paymentId === null ? [] : [{ kind: 'refund', paymentId, refunded, isWhole }]
    }
    default:
      return []
  }
}

const CUSTOMER = { kind: 'customer' } as const satisfies PayEvent

const orderIn = (metadata: Stripe.Metadata | null): PayEvent[] => {
  const orderId = metadata?.['order_id']
  return orderId === undefined ? [] : [{ kind: 'order', orderId }]
}

function invoiceEvents(type: 'invoice.paid' | 'invoice.payment_failed', invoice: Stripe.Invoice): PayEvent[] {
  const details = invoice.parent?.subscription_details
  const subscriptionId = idOf(details?.subscription)
  const about = {
    invoiceId: invoice.id,
    currency: invoice.currency,
    subscriptionId,
  }
  const money: PayEvent =
    type === 'invoice.paid'
      ? {
          ...about,
          kind: 'invoice_paid',
          amount: invoice.amount_paid,
          isRenewal: invoice.billing_reason === 'subscription_cycle',
        }
      : { ...about, kind: 'invoice_failed', amount: invoice.amount_due, attempt: invoice.attempt_count }
  const subscription: PayEvent[] = subscriptionId === null ? [] : [{ kind: 'subscription', subscriptionId }]
  return [...orderIn(details?.metadata ?? null), money, ...subscription]
}
