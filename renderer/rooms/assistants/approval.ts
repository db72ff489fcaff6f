import type { ApprovalRecord } from '../../../main/capabilities/approvals/contract.ts'
import { leftText } from '../../parts/clock-text.ts'

/** `4:07`: what is left to decide; `0:00` when the time is over. */
export function countdown(expiresAt: string, nowMs: number): string {
  return leftText(Date.parse(expiresAt) - nowMs)
}

/** How much of the time is left, 0 to 1. */
export function shareLeft({ created_at, expires_at }: ApprovalRecord, nowMs: number): number {
  const [from, to] = [Date.parse(created_at), Date.parse(expires_at)]
  return to <= from ? 0 : Math.min(1, Math.max(0, (to - nowMs) / (to - from)))
}

export const isOpen = ({ state, expires_at }: ApprovalRecord, nowMs: number): boolean =>
  state === 'pending' && Date.parse(expires_at) > nowMs

/**
 * The cards on screen, the longest waiting first: new ones come below, and move nothing that somebody is about to click.
 * @param decidedHere what was decided on this screen stays in its place and shows its result.
 */
export const cardsOf = (
  records: readonly ApprovalRecord[],
  decidedHere: ReadonlySet<string>,
  nowMs: number,
): ApprovalRecord[] =>
  records
    .filter((record) => isOpen(record, nowMs) || decidedHere.has(record.id))
    .toSorted((a, b) => a.expires_at.localeCompare(b.expires_at))

/**
 * Hosts that the arguments of a call name, in ASCII: where data would go must not depend on reading a long URL, and
 * letters of another script must not pass for those of a known name.
 */
export function hostsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const url = /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(value) ? URL.parse(value.trim()) : null
    return url?.host ? [url.host] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return [...new Set(Object.values(value).flatMap(hostsIn))]
}

/** Hosts that data would go to: those in the arguments, and the one that the thing has already. */
export const hostsOf = ({ arguments: given, parts }: Pick<ApprovalRecord, 'arguments' | 'parts'>): string[] => [
  ...new Set([
    ...hostsIn(given),
    ...(parts ?? []).flatMap(({ kind, values }) => (kind === 'destination' ? values : [])),
  ]),
]

/** Invisible and direction-changing characters, which could make arguments read as something else. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\u0080-\u009f]/gu

/** Arguments or a result as JSON in which every character can be seen. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    INVISIBLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )

/** Whether a card has taken the place of another. @param before ids as they were shown. */
export const hasShifted = (before: readonly string[], after: readonly string[]): boolean =>
  before.some((id, place) => after[place] !== id)

export type Outcome = 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'expired'

/** How a call ended, for a person: it worked, the service refused it, or it was never made. */
export function outcomeOf(record: ApprovalRecord, nowMs: number): Outcome {
  if (record.state === 'pending') return isOpen(record, nowMs) ? 'waiting' : 'expired'
  if (record.state === 'approved') return 'running'
  if (record.state === 'executed') return (record.result?.status ?? 200) < 400 ? 'done' : 'failed'
  return record.state
}

/** Why an approved call failed: the error code of the service. */
export function failureOf(record: ApprovalRecord): string | undefined {
  const body = record.result?.body as { error?: { code?: string } } | null | undefined
  return outcomeOf(record, 0) === 'failed' ? body?.error?.code : undefined
}
