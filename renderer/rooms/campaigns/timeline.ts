export interface TimelinePoint {
  readonly atMs: number
  readonly sent: number
}

const MINUTE = 60_000
const WIDTHS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE, 6 * 60 * MINUTE, 24 * 60 * MINUTE]
const MOST_POINTS = 48

/** How wide a bar is, so that there are 48 at most. */
export const widthFor = (spanMs: number): number =>
  WIDTHS.find((width) => spanMs / width <= MOST_POINTS) ?? Math.ceil(spanMs / MOST_POINTS)

/**
 * How many were sent over time. Bars are as wide as needed, and empty ones are kept: they are pauses and nights.
 * @param sentAtMs in any order.
 */
export function toTimeline(sentAtMs: readonly number[]): readonly TimelinePoint[] {
  let [first, last] = [Infinity, -Infinity]
  for (const at of sentAtMs) {
    if (at < first) first = at
    if (at > last) last = at
  }
  if (first > last) return []
  const width = widthFor(last - first)
  // Days begin at midnight here, and hours at the full hour.
  const shift = new Date(first).getTimezoneOffset() * MINUTE
  const slotOf = (at: number) => Math.floor((at - shift) / width)
  const begin = slotOf(first)
  const counts = Array.from({ length: slotOf(last) - begin + 1 }, () => 0)
  for (const at of sentAtMs) {
    const slot = slotOf(at) - begin
    counts[slot] = (counts[slot] ?? 0) + 1
  }
  return counts.map((sent, index) => ({ atMs: (begin + index) * width + shift, sent }))
}
