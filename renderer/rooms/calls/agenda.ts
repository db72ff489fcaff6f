import { dayKey } from './call-times.ts'
import type { CallRow } from './call-state.ts'

/** Calls that were scheduled together, or a single one. */
export interface AgendaItem {
  readonly key: string
  readonly batchId: string | null
  /** Ordered by time; at least one. */
  readonly calls: readonly CallRow[]
}

export interface AgendaDay {
  /** `2026-03-01` */
  readonly day: string
  readonly firstAtMs: number
  readonly count: number
  readonly items: readonly AgendaItem[]
}

/** Scheduled calls by day. The calls of a batch are one item, at the time of its first call of that day. */
export function agendaOf(calls: readonly CallRow[], zone: string): readonly AgendaDay[] {
  const days = Map.groupBy(calls, (call) => dayKey(Date.parse(call.scheduled_at), zone))
  return [...days].map(([day, ofDay]) => ({
    ...{ day, count: ofDay.length, firstAtMs: Date.parse(ofDay[0]?.scheduled_at ?? '') },
    items: [...Map.groupBy(ofDay, (call) => call.batch_id ?? call.id)].map(([key, together]) => ({
      ...{ key, calls: together },
      batchId: together[0]?.batch_id ?? null,
    })),
  }))
}
