import { useI18n } from 'vue-i18n'
import type { CostTotals } from '../../../main/contract/costs.ts'
import { microsText } from '../../app/micros.ts'

/** @returns what messages cost, with what is not known of it: “$1.20 + 3 messages with unknown price”. */
export function useCostText(): (totals: Pick<CostTotals, 'costs' | 'unpriced' | 'billable'>) => string {
  const { t, n, locale } = useI18n()
  return ({ costs, unpriced, billable }) => {
    if (billable === 0) return t('billing.costs.nothing')
    const known = costs.map(({ currency, amount_micros: micros }) => microsText(micros, currency, locale.value))
    const rest = unpriced === 0 ? [] : [t('billing.costs.unpriced', { n: n(unpriced) }, unpriced)]
    return [...known, ...rest].join(' + ')
  }
}
