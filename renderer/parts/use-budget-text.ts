import { useI18n } from 'vue-i18n'
import type { Spending } from '../../main/contract/costs.ts'
import { microsText } from '../app/micros.ts'

/** @returns the spent part of a budget, including what is uncertain: “$41.20 spent + $0.34 not delivered yet”. */
export function useBudgetText(): (spending: Spending, currency: string) => string {
  const { t, n, locale } = useI18n()
  return ({ spent_micros: spent, held_micros: held, unknown_messages: unknown }, currency) =>
    [
      t('billing.budget.spent', { amount: microsText(spent, currency, locale.value) }),
      ...(held === 0 ? [] : [t('billing.budget.held', { amount: microsText(held, currency, locale.value) })]),
      ...(unknown === 0 ? [] : [t('billing.costs.unpriced', { n: n(unknown) }, unknown)]),
    ].join(' + ')
}
