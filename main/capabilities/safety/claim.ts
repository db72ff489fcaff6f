import { TRAITS } from '../../contract/engine-traits.ts'
import type { Budget, Facts, ReasonCode } from './budget.ts'

/** The caller's own limits for this number, which can only lower its budget. null: none. */
export interface OwnLimits {
  readonly hourlyLimit?: number | null
  readonly dailyLimit?: number | null
}

export type ClaimResult =
  | { readonly kind: 'granted' }
  /** Not now. The caller must claim again at that time; claims do not queue. */
  | { readonly kind: 'wait'; readonly untilMs: number; readonly reason: ReasonCode }
  /**
   * This number must not write to this person until then; null: until something changes. The caller may try another
   * number.
   */
  | { readonly kind: 'refused'; readonly reason: ReasonCode; readonly untilMs: number | null }

/** A message that is about to be sent. */
export interface Wish {
  /** The number has never exchanged a message with the person. */
  readonly cold: boolean
  /** official: the person did not write in the last 24 hours, and no number of the portfolio reached them. */
  readonly opens: boolean
  readonly limits: OwnLimits
}

const REFUSED: ReadonlySet<ReasonCode> = new Set(['banned', 'restricted', 'replies_restricted', 'new_chats_used_up'])

/**
 * Pure. A message that the network would refuse is refused; a used-up limit is restored later, so the message waits.
 */
export function decide(facts: Facts, budget: Budget, { cold, opens, limits }: Wish): ClaimResult {
  const isNew = TRAITS[facts.number.engine].sharesLimit ? opens : cold
  for (const { code, holds, untilMs } of budget.holds) {
    if (holds === 'cold' && !isNew) continue
    if (REFUSED.has(code) || untilMs === null) return { kind: 'refused', reason: code, untilMs }
    return { kind: 'wait', untilMs, reason: code }
  }
  const { used } = budget
  if (used.today >= (limits.dailyLimit ?? Infinity)) return wait('daily_limit', facts.day.endMs)
  if (used.hour >= (limits.hourlyLimit ?? Infinity)) return wait('hourly_limit', facts.hour.endMs)
  const nextMs = (facts.number.claimedAtMs ?? -Infinity) + budget.limits.spacingMs
  return nextMs > facts.nowMs ? wait('spacing', nextMs) : { kind: 'granted' }
}

const wait = (reason: ReasonCode, untilMs: number): ClaimResult => ({ kind: 'wait', untilMs, reason })
