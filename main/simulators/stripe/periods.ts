/** How often a price is charged; Stripe names days, weeks, months and years. */
export interface Rhythm {
  readonly interval: string
  readonly interval_count: number
}

const DAY = 86_400

/**
 * The end of the `nth` period after an anchor. Months keep the day of the anchor, or use their last day: 31 January,
 * 28 February, 31 March.
 */
function periodEnd(anchor: number, { interval, interval_count: count }: Rhythm, nth: number): number {
  if (interval === 'day') return anchor + nth * count * DAY
  if (interval === 'week') return anchor + nth * count * 7 * DAY
  const months = nth * count * (interval === 'year' ? 12 : 1)
  const start = new Date(anchor * 1_000)
  const month = start.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const day = Math.min(start.getUTCDate(), lastDay)
  const time = (anchor * 1_000) % (DAY * 1_000)
  return Math.floor((Date.UTC(start.getUTCFullYear(), month, day) + time) / 1_000)
}

const MONTHLY: Rhythm = { interval: 'month', interval_count: 1 }

/** The first end of a period that is later than `after`. */
export function nextPeriodEnd(anchor: number, rhythm: Rhythm | null | undefined, after: number): number {
  for (let nth = 1; ; nth++) {
    const end = periodEnd(anchor, rhythm ?? MONTHLY, nth)
    if (end > after) return end
  }
}

/** The share of an amount for the rest of a period, rounded to the smallest unit. */
export function prorated(amount: number, { start, end, at }: { start: number; end: number; at: number }): number {
  if (end <= start) return 0
  return Math.round((amount * Math.max(0, end - Math.max(at, start))) / (end - start))
}
