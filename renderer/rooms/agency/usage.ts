import type { Reply } from '../../app/operation-types.ts'

type Row = Reply<'getAgencyUsage'>['data'][number]

export const PERIODS = [7, 30, 90] as const
export type Period = (typeof PERIODS)[number]

/** The days of a period that ends today in the person's time zone, oldest first: `2026-03-01`. */
export function daysOf(period: Period, nowMs: number): string[] {
  const today = new Date(nowMs)
  return Array.from({ length: period }, (_, index) => {
    // Only the date matters: days in UTC have no clock changes.
    const day = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate() - (period - 1 - index))
    return new Date(day).toISOString().slice(0, 10)
  })
}

/** The sums of a counter, day by day. */
export function seriesOf(rows: readonly Row[], days: readonly string[], counter: 'sent' | 'received' | 'failed') {
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(row.day, (sums.get(row.day) ?? 0) + row[counter])
  return days.map((day) => sums.get(day) ?? 0)
}
