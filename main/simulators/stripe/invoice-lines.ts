import type Stripe from 'stripe'
import { amountFor } from './amounts.ts'
import type { PriceObject } from './kinds.ts'
import { decimal, type Work } from './unit.ts'

/** Data for a line of an invoice. */
export interface LineDraft {
  readonly amount: number
  readonly description: string
  readonly quantity: number
  readonly price: PriceObject
  readonly proration: boolean
  readonly start: number
  readonly end: number
  readonly subscription: string | null
  /** Id of the subscription item. */
  readonly item: string
}

export function lineOf(work: Work, invoice: string, draft: LineDraft): Stripe.InvoiceLineItem {
  const { amount, description, quantity, price, proration, start, end, subscription, item } = draft
  return {
    id: work.id('il'),
    object: 'line_item',
    amount,
    currency: price.currency,
    description,
    discount_amounts: [],
    discountable: !proration,
    discounts: [],
    invoice,
    livemode: false,
    metadata: {},
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration,
        proration_details: { credited_items: null },
        subscription,
        subscription_item: item,
      },
    },
    period: { start, end },
    pretax_credit_amounts: [],
    pricing: {
      type: 'price_details',
      price_details: { price: price.id, product: price.product },
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity,
    quantity_decimal: decimal(quantity),
    subscription,
    subtotal: amount,
    taxes: [],
  }
}

/** @param cents in the smallest unit of the currency, as text with decimals. */
function money(cents: string, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const { minimumFractionDigits = 2 } = format.resolvedOptions()
  const places = { minimumFractionDigits, maximumFractionDigits: minimumFractionDigits + 12 }
  return new Intl.NumberFormat('en-US', { style: 'currency', currency, ...places }).format(
    Number(cents) / 10 ** minimumFractionDigits,
  )
}

export const dateText = (seconds: number) =>
  new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(seconds * 1_000),
  )

const priceText = ({ unit_amount_decimal, currency, recurring, transform_quantity: transform }: PriceObject): string =>
  [
    money(String(unit_amount_decimal), currency),
    ...(transform === null ? [] : [` per ${String(transform.divide_by)}`]),
    ...(recurring === null ? [] : [` / ${recurring.interval}`]),
  ].join('')

/** A line for a whole period. */
export function periodLine(work: Work, item: Stripe.SubscriptionItem, start: number, end: number): LineDraft {
  const price = work.get('price', item.price.id)
  const quantity = item.quantity ?? 1
  const name = work.unit.find('product', price.product)?.name ?? price.product
  return {
    amount: amountFor(price, quantity),
    description: `${String(quantity)} × ${name} (at ${priceText(price)})`,
    ...{ quantity, price, proration: false, start, end, subscription: item.subscription, item: item.id },
  }
}

/** A line for the usage that a meter counted in the ended period. */
export function usageLine(
  work: Work,
  item: Stripe.SubscriptionItem,
  customer: string,
  start: number,
  end: number,
): LineDraft {
  const price = work.get('price', item.price.id)
  const meter = work.unit.find('meter', price.recurring?.meter ?? '')
  const quantity = work.unit
    .list('meter_count')
    .filter((count) => count.customer === customer && count.event_name === meter?.event_name)
    .filter(({ timestamp }) => timestamp >= start && timestamp < end)
    .reduce((total, { value }) => total + value, 0)
  const name = work.unit.find('product', price.product)?.name ?? price.product
  return {
    amount: amountFor(price, quantity),
    description: `${String(quantity)} × ${name} (at ${priceText(price)})`,
    ...{ quantity, price, proration: false, start, end, subscription: item.subscription, item: item.id },
  }
}

export const isMetered = (item: Stripe.SubscriptionItem) => item.price.recurring?.usage_type === 'metered'
