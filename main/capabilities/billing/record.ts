import type { Checkout, Purchase } from '../../contract/billing.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { OrderRow } from './store.ts'

export const toPurchase = (order: OrderRow): Purchase => ({
  id: order.id,
  status:
    order.status === 'paid'
      ? 'paid'
      : order.status === 'failed' || order.status === 'expired'
        ? 'failed'
        : 'processing',
  plan: order.plan,
  product: order.product,
  tier: order.tier,
  instance_id: order.instanceId,
  amount_cents: order.amount,
  currency: order.currency,
  refunded_cents: order.refunded,
  checkout_id: order.checkoutId,
  created_at: isoTime(order.createdAtMs),
  provisioned_at: isoTimeOrNull(order.provisionedAtMs),
  failure_code: order.failureCode,
})

const DAY_MS = 86_400_000

/** @param shown rewrites the URL of a page to its current address. */
export const toCheckout = (order: OrderRow, shown: (url: string) => string): Checkout => ({
  checkout_id: order.checkoutId ?? '',
  checkout_url: shown(order.checkoutUrl ?? ''),
  status:
    order.status === 'paid' ? 'paid' : order.status === 'open' || order.status === 'processing' ? 'open' : 'expired',
  expires_at: isoTime(order.expiresAtMs ?? order.createdAtMs + DAY_MS),
})
