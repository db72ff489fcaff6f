import type { Tx } from '../../kernel/db.ts'
import type { Due } from '../../kernel/due.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'

/** The next step of a turn. */
export type Step = { readonly kind: 'end' } | { readonly kind: 'wait'; readonly until: Due } | { readonly kind: 'send' }

export const END: Step = { kind: 'end' }
export const SEND: Step = { kind: 'send' }
export const waitUntil = (until: Due): Step => ({ kind: 'wait', until })

interface NewTurn {
  readonly conversation: {
    readonly id: string
    readonly instanceId: InstanceId
    readonly chat: string
    readonly accountId: AccountId
  }
  readonly seq: number
  readonly turn: number
  readonly dueAtMs: number
}

export interface TurnQueue {
  /** Runs in the commit that stores the turn. */
  add(tx: Tx, turn: NewTurn): Promise<void>
}
