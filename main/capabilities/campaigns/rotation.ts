import { seededFractions } from '../../contract/campaign-text.ts'
import type { StoredCampaign } from './store.ts'

/** A number that may get recipients. */
export interface Candidate {
  readonly instanceId: string
  readonly weight: number
  /** Number of recipients it got so far. */
  readonly given: number
  /** Whether a number below its share gets more until it has caught up. */
  readonly catchesUp: boolean
}

/** A number that is further behind was disconnected. */
const TURNS_BEHIND = 2

/**
 * Spreads recipients over numbers by weight: the next one goes to the number with the fewest for its weight. For
 * equal numbers, a random order is drawn once per campaign.
 */
export function createRotation({ id }: Pick<StoredCampaign, 'id'>, candidates: readonly Candidate[]) {
  const shares = candidates.map(({ instanceId, weight, given, catchesUp }) => ({
    ...{ instanceId, weight, given, catchesUp },
    rank: seededFractions(`${id}:${instanceId}`)(),
  }))
  const most = Math.max(0, ...shares.map(({ given, weight }) => given / weight))
  for (const share of shares) {
    const least = Math.ceil(most * share.weight) - TURNS_BEHIND
    if (!share.catchesUp && share.given < least) share.given = least
  }

  return {
    /**
     * @param accepts whether a number may write to this recipient.
     * @returns undefined if none may.
     */
    next(accepts: (instanceId: string) => boolean): string | undefined {
      let best: (typeof shares)[number] | undefined
      for (const share of shares) {
        if (!accepts(share.instanceId)) continue
        if (best === undefined || isBefore(share, best)) best = share
      }
      if (best !== undefined) best.given++
      return best?.instanceId
    },
    /** Number of recipients of each number now. */
    given: (): ReadonlyMap<string, number> => new Map(shares.map(({ instanceId, given }) => [instanceId, given])),
  }
}

type Share = { readonly given: number; readonly weight: number; readonly rank: number }

function isBefore(one: Share, other: Share): boolean {
  const difference = (one.given + 1) / one.weight - (other.given + 1) / other.weight
  return Math.abs(difference) > 1e-9 ? difference < 0 : one.rank < other.rank
}
