import { LIMITS } from '../../../main/contract/limits.ts'

const DAY_MS = 86_400_000

/** Formats a time for `<input type="datetime-local">`, in the person's own time zone. */
export function toLocalInput(atMs: number): string {
  const at = new Date(atMs)
  const pad = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

/** @returns ISO 8601 in UTC; undefined if the field is empty or incomplete. */
export function fromLocalInput(text: string): string | undefined {
  const atMs = Date.parse(text)
  return text === '' || Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString()
}

/** Why a period cannot be replayed; undefined if it can. */
export function periodError(
  since: string | undefined,
  until: string | undefined,
  nowMs: number,
): 'since_missing' | 'too_old' | 'in_future' | 'backwards' | undefined {
  if (since === undefined) return 'since_missing'
  const sinceMs = Date.parse(since)
  if (sinceMs > nowMs) return 'in_future'
  // The field has whole minutes, so a start of exactly seven days ago must not be rejected because of its seconds.
  if (sinceMs < nowMs - LIMITS.eventDays * DAY_MS - 60_000) return 'too_old'
  return until !== undefined && Date.parse(until) <= sinceMs ? 'backwards' : undefined
}

/** How far back each choice of “since” begins. */
export const SPANS_MS = {
  hour: 3_600_000,
  day: DAY_MS,
  week: LIMITS.eventDays * DAY_MS,
} as const

export type Span = keyof typeof SPANS_MS
export const SPANS = Object.keys(SPANS_MS) as readonly Span[]
