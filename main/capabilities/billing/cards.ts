import type { AccountId } from '../../kernel/ids.ts'
import { orUnavailable, type Customers } from './customers.ts'
import type { BillingDeps } from './deps.ts'
import type { ProviderSettingsStore } from './settings.ts'
import { customerById, type CustomerRow } from './store.ts'
import type { BillingJobs } from './work.ts'

export interface Cards {
  /** A card was saved: makes it the card to charge, and pays what is owed. @throws ApiError billing_unavailable */
  saved(customer: CustomerRow): Promise<void>
  /** Somebody returned from the page on which cards are saved. */
  returned(customerId: string): Promise<void>
  /** @throws ApiError billing_unavailable */
  remove(accountId: AccountId): Promise<void>
}

interface Deps extends Pick<BillingDeps, 'db'> {
  readonly settings: ProviderSettingsStore
  readonly customers: Customers
  readonly work: Pick<BillingJobs, 'payDebts'>
}

export function createCards({ db, settings, customers, work }: Deps): Cards {
  const saved: Cards['saved'] = async (customer) => {
    const { customerId, accountId, mode } = customer
    orUnavailable(await (await settings.provider(mode)).useNewestCard(customerId))
    const { methodId } = await customers.refresh(customer)
    if (methodId === null) return
    await db.commit((tx) => work.payDebts(tx, { accountId, mode, key: `pay:${customerId}:${methodId}` }))
  }

  return {
    saved,
    async returned(customerId) {
      const customer = await db.readOne(customerById, { customerId })
      if (customer !== undefined) await saved(customer)
    },
    async remove(accountId) {
      const customer = await customers.ensure(accountId)
      orUnavailable(await (await settings.provider(customer.mode)).removeCards(customer.customerId))
      await customers.refresh(customer)
    },
  }
}
