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

/** A purchase in progress. */
export type Choice = { readonly plan: string } | { readonly product: string; readonly tier: string }

const ofBilling = ({ topic }: Notice) => topic === 'billing'
/** Figures of usage change without a notice. */
const USAGE_MS = 60_000
/** Page size, enough to show unfinished purchases. */
const LAST_PURCHASES = 20

/** The account's plan, offers and unfinished payments, kept current while on screen. */
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
