import type { CampaignConfig, CampaignConfigInput, CampaignWindow } from '../../contract/campaign.ts'
import { completeBudget } from '../../contract/costs.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Engine, Network } from '../../contract/shapes.ts'
import { requireTimeZone } from '../../kernel/time-zone.ts'

/** The facts about a campaign's numbers on which rules depend. */
export interface Numbers {
  readonly network: Network
  readonly engines: readonly Engine[]
  readonly instanceIds: readonly string[]
}

const DEFAULTS = {
  ...{ minDelay: 8, maxDelay: 25, pauseFor: [300, 900], dailyLimit: null, stopOnErrorPercent: 20, maxFailuresInRow: 5 },
  ...{ rotation: 'round_robin', weights: {}, variation: 'random', checkNumbers: true, typing: true },
} as const satisfies Partial<CampaignConfig>

/** Limits that protect live numbers; a simulation would only be slowed down by them. */
const DEFAULTS_OF: Readonly<
  Record<Network, Pick<CampaignConfig, 'pauseAfter' | 'hourlyLimit' | 'skipIfContactedHours'>>
> = {
  live: { pauseAfter: 50, hourlyLimit: 80, skipIfContactedHours: 24 },
  sandbox: { pauseAfter: null, hourlyLimit: null, skipIfContactedHours: null },
}

const DAYTIME: CampaignWindow = { start: '08:00', end: '20:00' }
const WORKDAYS = [1, 2, 3, 4, 5, 6]

/** With a shorter delay, WhatsApp detects automation on a phone. */
const SHORTEST_LIVE_DELAY = 2
/** Delays from this value on cause no warning. */
export const CAREFUL_LIVE_DELAY = 5

/**
 * Fills in the defaults.
 * @param timezone for sending hours without one.
 * @throws ApiError validation_error
 */
export function completeConfig(input: CampaignConfigInput, numbers: Numbers, timezone: string): CampaignConfig {
  const { minDelay, maxDelay } = input
  const base = { ...DEFAULTS, ...DEFAULTS_OF[numbers.network], ...input }
  const config: CampaignConfig = {
    minDelay: minDelay ?? Math.min(DEFAULTS.minDelay, maxDelay ?? Infinity),
    maxDelay: maxDelay ?? Math.max(DEFAULTS.maxDelay, minDelay ?? 0),
    pauseAfter: base.pauseAfter,
    pauseFor: [...base.pauseFor],
    hourlyLimit: base.hourlyLimit,
    dailyLimit: base.dailyLimit,
    window: windowOf(input, numbers.network, timezone),
    stopOnErrorPercent: base.stopOnErrorPercent,
    maxFailuresInRow: base.maxFailuresInRow,
    rotation: base.rotation,
    weights: base.weights,
    budget: input.budget ? completeBudget(input.budget) : null,
    variation: base.variation,
    skipIfContactedHours: base.skipIfContactedHours,
    checkNumbers: base.checkNumbers,
    typing: base.typing,
  }
  requireSound(config, numbers)
  return config
}

function windowOf({ window }: CampaignConfigInput, network: Network, timezone: string): CampaignConfig['window'] {
  if (window === null || (window === undefined && network === 'sandbox')) return null
  const { start, end, timezone: zone = timezone, days = WORKDAYS } = window ?? DAYTIME
  const known = requireTimeZone(zone, 'config.window.timezone')
  return { start, end, timezone: known, days: days.toSorted((a, b) => a - b) }
}

function requireSound(config: CampaignConfig, { network, engines, instanceIds }: Numbers): void {
  const { minDelay, maxDelay, pauseFor, window, weights } = config
  if (minDelay > maxDelay)
    throw wrong(`config.minDelay is ${minDelay}, more than config.maxDelay (${maxDelay}).`).because('delays_order')
  if (network === 'live' && engines.includes('smv2') && minDelay < SHORTEST_LIVE_DELAY) {
    throw wrong(
      `config.minDelay must be ${SHORTEST_LIVE_DELAY} or more on live smv2 numbers. Faster sending gets numbers banned.`,
    ).because('delay_too_short', { n: SHORTEST_LIVE_DELAY })
  }
  const [shortest = 0, longest = 0] = pauseFor
  if (shortest > longest)
    throw wrong('config.pauseFor must be the shortest pause, then the longest.').because('pauses_order')
  if (window !== null) requireOpening(window)
  const unknown = Object.keys(weights).find((id) => !instanceIds.includes(id))
  if (unknown !== undefined)
    throw wrong(`config.weights names ${unknown}, which is not in instance_ids.`).because('chosen_gone', {
      field: 'config.weights',
    })
}

function requireOpening({ start, end }: NonNullable<CampaignConfig['window']>): void {
  if (start === end)
    throw wrong(
      `config.window starts and ends at ${start}. For the whole day use 00:00 and 24:00, or leave it out.`,
    ).because('window_never_opens')
}

const wrong = (message: string) => new ApiError('validation_error', message)
