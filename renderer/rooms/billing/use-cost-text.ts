import { useI18n } from 'vue-i18n'
import type { CostTotals } from '../../../main/contract/costs.ts'
import { microsText } from '../../app/micros.ts'

type Totals = Pick<CostTotals, 'costs' | 'unpriced' | 'billable'>

interface CostParts {
  /** One for each currency. */
  readonly amounts: readonly string[]
  /** “3 messages with unknown price”. Undefined if every price is known. */
  readonly unpriced: string | undefined
}

export function useCostParts(): (totals: Totals) => CostParts {
  const { t, n, locale } = useI18n()
  return ({ costs, unpriced }) => ({
    amounts: costs.map(({ currency, amount_micros: micros }) => microsText(micros, currency, locale.value)),
    unpriced: unpriced === 0 ? undefined : t('billing.costs.unpriced', { n: n(unpriced) }, unpriced),
  })
}

/** @returns message costs, including what is unknown: “$1.20 + 3 messages with unknown price”. */
export function useCostText(): (totals: Totals) => string {
  const { t } = useI18n()
  const partsOf = useCostParts()
  return (totals) => {
    if (totals.billable === 0) return t('billing.costs.nothing')
    const { amounts, unpriced } = partsOf(totals)
    return [...amounts, ...(unpriced === undefined ? [] : [unpriced])].join(' + ')
  }
}
