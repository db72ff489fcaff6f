import type { Tx } from '../../kernel/db.ts'
import type { Clock } from '../../kernel/clock.ts'
import { appointmentAt, dueAt, type Due } from '../../kernel/due.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'

/** The next step of a turn. */
export type Step = { readonly kind: 'end' } | { readonly kind: 'wait'; readonly until: Due } | { readonly kind: 'send' }

export const END: Step = { kind: 'end' }
export const SEND: Step = { kind: 'send' }
export const waitUntil = (until: Due): Step => ({ kind: 'wait', until })

/** The longest that an agent waits while the person keeps writing. */
export const LONGEST_BURST_MS = 60_000

interface WaitingTurn {
  readonly firstAtMs: number
  readonly dueAtMs: number
}

/** When a turn is due. If that is when the business hours begin, it stays at that time of day when the clock is set. */
export const dueOf = (clock: Pick<Clock, 'now' | 'movedMs'>, { firstAtMs, dueAtMs }: WaitingTurn): Due =>
  dueAtMs - firstAtMs > LONGEST_BURST_MS ? appointmentAt(dueAtMs) : dueAt(clock, dueAtMs)

interface NewTurn {
  readonly conversation: {
    readonly id: string
    readonly instanceId: InstanceId
    readonly chat: string
    readonly accountId: AccountId
  }
  readonly seq: number
  readonly turn: number
  readonly due: Due
}

export interface TurnQueue {
  /** Runs in the commit that stores the turn. */
  add(tx: Tx, turn: NewTurn): Promise<void>
}
