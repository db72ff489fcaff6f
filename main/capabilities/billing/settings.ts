import type { MissingThing } from '../../contract/billing-words.ts'
import type { ProviderBody, ProviderSettings } from '../../contract/billing.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTimeOrNull } from '../../contract/request.ts'
import type { Secret } from '../../kernel/secret.ts'
import { Secret as Sealed } from '../../kernel/secret.ts'
import { OFFERS, priceNameOf, type Offer } from './catalogue.ts'
import type { BillingDeps } from './deps.ts'
import type { FoundPrice, PaymentProvider } from './payment-provider.ts'
import { unavailable, type Providers } from './providers.ts'
import {
  dropPrices,
  pricesOf,
  providerRow,
  putPrice,
  saveProvider,
  type Mode,
  type PriceRow,
  type ProviderRow,
} from './store.ts'

type Missing = MissingThing

export interface ProviderSettingsStore {
  mode(): Promise<Mode>
  /** @throws ApiError billing_unavailable, sealed */
  provider(mode?: Mode): Promise<PaymentProvider>
  /** Like `provider`; undefined if the mode is not configured. */
  findProvider(mode: Mode): Promise<PaymentProvider | undefined>
  /** The signing secret of this mode's callbacks; undefined if the mode is not configured. */
  callbackSecret(mode: Mode): Promise<string | undefined>
  missing(): Promise<readonly Missing[]>
  /** The last price read for an offer. */
  price(offer: Offer): Promise<PriceRow | undefined>
  prices(): Promise<ReadonlyMap<string, PriceRow>>
  /** Reads the current prices from the provider. @throws ApiError billing_unavailable */
  refreshPrices(offers: readonly Offer[]): Promise<readonly FoundPrice[]>
  view(): Promise<ProviderSettings>
  update(body: ProviderBody): Promise<ProviderSettings>
  check(): Promise<ProviderSettings>
}

interface Deps extends Pick<BillingDeps, 'db' | 'clock' | 'seal' | 'publicBaseUrl'> {
  readonly providers: Providers
  /** Runs in the commit that changes the mode. */
  readonly onMode: (tx: Parameters<Parameters<BillingDeps['db']['commit']>[0]>[0], mode: Mode) => Promise<void>
}

const FIRST: ProviderRow = {
  ...{ mode: 'sandbox', keySealed: null, keyLast4: null, secretSealed: null, secretLast4: null },
  ...{ lookupKeys: '{}', missing: '[]', checkedAtMs: null },
}
const KEY_OWNER = 'billing:key'
const SECRET_OWNER = 'billing:secret'

