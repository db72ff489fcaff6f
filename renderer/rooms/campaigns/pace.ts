import type { CampaignConfig } from '../../../main/contract/campaign.ts'
import { timeText } from '../../app/time.ts'

export const PACES = ['careful', 'normal', 'fast'] as const
export type Pace = (typeof PACES)[number]

type PaceFields = Pick<CampaignConfig, 'minDelay' | 'maxDelay' | 'pauseAfter' | 'pauseFor' | 'hourlyLimit'>

/** Based on the experience of large senders; WhatsApp publishes no thresholds. `normal` is the service's default. */
export const PACE_VALUES: Readonly<Record<Pace, PaceFields>> = {
  careful: { minDelay: 20, maxDelay: 60, pauseAfter: 30, pauseFor: [600, 1_200], hourlyLimit: 40 },
  normal: { minDelay: 8, maxDelay: 25, pauseAfter: 50, pauseFor: [300, 900], hourlyLimit: 80 },
  fast: { minDelay: 3, maxDelay: 10, pauseAfter: 100, pauseFor: [120, 300], hourlyLimit: 200 },
}

/** The preset of a configuration; undefined for a custom one. */
export const paceOf = (config: PaceFields): Pace | undefined =>
  PACES.find((pace) => {
    const fields = PACE_VALUES[pace]
    return (Object.keys(fields) as (keyof PaceFields)[]).every(
      (name) => JSON.stringify(config[name]) === JSON.stringify(fields[name]),
    )
  })

export type Safeness = 'safe' | 'watch' | 'risky' | 'blocked'

/** The most severe risk that the service reports for a campaign. */
export function safenessOf(risks: readonly { readonly severity: 'info' | 'warning' | 'error' }[]): Safeness {
  if (risks.some(({ severity }) => severity === 'error')) return 'blocked'
  const warnings = risks.filter(({ severity }) => severity === 'warning').length
  return warnings === 0 ? 'safe' : warnings < 3 ? 'watch' : 'risky'
}

/** Parses a number field; undefined if it is not a number. */
export function readNumber(
  text: string | number | null | undefined,
  { min = 0, max }: { min?: number; max: number },
): number | undefined {
  if (text === '' || text === null || text === undefined) return undefined
  const value = Math.round(Number(text))
  return Number.isFinite(value) && value >= min && value <= max ? value : undefined
}

const WEEK = [1, 2, 3, 4, 5, 6, 7] as const

/** Monday to Sunday, in the language of the window. */
export function listWeekdays(
  locale: string,
): readonly { readonly value: number; readonly short: string; readonly long: string }[] {
  // 2024-01-01 was a Monday.
  const nameOf = (form: 'weekday' | 'longWeekday', day: number) =>
    timeText(Date.UTC(2024, 0, day), { form, locale, zone: 'UTC' })
  return WEEK.map((value) => ({ value, short: nameOf('weekday', value), long: nameOf('longWeekday', value) }))
}
