import type { Reply } from '../../app/operation-types.ts'

type Row = Reply<'getAgencyUsage'>['data'][number]

export const PERIODS = [7, 30, 90] as const
export type Period = (typeof PERIODS)[number]

const DAY_MS = 86_400_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The days of a period that ends today, oldest first: `2026-03-01`. */
export const daysOf = (period: Period, nowMs: number): string[] =>
  Array.from({ length: period }, (_, index) => dayOf(nowMs - (period - 1 - index) * DAY_MS))

/** The sums of a counter, day by day. */
export function seriesOf(rows: readonly Row[], days: readonly string[], counter: 'sent' | 'received' | 'failed') {
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(row.day, (sums.get(row.day) ?? 0) + row[counter])
  return days.map((day) => sums.get(day) ?? 0)
}
