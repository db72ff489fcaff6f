import type { Tx } from '../../kernel/db.ts'
import type { Chats } from './chats.ts'
import { conversationBySeq } from './conversation-store.ts'
import type { AiDeps } from './deps.ts'
import type { SettingsStore } from './settings.ts'
import { endTurn, turnBySeq } from './turn-store.ts'

export type TurnFailure = (tx: Tx, turnSeq: number) => Promise<void>

/** Reports a turn that failed repeatedly because of an error in our own code. */
export function createTurnFailure({
  clock,
  chats,
  settings: store,
}: Pick<AiDeps, 'clock'> & { readonly chats: Chats; readonly settings: Pick<SettingsStore, 'read'> }): TurnFailure {
  return async (tx, turnSeq) => {
    const turn = await tx.one(turnBySeq, { seq: turnSeq })
    if (turn === undefined || turn.endedAtMs !== null) return
    const conversation = await tx.one(conversationBySeq, { seq: turn.conversationSeq })
    const isUnderWay = turn.state === 'sending'
    if (conversation === undefined || isUnderWay || turn.kind === 'follow_up') {
      const state = isUnderWay ? 'unknown' : 'skipped'
      await tx.run(endTurn, { seq: turnSeq, state, reason: 'internal_error', detail: null, now: clock.now() })
      return
    }
    const settings = await store.read(tx, turn.instanceId)
    const handover = { reason: 'not_sent', detail: 'internal_error' } as const
    await chats.handOver(tx, { turn, conversation, settings }, handover, { text: null })
  }
}