export function createProviderSettings(deps: Deps): ProviderSettingsStore {
  const { db, clock, seal, providers, publicBaseUrl } = deps
  const read = async (): Promise<ProviderRow> => (await db.readOne(providerRow, {})) ?? FIRST
  const keyOf = (row: ProviderRow): Secret | undefined =>
    row.keySealed === null ? undefined : seal.open(row.keySealed, KEY_OWNER)

  const lookupKeyOf = (row: ProviderRow, offer: Offer): string => {
    // Written by `update`, with names of offers as keys.
    const chosen = JSON.parse(row.lookupKeys) as Record<string, string>
    return (row.mode === 'live' ? chosen[priceNameOf(offer)] : undefined) ?? offer.lookupKey
  }

  async function findProvider(mode: Mode): Promise<PaymentProvider | undefined> {
    if (mode === 'sandbox') {
      await providers.sandboxSecret()
      return providers.sandbox
    }
    const key = keyOf(await read())
    return key === undefined ? undefined : providers.live(key)
  }

  const provider: ProviderSettingsStore['provider'] = async (mode) => {
    const found = await findProvider(mode ?? (await read()).mode)
    if (found !== undefined) return found
    throw unavailable(
      'Billing is not set up: the restricted key of Stripe is missing. The operator enters it in Billing.',
    )
  }

  async function missing(): Promise<Missing[]> {
    const row = await read()
    if (row.mode === 'sandbox') return []
    const found = JSON.parse(row.missing) as Missing[]
    return [
      ...(row.keySealed === null ? [NO_KEY] : []),
      ...(row.secretSealed === null ? [NO_SECRET] : []),
      ...(row.checkedAtMs === null && row.keySealed !== null ? [UNCHECKED] : found),
    ]
  }

  const prices = async () => {
    const { mode } = await read()
    return new Map((await db.read(pricesOf, { mode })).map((price) => [price.lookupKey, price]))
  }

  const refreshPrices: ProviderSettingsStore['refreshPrices'] = async (offers) => {
    const row = await read()
    const asked = await (await provider(row.mode)).prices(offers.map((offer) => lookupKeyOf(row, offer)))
    if (asked.kind !== 'ok') throw unavailable(sentenceOf(asked))
    await db.commit(async (tx) => {
      for (const { lookupKey, priceId, amount, currency, interval } of asked.value) {
        await tx.run(putPrice, { mode: row.mode, lookupKey, priceId, amount, currency, interval, now: clock.now() })
      }
    })
    return asked.value
  }

  async function view(): Promise<ProviderSettings> {
    const row = await read()
    const known = await prices()
    const lacks = await missing()
    return {
      mode: row.mode,
      restricted_key_last4: row.keyLast4,
      webhook_secret_last4: row.secretLast4,
      prices: OFFERS.map((offer) => {
        const lookupKey = lookupKeyOf(row, offer)
        const found = known.get(lookupKey)
        const { plan, product, tier, name } = offer
        return {
          ...{ plan, product, tier, name, lookup_key: lookupKey },
          found:
            found === undefined
              ? null
              : { amount_cents: found.amount, currency: found.currency, interval: found.interval },
        }
      }),
      callback_url: publicBaseUrl === null ? null : `${publicBaseUrl}/callbacks/stripe`,
      ready: lacks.every(({ what }) => what === 'callback_address'),
      missing: [...lacks],
      checked_at: isoTimeOrNull(row.checkedAtMs),
    }
  }

  return {
    mode: async () => (await read()).mode,
    provider,
    findProvider,
    async callbackSecret(mode) {
      if (mode === 'sandbox') return providers.sandboxSecret()
      const { secretSealed } = await read()
      return secretSealed === null ? undefined : seal.open(secretSealed, SECRET_OWNER).open()
    },
    missing,
    prices,
    price: async (offer) => (await prices()).get(lookupKeyOf(await read(), offer)),
    refreshPrices,
    view,

    async update({ mode, restricted_key: key, webhook_secret: secret, lookup_keys: lookupKeys }) {
      const names = new Set(OFFERS.map(priceNameOf))
      const stranger = Object.keys(lookupKeys ?? {}).find((name) => !names.has(name))
      if (stranger !== undefined) {
        throw new ApiError('validation_error', `lookup_keys: there is no plan or product tier ${stranger}.`).because(
          'lookup_key_unknown',
          { name: stranger },
        )
      }
      await db.commit(async (tx) => {
        const before = (await tx.one(providerRow, {})) ?? FIRST
        const isChanged = key !== undefined || lookupKeys !== undefined
        const isMoved = mode !== undefined && mode !== before.mode
        await tx.run(saveProvider, {
          ...before,
          mode: mode ?? before.mode,
          ...(key !== undefined && sealed('key', key)),
          ...(secret !== undefined && sealed('secret', secret)),
          lookupKeys: JSON.stringify({ ...(JSON.parse(before.lookupKeys) as object), ...lookupKeys }),
          // Results of the other mode or key no longer apply.
          ...((isChanged || isMoved) && { missing: '[]', checkedAtMs: null }),
        })
        if (isChanged) await tx.run(dropPrices, { mode: 'live' })
        if (isMoved) await deps.onMode(tx, mode)
      })
      return view()
    },

    async check() {
      const row = await read()
      const connection = await provider(row.mode)
      const rights = await connection.missingRights()
      const lacks: Missing[] = []
      if (rights.kind === 'ok') lacks.push(...rights.value.map(noRight))
      else if (rights.kind === 'refused')
        lacks.push({
          ...{ what: 'restricted_key', message: `Stripe refuses the key: ${rights.message}` },
          ...{ code: 'key_refused', params: { said: rights.message } },
        })
      else throw unavailable(sentenceOf(rights))
      if (rights.kind === 'ok' && lacks.length === 0) {
        const found = new Map((await refreshPrices(OFFERS)).map((price) => [price.lookupKey, price]))
        for (const offer of OFFERS) lacks.push(...priceProblems(offer, lookupKeyOf(row, offer), found))
      }
      if (publicBaseUrl === null && row.mode === 'live') lacks.push(NO_ADDRESS)
      await db.commit(async (tx) => {
        const before = (await tx.one(providerRow, {})) ?? FIRST
        await tx.run(saveProvider, { ...before, missing: JSON.stringify(lacks), checkedAtMs: clock.now() })
      })
      return view()
    },
  }

  function sealed(field: 'key' | 'secret', value: string | null): Partial<ProviderRow> {
    const owner = field === 'key' ? KEY_OWNER : SECRET_OWNER
    const bytes = value === null ? null : seal.seal(new Sealed(value), owner)
    const last4 = value === null ? null : value.slice(-4)
    return field === 'key' ? { keySealed: bytes, keyLast4: last4 } : { secretSealed: bytes, secretLast4: last4 }
  }
}

