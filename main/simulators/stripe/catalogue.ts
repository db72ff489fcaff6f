import type Stripe from 'stripe'
import { readUnitAmount } from './amounts.ts'
import { invalid, type Reader } from './form.ts'
import type { PriceObject } from './kinds.ts'
import { decimal, type Work } from './unit.ts'

export function createProduct(work: Work, params: Reader): Stripe.Product {
  const id = params.text('id') || work.id('prod')
  const now = work.now()
  const product: Stripe.Product = {
    id,
    object: 'product',
    active: params.boolean('active') ?? true,
    created: now,
    default_price: null,
    description: params.text('description') || null,
    images: params.texts('images'),
    livemode: false,
    marketing_features: [],
    metadata: params.metadata(),
    name: params.need('name'),
    package_dimensions: null,
    shippable: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    updated: now,
    url: null,
  }
  work.unit.put('product', product)
  work.tell('product.created', product)
  return product
}

export function updateProduct(work: Work, before: Stripe.Product, params: Reader): Stripe.Product {
  const after: Stripe.Product = {
    ...before,
    ...(params.has('name') && { name: params.need('name') }),
    ...(params.has('description') && { description: params.text('description') || null }),
    ...(params.has('active') && { active: params.boolean('active') ?? true }),
    metadata: params.metadata(before.metadata),
    updated: work.now(),
  }
  work.unit.put('product', after)
  work.tell('product.updated', after, before)
  return after
}

export function createPrice(work: Work, params: Reader): PriceObject {
  const recurring = params.has('recurring') ? recurringOf(work, params.below('recurring')) : null
  const amount = readUnitAmount(params)
  const inline = params.below('product_data')
  const product = params.text('product') || (params.has('product_data') ? createProduct(work, inline).id : '')
  work.get('product', product || params.need('product'), 'product')
  const lookupKey = params.text('lookup_key') || null
  if (lookupKey !== null) takeLookupKey(work, lookupKey, params.boolean('transfer_lookup_key') === true)
  const price: PriceObject = {
    id: work.id('price'),
    object: 'price',
    active: params.boolean('active') ?? true,
    billing_scheme: 'per_unit',
    created: work.now(),
    currency: params.need('currency').toLowerCase(),
    custom_unit_amount: null,
    livemode: false,
    lookup_key: lookupKey,
    metadata: params.metadata(),
    nickname: params.text('nickname') || null,
    product,
    recurring,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: params.has('transform_quantity') ? transformOf(params.below('transform_quantity')) : null,
    type: recurring === null ? 'one_time' : 'recurring',
    unit_amount: amount.unit,
    unit_amount_decimal: decimal(amount.decimal),
  }
  work.unit.put('price', price)
  work.tell('price.created', price)
  return price
}

export function updatePrice(work: Work, before: PriceObject, params: Reader): PriceObject {
  const lookupKey = params.text('lookup_key')
  if (lookupKey !== undefined && lookupKey !== '' && lookupKey !== before.lookup_key)
    takeLookupKey(work, lookupKey, params.boolean('transfer_lookup_key') === true)
  const after: PriceObject = {
    ...before,
    ...(lookupKey !== undefined && { lookup_key: lookupKey || null }),
    ...(params.has('active') && { active: params.boolean('active') ?? true }),
    ...(params.has('nickname') && { nickname: params.text('nickname') || null }),
    metadata: params.metadata(before.metadata),
  }
  work.unit.put('price', after)
  work.tell('price.updated', after, before)
  return after
}

/** A lookup key belongs to one price; it is transferred only on request. */
function takeLookupKey(work: Work, key: string, mayTransfer: boolean): void {
  const holder = work.unit.list('price').find((price) => price.lookup_key === key)
  if (holder === undefined) return
  if (!mayTransfer) {
    throw invalid(
      `A price (\`${holder.id}\`) already uses that lookup key. To transfer it, set \`transfer_lookup_key=true\`.`,
      'lookup_key',
    )
  }
  work.unit.put('price', { ...holder, lookup_key: null })
}

function transformOf(params: Reader): Stripe.Price.TransformQuantity {
  params.need('round')
  const divisor = params.integer('divide_by')
  if (divisor === undefined || divisor < 1) throw invalid('Invalid positive integer', params.path('divide_by'))
  return { divide_by: divisor, round: params.oneOf('round', ['down', 'up']) ?? 'up' }
}

function recurringOf(work: Work, params: Reader): Stripe.Price.Recurring {
  params.need('interval')
  const meter = params.text('meter') || null
  if (meter !== null) work.get('meter', meter, 'recurring[meter]')
  return {
    interval: params.oneOf('interval', ['day', 'week', 'month', 'year']) ?? 'month',
    interval_count: params.integer('interval_count') ?? 1,
    meter,
    trial_period_days: null,
    usage_type: params.oneOf('usage_type', ['licensed', 'metered']) ?? (meter === null ? 'licensed' : 'metered'),
  }
}
