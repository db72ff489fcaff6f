import type { BillingFault } from '../../contract/billing-words.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { Random } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { createOutbound, type Resolve } from '../../outbound/outbound.ts'
import { createSimulatorListener } from '../listener.ts'
import { advanceCustomer, hasDue, runDue } from './advance.ts'
import { accountOfKey, createStripeApi } from './api.ts'
import { createStripeCallbacks } from './callbacks.ts'
import { createPrice, createProduct } from './catalogue.ts'
import { makeDefault } from './checkout.ts'
import { createEndpoint, updateEndpoint } from './extras.ts'
import { Reader } from './form.ts'
import { createStripePages, type StripePages } from './pages.ts'
import { attach, createCard, detach, methodsOf, type CardDetails } from './payment-methods.ts'
import { pruneKeys } from './sql.ts'
import { createStripeStore } from './store.ts'
import { createFaultSwitches } from './switches.ts'
import { PAGES, type Work } from './unit.ts'

export { StripeFault } from './faults.ts'
export type { PageOutcome, PortalView, StripePages } from './pages.ts'
export type { CardDetails } from './payment-methods.ts'

/** A price that every account has. */
interface SeededPrice {
  readonly lookupKey: string
  readonly name: string
  readonly amount: number
  readonly currency: string
  readonly interval: 'month' | 'year' | null
}

interface SimulatorDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly jobs: Pick<Jobs, 'define'>
  readonly resolve: Resolve
  /** URL of this service, which receives all callbacks. */
  readonly localUrl: () => string
  /** Base URL of the pages: the main port, known once it listens. */
  readonly pagesUrl: () => string
}

/** Simulated Stripe: an API with its own listener, pages on the main port, callbacks, and its own time. */
export interface StripeSimulator {
  /** Reads the stored objects, and then renews what is due. */
  begin(): Promise<void>
  /** URL of its listener, which starts with the first `open` or `listen`. */
  listen(): Promise<string>
  url(): string
  readonly pages: StripePages
  /** Prepares the account of a key: its prices, and the URL for its events. @returns the signing secret. */
  open(key: string, prices: readonly SeededPrice[], callbackUrl: string): Promise<string>
  fail(customer: string, kind: BillingFault, times: number): void
  /** Advances one customer's time. @returns how many milliseconds it is ahead. */
  advance(key: string, customer: string, days: number): Promise<number>
  /** Replaces the customer's card, like the portal. @throws StripeFault */
  saveCard(key: string, customer: string, card: CardDetails): Promise<void>
  readonly chore: Chore
  close(): Promise<void>
}

/** Where this service may listen. */
const OWN_RANGES = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
const TICK_MS = 60_000
const DAY_SECONDS = 86_400
const KEY_MS = 24 * 3_600_000
const EVENT_SECONDS = 30 * DAY_SECONDS

export function createStripeSimulator(deps: SimulatorDeps): StripeSimulator {
  const { db, clock, log, pagesUrl } = deps
  const outbound = createOutbound({
    ...{ clock, resolve: deps.resolve, trustedRanges: OWN_RANGES },
    only: () => [new URL(deps.localUrl()).origin],
  })
  const store = createStripeStore({ db })
  const switches = createFaultSwitches()
  const shown = (text: string) => text.replaceAll(PAGES, pagesUrl())
  const callbacks = createStripeCallbacks({
    ...{ ...deps, store, switches, shown },
    async post(url, headers, body) {
      // The simulator belongs to no account, and the URL is this service's own.
      const answer = await outbound.request({ url, method: 'POST', headers, body, from: { accountId: '' as never } })
      if (answer.kind === 'failure') throw new Error(`the callback did not arrive (${answer.code})`)
      return answer.status
    },
  })
  const api = createStripeApi({ ...deps, store, switches, callbacks, shown })
  const listener = createSimulatorListener({ log, name: 'stripe', answer: api.answer })

  let listening: Promise<string> | undefined
  const listen = () => (listening ??= listener.listen(0))
  let ticker: Timer | undefined

  /** Renews what is due in real time. */
  async function tick(): Promise<void> {
    try {
      for (const account of store.accounts()) {
        if (api.look(account, hasDue)) await api.act(account, runDue)
      }
    } catch (error) {
      log.error({ event: 'sandbox.stripe_tick_failed', cause: cause(error) })
    }
  }

  return {
    async begin() {
      await store.load()
      ticker = clock.every(TICK_MS, () => void tick())
    },
    listen,
    url: listener.url,
    pages: createStripePages({ api, store }),
    async open(key, prices, callbackUrl) {
      await listen()
      return api.act(accountOfKey(key), (work) => {
        for (const price of prices) seedPrice(work, price)
        const [known] = work.unit.list('webhook_endpoint')
        const params = new Reader({ url: callbackUrl, enabled_events: ['*'] })
        if (known === undefined) return createEndpoint(work, params).secret
        return (known.url === callbackUrl ? known : updateEndpoint(work, known, params)).secret
      })
    },
    fail: switches.set,
    advance: async (key, customer, days) =>
      (await api.act(accountOfKey(key), (work) => advanceCustomer(work, customer, Math.round(days * DAY_SECONDS)))) *
      1_000,
    saveCard: (key, customer, card) =>
      api.act(accountOfKey(key), (work) => {
        const method = attach(work, createCard(work, card), customer)
        for (const old of methodsOf(work, customer)) if (old.id !== method.id) detach(work, old)
        makeDefault(work, customer, method.id)
      }),
    chore: {
      name: 'sandbox.stripe',
      begin: () => async () => {
        await db.commit((tx) => tx.run(pruneKeys, { before: clock.now() - KEY_MS }))
        for (const account of store.accounts()) await api.act(account, prune)
        return false
      },
    },
    async close() {
      ticker?.cancel()
      await listener.close()
      await outbound.close()
    },
  }
}

function seedPrice(work: Work, { lookupKey, name, amount, currency, interval }: SeededPrice): void {
  const known = work.unit.list('price').find((price) => price.lookup_key === lookupKey)
  if (known?.unit_amount === amount && known.currency === currency) return
  const product = createProduct(work, new Reader({ name }))
  createPrice(
    work,
    new Reader({
      product: product.id,
      unit_amount: String(amount),
      currency,
      lookup_key: lookupKey,
      transfer_lookup_key: 'true',
      ...(interval !== null && { recurring: { interval } }),
    }),
  )
}

/** Events are kept for 30 days, as Stripe does. */
function prune(work: Work): void {
  const before = work.now() - EVENT_SECONDS
  for (const event of work.unit.list('event')) if (event.created < before) work.unit.remove(event.id)
}
