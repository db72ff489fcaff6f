import { TRAITS } from '../../contract/engine-traits.ts'
import type { Config } from '../../config.ts'
import type { Evidence } from '../../engines/engine.ts'
import type { NumberRow } from './store.ts'

export type SafetySettings = Pick<
  Config,
  | 'safetyDailyLimit'
  | 'safetyHourlyLimit'
  | 'safetySpacingSeconds'
  | 'safetyWarmupDays'
  | 'safetyWarmupLimits'
  | 'safetyFirstContacts'
  | 'safetyFirstContactsNew'
  | 'safetyFirstContactsDays'
  | 'safetyWithheldPercent'
  | 'safetyTimezone'
>

/** What a number may send; null: no limit. */
export interface Limits {
  readonly daily: number | null
  readonly hourly: number | null
  /** smv2: people it writes to for the first time in a day. official: people its portfolio reaches in 24 hours. */
  readonly firstContacts: number | null
  readonly spacingMs: number
}

const NONE: Limits = { daily: null, hourly: null, firstContacts: null, spacingMs: 0 }

/**
 * A sandbox number needs no protection. Meta requires no warm-up or pauses, and reports how many people a portfolio
 * may reach.
 */
export function limitsOf(
  { engine, network }: Pick<NumberRow, 'engine' | 'network'>,
  pairedDays: number,
  portfolio: Evidence['portfolio'],
  settings: SafetySettings,
): Limits {
  if (network === 'sandbox') return NONE
  if (TRAITS[engine].sharesLimit) return { ...NONE, firstContacts: reachOf(portfolio?.limit?.tier) }
  return {
    daily: dailyLimit(pairedDays, settings),
    hourly: settings.safetyHourlyLimit,
    firstContacts: firstContactsLimit(pairedDays, settings),
    spacingMs: settings.safetySpacingSeconds * 1_000,
  }
}

/** For the first, second and last third of the warm-up, then the full limit. */
export function dailyLimit(pairedDays: number, settings: SafetySettings): number {
  const { safetyDailyLimit: limit, safetyWarmupDays: days, safetyWarmupLimits: steps } = settings
  if (pairedDays >= days) return limit
  return Math.min(limit, steps[Math.floor((pairedDays * steps.length) / days)] ?? limit)
}

/** Rises linearly. */
function firstContactsLimit(pairedDays: number, settings: SafetySettings): number {
  const { safetyFirstContacts: limit, safetyFirstContactsNew: first, safetyFirstContactsDays: days } = settings
  if (pairedDays >= days) return limit
  return Math.min(limit, first + Math.floor(((limit - first) * pairedDays) / days))
}

type Rating = 'high' | 'medium' | 'low' | 'unknown'

const RATINGS: Readonly<Record<string, Rating>> = {
  ...{ GREEN: 'high', YELLOW: 'medium', RED: 'low' },
  ...{ HIGH: 'high', MEDIUM: 'medium', LOW: 'low' },
}

export const ratingOf = (quality: Evidence['quality']): Rating => RATINGS[quality?.rating ?? ''] ?? 'unknown'

/** Limit of a new business, used if Meta has never reported one. */
const LOWEST_REACH = 250

/** Number of people that a portfolio may reach in 24 hours: `TIER_250`, `TIER_2K`. null: no limit. */
export function reachOf(tier: string | undefined): number | null {
  if (tier === 'TIER_UNLIMITED') return null
  const [, digits, thousands] = /^TIER_(\d+)(K?)$/.exec(tier ?? '') ?? []
  return digits === undefined ? LOWEST_REACH : Number(digits) * (thousands ? 1_000 : 1)
}
