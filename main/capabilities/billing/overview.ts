import type { BillingOverview, Catalogue, Plan, Subscription } from '../../contract/billing.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { OFFERS, offerOf, productsOf, SANDBOX_CURRENCY, type Offer } from './catalogue.ts'
import { cardOf, expiresMs, type Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import type { ProviderSettingsStore } from './settings.ts'
import { livingSubscriptions, newInstances, type CustomerRow, type SubscriptionRow } from './store.ts'
import { GRACE_MS } from './subscriptions.ts'

const DAY_MS = 86_400_000
const SOON_MS = 30 * DAY_MS
/** With fewer days a forecast is not reliable, because numbers are paired on the first day. */
const ENOUGH_DAYS = 7
const ENOUGH_MS = ENOUGH_DAYS * DAY_MS

interface Deps extends Pick<BillingDeps, 'db' | 'clock' | 'entitlements' | 'usage'> {
  readonly settings: ProviderSettingsStore
  readonly customers: Customers
  /** Rewrites URLs of the provider's pages to their current address. */
  readonly shown: (url: string) => string
}

export interface BillingReads {
  catalogue(accountId: AccountId): Promise<Catalogue>
  subscription(accountId: AccountId): Promise<Subscription>
  overview(accountId: AccountId): Promise<BillingOverview>
}

export function createReads({ db, clock, entitlements, usage, settings, customers, shown }: Deps): BillingReads {
  /** The last price read from the provider; in the sandbox, the list price. */
  async function priceOf(): Promise<(offer: Offer) => Plan['price'] | undefined> {
    const mode = await settings.mode()
    const [view, known] = [await settings.view(), await settings.prices()]
    const keys = new Map(
      view.prices.map(({ plan, product, tier, lookup_key: key }) => [nameOf({ plan, product, tier }), key]),
    )
    return (offer) => {
      const found = known.get(keys.get(nameOf(offer)) ?? '')
      if (found !== undefined) return { amount_cents: found.amount, currency: found.currency, interval: found.interval }
      const { amount, interval } = offer.list
      return mode === 'sandbox' ? { amount_cents: amount, currency: SANDBOX_CURRENCY, interval } : undefined
    }
  }

  const living = async (accountId: AccountId) =>
    db.read(livingSubscriptions, { accountId, mode: await settings.mode() })

  async function subscription(accountId: AccountId): Promise<Subscription> {
    const all = await living(accountId)
    const plan = all.find((one) => one.plan !== null)
    const { slots, features } = await entitlements.of(accountId)
    const worst =
      all.find(({ status }) => status === 'frozen') ?? all.find(({ status }) => status === 'past_due') ?? plan
    const status = worst?.status ?? 'none'
    return {
      status: status === 'ended' ? 'none' : status,
      plan: plan?.plan ?? null,
      slots,
      features: [...features],
      current_period_end: isoTimeOrNull(plan?.periodEndMs ?? null),
      cancel_at_period_end: plan?.cancels === 1,
      past_due_since: isoTimeOrNull(worst?.pastDueSinceMs ?? null),
      frozen_at: isoTimeOrNull(frozenAt(worst)),
    }
  }

  async function catalogue(accountId: AccountId): Promise<Catalogue> {
    const price = await priceOf()
    const customer = await customers.find(accountId, await settings.mode())
    const plans = OFFERS.filter(({ plan }) => plan !== null).flatMap((offer) => toPlan(offer, price(offer)))
    const products = [...productsOf(OFFERS)].map(([id, tiers]) => ({
      id,
      name: tiers[0]?.name ?? id,
      kind: kindOf(tiers[0]),
      tiers: tiers.flatMap((offer) => {
        const found = price(offer)
        return found === undefined
          ? []
          : [{ id: offer.tier ?? '', name: tierName(offer), price: found, quantity: offer.quantity }]
      }),
    }))
    return {
      has_saved_card: (customer?.methodId ?? null) !== null,
      currency: plans[0]?.price.currency ?? SANDBOX_CURRENCY,
      plans,
      products: products.filter(({ tiers }) => tiers.length > 0),
    }
  }

  async function usageOf(accountId: AccountId): Promise<BillingOverview['usage']> {
    const { used, total } = await entitlements.slots(accountId)
    const { voicePackages } = await entitlements.of(accountId)
    const nowMs = clock.now()
    const since = { accountId, sinceMs: nowMs - SOON_MS }
    const { created = 0, firstAtMs = null } = (await db.readOne(newInstances, since)) ?? {}
    const knownMs = Math.min(SOON_MS, nowMs - (firstAtMs ?? nowMs))
    const isPaceKnown = created > 0 && knownMs >= ENOUGH_MS
    const fullAt = !isPaceKnown || used >= total ? null : nowMs + ((total - used) / created) * knownMs
    const today = await usage.today(accountId)
    const [thisMonth, lastMonth] = monthsOf(today)
    const [sent, before] = await Promise.all([
      usage.totals([accountId], thisMonth),
      usage.totals([accountId], lastMonth),
    ])
    const day = Number(today.slice(8))
    return {
      slots: { used, total, full_at: isoTimeOrNull(tooFar(fullAt, nowMs) ? null : fullAt), new_30_days: created },
      voice_packages: { total: voicePackages },
      messages: {
        sent_this_month: sent.sent,
        forecast_this_month: day < ENOUGH_DAYS ? null : Math.round((sent.sent / day) * daysIn(today)),
        sent_last_month: before.sent,
      },
    }
  }

  /** null also if the provider cannot be reached, so that the rest can be shown. */
  async function openInvoice(customer: CustomerRow | undefined): Promise<BillingOverview['open_invoice']> {
    const provider = customer && (await settings.findProvider(customer.mode))
    if (customer === undefined || provider === undefined) return null
    const asked = await provider.invoices(customer.customerId, { rows: 1, status: 'open' })
    const [invoice] = asked.kind === 'ok' ? asked.value.invoices : []
    if (invoice === undefined) return null
    const { amount_due_cents, currency, hosted_url: url } = invoice
    return { amount_due_cents, currency, hosted_url: url === null ? null : shown(url) }
  }

  return {
    catalogue,
    subscription,
    async overview(accountId) {
      const mode = await settings.mode()
      const customer = await customers.find(accountId, mode)
      const nowMs = customers.nowMs(customer)
      const [all, price, missing] = [await living(accountId), await priceOf(), await settings.missing()]
      const planRow = all.find((one) => one.plan !== null)
      const plan = planRow && offerOf(planRow)
      const card = cardOf(customer, nowMs)
      return {
        mode,
        paid_by_agency: await customers.isPaidByAgency(accountId),
        available: missing.every(({ what }) => what === 'callback_address'),
        missing: [...missing],
        now: isoTime(nowMs),
        currency: (await catalogue(accountId)).currency,
        subscription: await subscription(accountId),
        plan: plan === undefined ? null : (toPlan(plan, price(plan))[0] ?? null),
        extras: all.flatMap((row) => toExtra(row, price)),
        card,
        open_invoice: all.some(({ status }) => status !== 'active') ? await openInvoice(customer) : null,
        usage: await usageOf(accountId),
        notices: [...all.flatMap((row) => noticesOf(row, nowMs)), ...cardNotices(card, nowMs)],
      }
    },
  }
}

const nameOf = ({ plan, product, tier }: Pick<Offer, 'plan' | 'product' | 'tier'>) =>
  JSON.stringify([plan, product, tier])

const tierName = ({ name, quantity, kind }: Offer) =>
  kind === 'addon'
    ? name
    : kind === 'slot'
      ? `${String(quantity)} ${quantity === 1 ? 'slot' : 'slots'}`
      : `${String(quantity)} ${quantity === 1 ? 'instance' : 'instances'}`

const kindOf = (offer: Offer | undefined) => (offer === undefined || offer.kind === 'plan' ? 'addon' : offer.kind)

function toPlan(offer: Offer, price: Plan['price'] | undefined): Plan[] {
  if (price === undefined) return []
  const { plan, name, slots, features, voicePackages } = offer
  return [{ id: plan ?? '', name, price, slots, features: [...features], voice_packages: voicePackages }]
}

function toExtra(row: SubscriptionRow, price: (offer: Offer) => Plan['price'] | undefined): BillingOverview['extras'] {
  const offer = row.product === null ? undefined : offerOf(row)
  const found = offer && price(offer)
  if (offer === undefined || found === undefined) return []
  return [
    {
      product: offer.product ?? '',
      tier: offer.tier ?? '',
      name: offer.name,
      quantity: offer.quantity,
      price: found,
      current_period_end: isoTimeOrNull(row.periodEndMs),
      cancel_at_period_end: row.cancels === 1,
    },
  ]
}

/** When sends stop, or stopped, because of a missing payment. */
export function frozenAt(row: Pick<SubscriptionRow, 'pastDueSinceMs' | 'frozenAtMs'> | undefined): number | null {
  const since = row?.pastDueSinceMs ?? null
  return row?.frozenAtMs ?? (since === null ? null : since + GRACE_MS)
}

function noticesOf(row: SubscriptionRow, nowMs: number): BillingOverview['notices'] {
  const { pastDueSinceMs: since, frozenAtMs, periodEndMs } = row
  const end = frozenAt(row)
  const daysLeft = (atMs: number) => Math.max(0, Math.ceil((atMs - nowMs) / DAY_MS))
  if (frozenAtMs !== null) return [{ kind: 'frozen', at: isoTime(frozenAtMs), days_left: null }]
  if (since !== null && end !== null) {
    return [
      { kind: 'payment_failed', at: isoTime(since), days_left: null },
      { kind: 'grace_ends', at: isoTime(end), days_left: daysLeft(end) },
    ]
  }
  if (row.cancels === 1 && periodEndMs !== null) {
    return [{ kind: 'ends', at: isoTime(periodEndMs), days_left: daysLeft(periodEndMs) }]
  }
  return []
}

function cardNotices(card: BillingOverview['card'], nowMs: number): BillingOverview['notices'] {
  if (card === null) return []
  const endMs = expiresMs(card)
  if (endMs > nowMs + SOON_MS) return []
  const kind = endMs <= nowMs ? 'card_expired' : 'card_expires'
  return [{ kind, at: isoTime(endMs), days_left: Math.max(0, Math.ceil((endMs - nowMs) / DAY_MS)) }]
}

/** A forecast beyond five years is meaningless. */
const tooFar = (atMs: number | null, nowMs: number) => atMs !== null && atMs > nowMs + 5 * 365 * DAY_MS

/** The current month so far, and the whole previous month. @param today YYYY-MM-DD */
function monthsOf(today: string) {
  const [year = 0, month = 1] = today.split('-').map(Number)
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return [
    { from: `${today.slice(0, 7)}-01`, to: today },
    { from: day(Date.UTC(year, month - 2, 1)), to: day(Date.UTC(year, month - 1, 0)) },
  ] as const
}

function daysIn(today: string): number {
  const [year = 0, month = 1] = today.split('-').map(Number)
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}
