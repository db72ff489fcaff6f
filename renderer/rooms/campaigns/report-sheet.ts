import type { Campaign } from '../../../main/contract/campaign.ts'

interface Words {
  readonly t: (key: string) => string
  readonly instanceName: (id: string) => string
  readonly reasonText: (code: string) => string
}

const COUNTS = [
  'total',
  'pending',
  'sent',
  'delivered',
  'read',
  'replied',
  'failed',
  'skipped',
  'unknown',
  'opted_out',
] as const
const RATES = ['sent', 'delivered', 'read', 'replied', 'failed'] as const

/** The totals as rows of a spreadsheet. */
export function reportSheet(
  { name, counts, per_instance, per_variation }: Pick<Campaign, 'name' | 'counts' | 'per_instance' | 'per_variation'>,
  failures: readonly { readonly reason: string; readonly count: number }[],
  { t, instanceName, reasonText }: Words,
): readonly (readonly (string | number)[])[] {
  const nameOf = (count: string) => t(`campaigns.counted.${count}`)
  return [
    [name],
    ...COUNTS.map((count) => [nameOf(count), counts[count]]),
    [],
    [t('campaigns.number.title'), nameOf('sent'), nameOf('failed')],
    ...per_instance.map((each) => [instanceName(each.instance_id), each.sent, each.failed]),
    [],
    [t('campaigns.variations.title'), ...RATES.map(nameOf)],
    ...per_variation.map((each) => [each.variation, ...RATES.map((rate) => each[rate])]),
    ...(failures.length === 0
      ? []
      : [[], [t('campaigns.failures.title')], ...failures.map(({ reason, count }) => [reasonText(reason), count])]),
  ]
}
