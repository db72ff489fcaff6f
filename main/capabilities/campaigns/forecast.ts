import type { CampaignConfig } from '../../contract/campaign.ts'
import type { KnownInstance } from '../instances/index.ts'
import { hoursAt } from '../../contract/opening-hours.ts'
import { dayOf } from '../../kernel/time-zone.ts'

/** How many messages a number may send on the day of this time. null: no limit. */
type DayLimit = (atMs: number) => number | null

/** Expected sends of a number if nothing interferes. */
interface Forecast {
  readonly endsAtMs: number
  readonly days: readonly { readonly day: string; readonly sends: number }[]
}

const HOUR_MS = 3_600_000
/** Longer plans are not calculated. */
const MOST_DAYS = 400

const UNLIMITED: DayLimit = () => null

/** Average time between two sends of a number, rests included. */
function gapMs({ minDelay, maxDelay, pauseAfter, pauseFor }: CampaignConfig): number {
  const delay = (minDelay + maxDelay) / 2
  const rest = ((pauseFor[0] ?? 0) + (pauseFor[1] ?? 0)) / 2
  return 1_000 * (delay + (pauseAfter === null ? 0 : Math.max(0, rest - delay) / pauseAfter))
}

/**
 * @param count how many messages the number sends
 * @param timezone of the days, for a campaign without sending hours
 * @returns undefined if it would take more than a year
 */
export function forecast(
  config: CampaignConfig,
  count: number,
  startMs: number,
  timezone: string,
  limitOn: DayLimit = UNLIMITED,
): Forecast | undefined {
  const gap = Math.max(gapMs(config), config.hourlyLimit === null ? 0 : HOUR_MS / config.hourlyLimit)
  const days: { day: string; sends: number }[] = []
  const zone = config.window?.timezone ?? timezone
  let left = count
  let atMs = startMs
  for (let turn = 0; turn < 2 * MOST_DAYS && left > 0; turn++) {
    const hours = hoursAt(config.window, atMs)
    if (!hours.isOpen) {
      if (hours.changesAtMs === Infinity) return undefined
      atMs = hours.changesAtMs
      continue
    }
    const day = dayOf(atMs, zone)
    const untilMs = Math.min(hours.changesAtMs, day.endMs)
    const limit = lowest(config.dailyLimit, limitOn(atMs))
    const already = days.at(-1)?.day === day.date ? (days.at(-1)?.sends ?? 0) : 0
    const fits = gap === 0 ? left : 1 + Math.floor((untilMs - 1 - atMs) / gap)
    const sends = Math.max(0, Math.min(left, fits, limit - already))
    if (sends > 0) {
      const last = days.at(-1)
      if (last?.day === day.date) last.sends += sends
      else days.push({ day: day.date, sends })
    }
    left -= sends
    if (left <= 0) return { endsAtMs: atMs + Math.max(0, sends - 1) * gap, days }
    atMs = untilMs
  }
  return left > 0 ? undefined : { endsAtMs: startMs, days }
}

const lowest = (a: number | null, b: number | null): number => Math.min(a ?? Infinity, b ?? Infinity)

/** When a campaign is expected to end if its recipients are spread evenly. null: unknown. */
export function estimateEnd(config: CampaignConfig, numbers: number, count: number, startMs: number): number | null {
  const share = Math.ceil(count / Math.max(1, numbers))
  return forecast(config, share, startMs, config.window?.timezone ?? 'UTC')?.endsAtMs ?? null
}

/** The share of one number in a campaign. */
export interface Load {
  readonly instance: KnownInstance
  readonly recipients: number
  readonly firstContacts: number
  /** New contacts to whom it may still write today; null: no limit. */
  readonly firstContactsLeft: number | null
  /** official: the limit of its portfolio; null: none. */
  readonly portfolio: {
    readonly key: string
    /** People in 24 hours. */
    readonly limit: number | null
    readonly left: number | null
    /** People of the whole campaign who count towards the limit. */
    readonly opens: number
  } | null
  readonly isConnected: boolean
  /** undefined: more than a year. */
  readonly plan: Forecast | undefined
}