function priceProblems(offer: Offer, lookupKey: string, found: ReadonlyMap<string, FoundPrice>): Missing[] {
  const price = found.get(lookupKey)
  const about = { offer: offer.name, key: lookupKey }
  const problem = (
    code: NonNullable<Missing['code']>,
    message: string,
    params: Readonly<Record<string, string>> = {},
  ): Missing[] => [{ what: 'price', message, code, params: { ...about, ...params } }]
  if (price === undefined) {
    return problem(
      'no_price',
      `${offer.name}: Stripe has no active price with the lookup key ${lookupKey}. Create it, or enter another key.`,
    )
  }
  if (price.interval !== offer.list.interval) {
    const wanted = offer.list.interval === null ? 'charged once' : `charged each ${offer.list.interval}`
    return problem('wrong_interval', `${offer.name}: the price ${lookupKey} must be ${wanted}.`, {
      interval: offer.list.interval ?? 'once',
    })
  }
  const [first] = found.values()
  if (first !== undefined && first.currency !== price.currency) {
    return problem(
      'other_currency',
      `${offer.name}: the price ${lookupKey} is in ${price.currency}, others in ${first.currency}. Use one currency.`,
      { currency: price.currency.toUpperCase(), others: first.currency.toUpperCase() },
    )
  }
  return []
}

const NO_KEY: Missing = {
  ...{ what: 'restricted_key', code: 'no_key' },
  message: 'The restricted key of Stripe is missing. Create one at Stripe under Developers, API keys.',
}
const NO_SECRET: Missing = {
  ...{ what: 'webhook_secret', code: 'no_secret' },
  message: 'The signing secret of the webhook endpoint at Stripe is missing.',
}
const UNCHECKED: Missing = {
  ...{ what: 'price', code: 'unchecked' },
  message: 'The prices were not checked yet. Run the check.',
}
const NO_ADDRESS: Missing = {
  ...{ what: 'callback_address', code: 'no_address' },
  message:
    'Stripe cannot reach this computer without public_base_url. Payments are looked up every 15 seconds instead.',
}
const noRight = (name: string): Missing => ({
  ...{ what: 'permission', code: 'no_permission', params: { name } },
  message: `The restricted key needs the permission for ${name}.`,
})

const sentenceOf = (asked: { readonly kind: string; readonly message?: string }): string =>
  asked.kind === 'refused'
    ? `The payment provider refused the request: ${asked.message ?? ''}`
    : 'The payment provider cannot be reached. Nothing was charged; try again in a minute.'
