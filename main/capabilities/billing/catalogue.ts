import { ApiError } from '../../contract/errors.ts'
import type { Interval, ProductKind } from '../../contract/billing-words.ts'
import type { Feature } from '../../contract/features.ts'

/** A price before the provider was asked; in the sandbox these are the actual prices. */
interface ListPrice {
  readonly amount: number
  readonly interval: Interval | null
}

interface Granted {
  readonly slots: number
  readonly voicePackages: number
  readonly features: readonly Feature[]
}

/** A plan, or a tier of a product, that can be bought. */
export interface Offer extends Granted {
  readonly plan: string | null
  readonly product: string | null
  readonly tier: string | null
  readonly name: string
  readonly kind: 'plan' | ProductKind
  readonly quantity: number
  readonly list: ListPrice
  /** Lookup key of the provider's price, unless the settings name another. */
  readonly lookupKey: string
}

export const SANDBOX_CURRENCY = 'usd'

const ALL: readonly Feature[] = ['campaigns', 'ai', 'voice', 'ghl', 'mcp']

const plan = (id: string, name: string, amount: number, granted: Partial<Granted>, interval: Interval = 'month') =>
  ({
    ...{ plan: id, product: null, tier: null, name, kind: 'plan', quantity: 1 },
    ...{ slots: 0, voicePackages: 0, features: ALL, ...granted },
    list: { amount, interval },
    lookupKey: `switchboard_${id}`,
  }) as const satisfies Offer

interface TierOf {
  readonly product: string
  readonly name: string
  readonly kind: ProductKind
  readonly grants: (quantity: number) => Partial<Granted>
}

const tier = (
  { product, name, kind, grants }: TierOf,
  id: string,
  quantity: number,
  amount: number,
  list: Interval | null,
) =>
  ({
    ...{ plan: null, product, tier: id, name, kind, quantity },
    ...{ slots: 0, voicePackages: 0, features: [], ...grants(quantity) },
    list: { amount, interval: list },
    lookupKey: `switchboard_${product}_${id}`,
  }) as const satisfies Offer

const SLOTS: TierOf = { product: 'slots', name: 'Extra slots', kind: 'slot', grants: (slots) => ({ slots }) }
const VOICE: TierOf = {
  ...{ product: 'voice', name: 'Unlimited calls', kind: 'voice_package' },
  grants: (voicePackages) => ({ voicePackages }),
}
const SETUP: TierOf = { product: 'setup', name: 'Guided setup', kind: 'addon', grants: () => ({}) }

/** Everything that can be bought. */
export const OFFERS: readonly Offer[] = [
  plan('starter', 'Starter', 1_900, { slots: 5 }),
  plan('growth', 'Growth', 7_900, { slots: 25, voicePackages: 1 }),
  plan('scale', 'Scale', 24_900, { slots: 100, voicePackages: 5 }),
  plan('growth_yearly', 'Growth, yearly', 79_000, { slots: 25, voicePackages: 1 }, 'year'),
  tier(SLOTS, '1', 1, 500, 'month'),
  tier(SLOTS, '5', 5, 1_900, 'month'),
  tier(SLOTS, '25', 25, 7_900, 'month'),
  tier(VOICE, '1', 1, 2_900, 'month'),
  tier(VOICE, '5', 5, 11_900, 'month'),
  tier(SETUP, 'session', 1, 9_900, null),
]

/** The products with their tiers, in the order they are shown. */
export const productsOf = (offers: readonly Offer[]): ReadonlyMap<string, readonly Offer[]> =>
  Map.groupBy(
    offers.filter(({ product }) => product !== null),
    ({ product }) => product ?? '',
  )

interface Choice {
  readonly plan?: string
  readonly product?: string
  readonly tier?: string
}

/**
 * The offer that a request body names.
 * @throws ApiError validation_error, not_found
 */
export function findOffer(choice: Choice): Offer {
  if ((choice.plan === undefined) === (choice.product === undefined)) {
    throw new ApiError('validation_error', 'Send exactly one of plan and product.')
  }
  return choice.plan === undefined ? findTier(choice.product ?? '', choice.tier) : findPlan(choice.plan, choice.tier)
}

function findPlan(id: string, tierId: string | undefined): Offer {
  if (tierId !== undefined) throw new ApiError('validation_error', 'tier is for products. Plans have none.')
  const found = OFFERS.find((offer) => offer.plan === id)
  if (found === undefined)
    throw new ApiError('not_found', `plan: there is no plan ${id}. GET /v1/billing/plans lists them.`)
  return found
}

function findTier(product: string, id: string | undefined): Offer {
  const tiers = OFFERS.filter((offer) => offer.product === product)
  const [only, ...others] = tiers
  if (only === undefined) {
    throw new ApiError('not_found', `product: there is no product ${product}. GET /v1/billing/plans lists them.`)
  }
  const names = tiers.map(({ tier: name }) => name).join(', ')
  if (id === undefined) {
    if (others.length === 0) return only
    throw new ApiError(
      'validation_error',
      `tier is needed, because the product ${product} has more than one: ${names}.`,
    )
  }
  const found = tiers.find((offer) => offer.tier === id)
  if (found === undefined)
    throw new ApiError('validation_error', `tier must be one of the product ${product}: ${names}.`)
  return found
}

/** The offer of an order or subscription; undefined if it is no longer sold. */
export const offerOf = ({ plan: planId, product, tier: tierId }: Pick<Offer, 'plan' | 'product' | 'tier'>) =>
  OFFERS.find((offer) => offer.plan === planId && offer.product === product && offer.tier === tierId)

/** The name under which settings store the price of an offer. */
export const priceNameOf = ({ plan: planId, product, tier: tierId }: Offer): string =>
  planId ?? `${product ?? ''}/${tierId ?? ''}`

/** The name on invoices. */
export const titleOf = ({ name, quantity, product }: Offer): string =>
  product === null || quantity === 1 ? name : `${name} (${String(quantity)})`
