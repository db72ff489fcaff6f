import type { ApprovalRecord } from '../../../main/capabilities/approvals/contract.ts'

/** `4:07`: what is left to decide; `0:00` when the time is over. */
export function countdown(expiresAt: string, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(expiresAt) - nowMs) / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** How much of the time is left, 0 to 1. */
export function shareLeft({ created_at, expires_at }: ApprovalRecord, nowMs: number): number {
  const [from, to] = [Date.parse(created_at), Date.parse(expires_at)]
  return to <= from ? 0 : Math.min(1, Math.max(0, (to - nowMs) / (to - from)))
}

export const isOpen = ({ state, expires_at }: ApprovalRecord, nowMs: number): boolean =>
  state === 'pending' && Date.parse(expires_at) > nowMs

/** The longest waiting first: what comes meanwhile stands below, and moves nothing that somebody is about to click. */
export const oldestFirst = (records: readonly ApprovalRecord[], nowMs: number): ApprovalRecord[] =>
  records.filter((record) => isOpen(record, nowMs)).toSorted((a, b) => a.expires_at.localeCompare(b.expires_at))

/** Whether a card stands where another one stood. @param before ids as they were shown. */
export const hasShifted = (before: readonly string[], after: readonly string[]): boolean =>
  before.some((id, place) => after[place] !== id)

export type Outcome = 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'expired'

/** What became of a call, for a person: carried out and worked, carried out and refused by the service, or not done. */
export function outcomeOf(record: ApprovalRecord, nowMs: number): Outcome {
  if (record.state === 'pending') return isOpen(record, nowMs) ? 'waiting' : 'expired'
  if (record.state === 'approved') return 'running'
  if (record.state === 'executed') return (record.result?.status ?? 200) < 400 ? 'done' : 'failed'
  return record.state
}

/** Why an approved call came to nothing, in the words of the service. */
export function failureOf(record: ApprovalRecord): string | undefined {
  const body = record.result?.body as { error?: { message?: string } } | null | undefined
  return outcomeOf(record, 0) === 'failed' ? body?.error?.message : undefined
}
