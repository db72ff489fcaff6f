import { ApiError } from '../../contract/errors.ts'
import { createOutbound, type Outbound } from '../../outbound/outbound.ts'
import { Secret } from '../../kernel/secret.ts'
import { OFFERS, SANDBOX_CURRENCY, titleOf } from './catalogue.ts'
import type { BillingDeps } from './deps.ts'
import type { PaymentProvider } from './payment-provider.ts'
import { createStripeClient, lazyClient } from './stripe/client.ts'
import { createClientBilling, type ClientBillingProvider } from './stripe/client-billing.ts'
import { createStripeProvider } from './stripe/provider.ts'
import type { Mode } from './store.ts'

/** Works only with the simulator. */
export const SANDBOX_KEY = 'rk_test_switchboard'
const STRIPE = 'https://api.stripe.com'

export interface Providers {
  readonly sandbox: PaymentProvider
  /** Stripe itself, with this key. */
  live(key: Secret): PaymentProvider
  /** Another Stripe or simulator account, with which an agency bills its clients. */
  clients(mode: Mode, key: Secret): ClientBillingProvider
  /** The simulator's signing secret; prepared on first use. */
  sandboxSecret(): Promise<string>
  close(): Promise<void>
}

/** One adapter for Stripe and the simulator. In live mode the simulator is never used. */
export function createProviders(
  deps: Pick<BillingDeps, 'clock' | 'resolve' | 'dial' | 'simulator' | 'localUrl'>,
): Providers {
  const { clock, resolve, dial, simulator, localUrl } = deps
  const toStripe = createOutbound({ clock, resolve, dial, trustedRanges: [], only: () => [STRIPE] })
  // The simulator's own address is used without a lookup.
  const toSimulator = createOutbound({
    ...{ clock, resolve },
    trustedRanges: ['127.0.0.0/8'],
    only: () => [simulator.url()],
  })
  const providers = new Map<string, PaymentProvider>()
  const clients = new Map<string, ClientBillingProvider>()

  function providerAt(key: Secret, baseUrl: () => string, outbound: Outbound): PaymentProvider {
    const name = `${outbound === toStripe ? 'live' : 'sandbox'} ${key.open()}`
    const known = providers.get(name)
    if (known !== undefined) return known
    const fresh = createStripeProvider(lazyClient(() => createStripeClient({ key, baseUrl: baseUrl(), outbound })))
    providers.set(name, fresh)
    return fresh
  }

  let opened: Promise<string> | undefined
  const open = () =>
    (opened ??= simulator.open(
      SANDBOX_KEY,
      OFFERS.map((offer) => ({
        lookupKey: offer.lookupKey,
        name: titleOf(offer),
        amount: offer.list.amount,
        currency: SANDBOX_CURRENCY,
        interval: offer.list.interval,
      })),
      `${localUrl()}/callbacks/stripe`,
    ))

  return {
    get sandbox() {
      return providerAt(new Secret(SANDBOX_KEY), simulator.url, toSimulator)
    },
    live: (key) => providerAt(key, () => STRIPE, toStripe),
    clients(mode, key) {
      const known = clients.get(`${mode} ${key.open()}`)
      if (known !== undefined) return known
      const connect = async () => {
        if (mode === 'live') return createStripeClient({ key, baseUrl: STRIPE, outbound: toStripe })
        return createStripeClient({ key, baseUrl: await simulator.listen(), outbound: toSimulator })
      }
      const fresh = createClientBilling(lazyClient(connect))
      clients.set(`${mode} ${key.open()}`, fresh)
      return fresh
    },
    sandboxSecret: open,
    close: async () => {
      await Promise.all([toStripe.close(), toSimulator.close()])
    },
  }
}

export const unavailable = (message: string) => new ApiError('billing_unavailable', message)
