import type { CampaignConfig } from '../../contract/campaign.ts'
import { seededFractions } from '../../contract/campaign-text.ts'

/** The random choices for a recipient. They are derived from the recipient, so a restart does not change them. */
export interface Draw {
  /** Delay until the next send of the same number. */
  readonly delayMs: number
  /** How long the number pauses if it does so after this recipient. */
  readonly restMs: number
  /** Counted from 1. */
  readonly variation: number
}

export const seedOf = (campaignId: string, position: number): string => `${campaignId}:${position}`

export function drawFor(
  campaignId: string,
  position: number,
  { minDelay, maxDelay, pauseFor, variation }: CampaignConfig,
  variations: number,
): Draw {
  const fraction = seededFractions(seedOf(campaignId, position))
  const between = (low: number, high: number) => Math.round(1_000 * (low + fraction() * (high - low)))
  const delayMs = between(minDelay, maxDelay)
  const restMs = between(pauseFor[0] ?? 0, pauseFor[1] ?? 0)
  const chosen = variation === 'sequential' ? (position - 1) % variations : Math.floor(fraction() * variations)
  return { delayMs, restMs, variation: chosen + 1 }
}
