import type Stripe from 'stripe'
import { invalid, type Reader } from './form.ts'
import { dateText, isMetered, periodLine, type LineDraft } from './invoice-lines.ts'
import { nextPeriodEnd, prorated } from './periods.ts'
import { idOf, type Work } from './unit.ts'

type Item = Stripe.SubscriptionItem

/** The new items of a subscription, and what they cost now. */
export interface Change {
  readonly items: readonly Item[]
  readonly lines: readonly LineDraft[]
  /** Whether a new period begins now, because the interval changed. */
  readonly restarts: boolean
}

export function itemFor(
  work: Work,
  params: Reader,
  subscription: string,
  period: { start: number; end: number },
): Item {
  const price = work.get('price', params.need('price'), params.path('price'))
  if (price.recurring === null) {
    throw invalid(
      `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
      params.path('price'),
    )
  }
  if (!price.active)
    throw invalid('The price specified is inactive. This field only accepts active prices.', params.path('price'))
  const isMeteredPrice = price.recurring.usage_type === 'metered'
  return {
    id: work.id('si'),
    object: 'subscription_item',
    billing_thresholds: null,
    created: work.now(),
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata: params.metadata(),
    plan: planOf(price),
    price,
    ...(!isMeteredPrice && { quantity: params.integer('quantity') ?? 1 }),
    subscription,
    tax_rates: [],
  }
}

function planOf(price: Stripe.Price): Stripe.Plan {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? 'month',
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: price.recurring?.meter ?? null,
    nickname: price.nickname,
    product: idOf(price.product),
    tiers_mode: null,
    transform_usage: price.transform_quantity,
    trial_period_days: null,
    usage_type: price.recurring?.usage_type ?? 'licensed',
  }
}

/** The effect of new items, prorated to the second as Stripe does. */
export function planChange(
  work: Work,
  subscription: Stripe.Subscription,
  wanted: readonly Reader[],
  at: number,
): Change {
  const before = subscription.items.data
  const period = periodOf(subscription)
  const after = wanted.reduce<Item[]>(
    (items, params) => {
      const id = params.text('id')
      if (!id) return [...items, itemFor(work, params, subscription.id, period)]
      const known = items.find((item) => item.id === id)
      if (known === undefined) throw invalid(`No such subscription item: '${id}'`, params.path('id'))
      if (params.boolean('deleted') === true) return items.filter((item) => item !== known)
      return items.map((item) => (item === known ? changedItem(work, known, params, period) : item))
    },
    [...before],
  )
  if (after.length === 0) throw invalid('A subscription must have at least one active plan.', 'items')
  const restarts = intervalOf(after) !== intervalOf(before)
  const end = restarts ? restartedEnd(after, at) : period.end
  const fresh = restarts ? after.map((item) => ({ ...item, current_period_start: at, current_period_end: end })) : after
  const changedIds = new Set(
    [...before, ...fresh]
      .filter(({ id }) => restarts || !isSame(find(before, id), find(fresh, id)))
      .map(({ id }) => id),
  )
  const credits = before.filter(({ id }) => changedIds.has(id)).map((item) => creditLine(work, item, period, at))
  const charges = fresh
    .filter(({ id }) => changedIds.has(id))
    .map((item) => (restarts ? periodLine(work, item, at, end) : chargeLine(work, item, period, at)))
  return { items: fresh, lines: [...credits, ...charges].filter(({ amount }) => amount !== 0), restarts }
}

const find = (items: readonly Item[], id: string) => items.find((item) => item.id === id)

const isSame = (one: Item | undefined, other: Item | undefined) =>
  one?.price.id === other?.price.id && one?.quantity === other?.quantity

const intervalOf = ([item]: readonly Item[]) =>
  `${String(item?.price.recurring?.interval_count)} ${String(item?.price.recurring?.interval)}`

function restartedEnd([item]: readonly Item[], at: number): number {
  const recurring = item?.price.recurring
  return nextPeriodEnd(at, recurring, at)
}

function changedItem(work: Work, item: Item, params: Reader, period: { start: number; end: number }): Item {
  const price = params.text('price')
  const base = price
    ? { ...itemFor(work, params, item.subscription, period), id: item.id, created: item.created }
    : item
  const quantity = params.integer('quantity') ?? item.quantity
  return { ...base, ...(quantity !== undefined && { quantity }), metadata: params.metadata(item.metadata) }
}

export const periodOf = ({ items }: Stripe.Subscription) => {
  const [first] = items.data
  return { start: first?.current_period_start ?? 0, end: first?.current_period_end ?? 0 }
}

export function creditLine(work: Work, item: Item, period: { start: number; end: number }, at: number): LineDraft {
  const whole = periodLine(work, item, at, period.end)
  const amount = isMetered(item) ? 0 : -prorated(whole.amount, { ...period, at })
  const name = work.unit.find('product', whole.price.product)?.name ?? whole.price.product
  return { ...whole, amount, proration: true, description: `Unused time on ${name} after ${dateText(at)}` }
}

function chargeLine(work: Work, item: Item, period: { start: number; end: number }, at: number): LineDraft {
  const whole = periodLine(work, item, at, period.end)
  const amount = isMetered(item) ? 0 : prorated(whole.amount, { ...period, at })
  const name = work.unit.find('product', whole.price.product)?.name ?? whole.price.product
  return { ...whole, amount, proration: true, description: `Remaining time on ${name} after ${dateText(at)}` }
}
