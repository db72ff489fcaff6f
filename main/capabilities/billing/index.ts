import type { Preview, PreviewBody, Subscription } from '../../contract/billing.ts'
import { ApiError } from '../../contract/errors.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { attentionOf } from './attention.ts'
import { createBillingCallbacks, type BillingCallbacks } from './callbacks.ts'
import { createCards, type Cards } from './cards.ts'
import { createClientBillings, type ClientBillings } from './clients.ts'
import { createCheckouts, type Checkouts } from './checkout.ts'
import { createCustomers, orUnavailable, type Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import { createGrants } from './grants.ts'
import { createHistory } from './history.ts'
import { NO_INVOICES, toInvoices, type Invoices } from './invoices.ts'
import { createOfferCheck, requireReady } from './offer-check.ts'
import { createOrderPlace } from './place-order.ts'
import { createPreview } from './preview.ts'
import { createProvisioning } from './provision.ts'
import { createProviders } from './providers.ts'
import { createPurchase, type Purchase } from './purchase.ts'
import { createReads, type BillingReads } from './overview.ts'
import { createBillingSandbox, type BillingSandbox } from './sandbox.ts'
import { createProviderSettings, type ProviderSettingsStore } from './settings.ts'
import { livingSubscriptions, unpaidAccounts } from './store.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createBillingJobs } from './work.ts'

export type { BillingDeps } from './deps.ts'

export interface Billing extends BillingReads {
  readonly purchase: Purchase
  readonly checkouts: Checkouts
  readonly settings: ProviderSettingsStore
  readonly sandbox: BillingSandbox
  readonly callbacks: BillingCallbacks
  readonly cards: Cards
  readonly customers: Customers
  readonly clients: ClientBillings
  preview(accountId: AccountId, body: PreviewBody): Promise<Preview>
  invoices(accountId: AccountId, page: { after: string | undefined; rows: number }): Promise<Invoices>
  portal(accountId: AccountId): Promise<{ url: string }>
  setupCard(accountId: AccountId): Promise<{ url: string }>
  /** @throws ApiError invalid_state without a plan. */
  endPlan(accountId: AccountId, atPeriodEnd: boolean): Promise<Subscription>
  /** Somebody returned from a page of the provider. */
  returned(query: { checkout: string | undefined; customer: string | undefined }): Promise<void>
  attention(query: AttentionQuery): Promise<readonly AttentionLine[]>
  /** Resumes orders without a job, and ends grace periods that expired while the service was off. */
  recover(): Promise<void>
  close(): Promise<void>
}

/** Purchases of accounts and their payments. */
export function createBilling(deps: BillingDeps): Billing {
  const { db, live, publicBaseUrl, localUrl } = deps
  const base = () => publicBaseUrl ?? localUrl()
  const shown = (url: string) => url.replace(/^.*?\/sandbox\/stripe\//, `${base()}/sandbox/stripe/`)
  const returnUrl = (checkoutId: string | null) =>
    `${base()}/callbacks/stripe/return${checkoutId === null ? '' : `?checkout=${checkoutId}`}`

  const tell = createHistory(deps)
  const grants = createGrants(deps)
  const providers = createProviders(deps)
  const settings = createProviderSettings({ ...deps, providers, onMode: grants.switchMode })
  const customers = createCustomers({ ...deps, settings, tell })
  const work = createBillingJobs({
    ...{ ...deps, settings, customers },
    provisioning: () => provisioning,
    subscriptions: () => subscriptions,
  })
  const subscriptions = createSubscriptions({ live, customers, grants, tell, watch: work.watchGrace })
  const provisioning = createProvisioning({ ...deps, customers, grants, subscriptions, tell, followUp: work.followUp })
  const check = createOfferCheck({ ...deps, settings, customers })
  const orders = createOrderPlace(deps)
  const parts = { ...deps, settings, customers, check, orders, provisioning, work }
  const checkouts = createCheckouts({ ...parts, returnUrl, shown })
  const cards = createCards({ db, settings, customers, work })
  const reads = createReads({ ...deps, settings, customers, shown })
  const clients = createClientBillings({ ...deps, providers, shown })
  const callbacks = createBillingCallbacks({
    ...{ ...deps, settings, customers, provisioning, subscriptions, grants, cards, tell },
  })

  const atProvider = async (accountId: AccountId) => {
    await customers.requireOwnBilling(accountId)
    await requireReady(settings)
    const customer = await customers.ensure(accountId)
    return { customer, provider: await settings.provider(customer.mode) }
  }

  return {
    ...reads,
    ...{ checkouts, settings, callbacks, cards, customers },
    clients,
    purchase: createPurchase(parts),
    sandbox: createBillingSandbox({ ...deps, settings, providers, customers, checkouts, subscriptions }),

    preview: createPreview({ entitlements: deps.entitlements, settings, customers, check }),

    async invoices(accountId, page) {
      if (await customers.isPaidByAgency(accountId)) return clients.invoicesOfClient(accountId, page)
      const mode = await settings.mode()
      const customer = await customers.find(accountId, mode)
      if (customer === undefined) return NO_INVOICES
      const asked = await (await settings.provider(mode)).invoices(customer.customerId, page)
      return toInvoices(orUnavailable(asked), shown, customers.nowMs(customer))
    },

    async portal(accountId) {
      const { customer, provider } = await atProvider(accountId)
      return orUnavailable(await provider.portal(customer.customerId, returnUrl(null)))
    },
    async setupCard(accountId) {
      const { customer, provider } = await atProvider(accountId)
      const successUrl = `${returnUrl(null)}?customer=${customer.customerId}`
      return orUnavailable(await provider.setupPage(customer.customerId, { successUrl, cancelUrl: returnUrl(null) }))
    },
    async endPlan(accountId, atPeriodEnd) {
      const { customer, provider } = await atProvider(accountId)
      const all = await db.read(livingSubscriptions, { accountId, mode: customer.mode })
      const plan = all.find((one) => one.plan !== null)
      if (plan === undefined)
        throw new ApiError('invalid_state', 'The account has no plan that could end.').because('no_plan_to_end')
      orUnavailable(await provider.endSubscription(plan.id, atPeriodEnd ? 'at_period_end' : 'keep'))
      const state = orUnavailable(await provider.subscription(plan.id))
      await db.commit((tx) => subscriptions.apply(tx, state))
      return reads.subscription(accountId)
    },

    async returned({ checkout, customer }) {
      if (checkout !== undefined) await checkouts.returned(checkout)
      if (customer !== undefined) await cards.returned(customer)
    },
    attention: (query) => attentionOf({ db, settings, customers }, query),
    async recover() {
      await work.recover()
      for (const { accountId, mode } of await db.read(unpaidAccounts, {})) {
        await db.commit(async (tx) => {
          await subscriptions.settleGrace(tx, accountId, mode)
        })
      }
    },
    close: providers.close,
  }
}
