import { computed } from 'vue'
import { call } from '../../app/api.ts'
import type { Notice } from '../../app/live.ts'
import type { Item, Reply } from '../../app/operation-types.ts'
import { useResource } from '../instances/use-resource.ts'

export type Overview = Reply<'getBillingOverview'>
export type Catalogue = Reply<'listBillingPlans'>
export type Plan = Catalogue['plans'][number]
export type Product = Catalogue['products'][number]
export type Purchase = Item<'listPurchases'>
export type Price = Plan['price']

/** What somebody chose to buy. */
export type Choice = { readonly plan: string } | { readonly product: string; readonly tier: string }

const ofBilling = ({ topic }: Notice) => topic === 'billing'
/** Figures of usage change without a notice. */
const USAGE_MS = 60_000
/** Enough to show what is still being processed. */
const LAST_PURCHASES = 20

/** What an account has, what it can buy, and what is still being paid. Kept up to date while it is on screen. */
export function useBilling() {
  const overview = useResource(() => call('getBillingOverview'), ofBilling, USAGE_MS)
  const catalogue = useResource(() => call('listBillingPlans'), ofBilling)
  const purchases = useResource(
    () => call('listPurchases', { query: { limit: LAST_PURCHASES, cursor: undefined } }),
    ofBilling,
  )
  const processing = computed(() => (purchases.data.value?.data ?? []).filter(({ status }) => status === 'processing'))
  async function load(): Promise<void> {
    await Promise.all([overview.load(), catalogue.load(), purchases.load()])
  }
  return {
    overview: overview.data,
    catalogue: catalogue.data,
    problem: computed(() => overview.problem.value ?? catalogue.problem.value),
    processing,
    load,
  }
}
