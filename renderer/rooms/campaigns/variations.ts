interface Variation {
  readonly variation: number
  readonly sent: number
  readonly replied: number
  readonly read: number
}

/** A smaller sample shows only chance. */
const ENOUGH = 30
/** Ratio by which the best must be answered more often than the next. */
const CLEAR = 1.2

/** The variation that is clearly answered most; undefined while none is. */
export function bestVariation(variations: readonly Variation[]): number | undefined {
  const ranked = variations
    .filter(({ sent }) => sent >= ENOUGH)
    .map((each) => ({ ...each, rate: each.replied / each.sent }))
    .toSorted((a, b) => b.rate - a.rate)
  const [first, second] = ranked
  if (first === undefined || second === undefined || ranked.length < variations.length) return undefined
  return first.rate > 0 && first.rate >= second.rate * CLEAR ? first.variation : undefined
}
