import type { ApprovalRecord } from '../../../main/capabilities/approvals/contract.ts'
import { leftText } from '../../parts/clock-text.ts'

/** `4:07`: time left to decide; `0:00` when it is over. */
export function countdown(expiresAt: string, nowMs: number): string {
  return leftText(Date.parse(expiresAt) - nowMs)
}

/** Share of the time that is left, 0 to 1. */
export function shareLeft({ created_at, expires_at }: ApprovalRecord, nowMs: number): number {
  const [from, to] = [Date.parse(created_at), Date.parse(expires_at)]
  return to <= from ? 0 : Math.min(1, Math.max(0, (to - nowMs) / (to - from)))
}

export const isOpen = ({ state, expires_at }: ApprovalRecord, nowMs: number): boolean =>
  state === 'pending' && Date.parse(expires_at) > nowMs

/**
 * The cards on screen, longest waiting first. New ones are added below, so that nothing moves under the pointer.
 * @param decidedHere approvals decided on this screen keep their place and show the result.
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
 * Hosts in the arguments of a call, in ASCII, so that a person need not read long URLs and is not deceived by
 * look-alike letters.
 */
export function hostsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const url = /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(value) ? URL.parse(value.trim()) : null
    return url?.host ? [url.host] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return [...new Set(Object.values(value).flatMap(hostsIn))]
}

/** Hosts that would receive data: those in the arguments, and the object's current one. */
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

/** Whether a card has taken another card's place. @param before the ids shown before. */
export const hasShifted = (before: readonly string[], after: readonly string[]): boolean =>
  before.some((id, place) => after[place] !== id)

export type Outcome = 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'expired'

/** The result of a call for a person: it succeeded, the service refused it, or it was never made. */
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
