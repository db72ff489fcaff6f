import type { Tx } from '../../kernel/db.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import type { Chats } from './chats.ts'
import {
  conversationOf,
  isPaused,
  removeConversation,
  renameChat,
  setMerged,
  type ConversationRow,
  type MergedState,
} from './conversation-store.ts'
import type { AiDeps } from './deps.ts'
import { addToTurn, endTurn, moveEndedTurns, renameTurns, turnOf, unendedOf } from './turn-store.ts'

interface MoveDeps extends Pick<AiDeps, 'clock'> {
  readonly chats: Pick<Chats, 'notify'>
}

/**
 * Merges the conversations that an agent has with one person under two names. The result is paused if either one was, and
 * keeps the turns of both. A question that was waiting in one is answered in the other.
 */
export function createMove({ clock, chats }: MoveDeps): MovePerson {
  return async (tx, { instanceId, accountId, from, to }) => {
    const moved = await tx.one(conversationOf, { instanceId, chat: from })
    if (moved === undefined || from === to) return
    const known = await tx.one(conversationOf, { instanceId, chat: to })
    const kept = known === undefined ? moved : await merge(tx, moved, known)
    await tx.run(renameChat, { seq: kept.seq, chat: to })
    await tx.run(renameTurns, { conversationSeq: kept.seq, chat: to })
    chats.notify(tx, { instanceId, accountId })
  }

  async function merge(tx: Tx, moved: ConversationRow, known: ConversationRow): Promise<ConversationRow> {
    // The Idempotency-Key of a turn that is being sent contains the id of its conversation.
    const [kept, other] = moved.openTurn !== null && known.openTurn === null ? [moved, known] : [known, moved]
    await passOn(tx, other, kept)
    await tx.run(moveEndedTurns, { from: other.seq, to: kept.seq, offset: kept.nextTurn })
    await tx.run(removeConversation, { seq: other.seq })
    await tx.run(setMerged, { seq: kept.seq, ...mergedState(kept, other, clock.now()) })
    return kept
  }

  /** Open questions move to the conversation that is kept. A turn that may have been partly sent ends where it is. */
  async function passOn(tx: Tx, other: ConversationRow, kept: ConversationRow): Promise<void> {
    const now = clock.now()
    for (const { seq, state, kind, question } of await tx.all(unendedOf, { conversationSeq: other.seq })) {
      if (state === 'sending') continue
      await tx.run(endTurn, { seq, state: 'skipped', reason: 'merged', detail: null, now })
      const open =
        kept.openTurn === null ? undefined : await tx.one(turnOf, { conversationSeq: kept.seq, turn: kept.openTurn })
      if (kind === 'follow_up' || open === undefined) continue
      await tx.run(addToTurn, { seq: open.seq, question: `${question}\n${open.question}`, dueAtMs: open.dueAtMs })
    }
  }
}

/** Takes the longer pause, the handoff that still needs a person, and the later dates of the two. */
function mergedState(kept: ConversationRow, other: ConversationRow, nowMs: number): MergedState {
  const pause = stricterPause(kept, other, nowMs)
  const handedOver = kept.handoffAtMs === null || (other.waiting === 1 && kept.waiting === 0) ? other : kept
  const { handoffReason, handoffDetail, handoffAtMs } = handedOver
  const placed = kept.stageId === null ? other : kept
  const answered = (kept.lastAnswerAtMs ?? 0) >= (other.lastAnswerAtMs ?? 0) ? kept : other
  return {
    ...{ paused: pause.paused, pausedUntilMs: pause.pausedUntilMs, pauseReason: pause.pauseReason },
    metaAgentAtMs: pause.metaAgentAtMs,
    ...{ handoffReason, handoffDetail, handoffAtMs, waiting: kept.waiting === 1 ? 1 : other.waiting },
    ...{ agentId: placed.agentId, stageId: placed.stageId, summary: kept.summary ?? other.summary },
    ...{ answeredBy: answered.answeredBy, lastAnswerAtMs: answered.lastAnswerAtMs },
    lastInboundAtMs: latest(kept.lastInboundAtMs, other.lastInboundAtMs),
    nextTurn: kept.nextTurn + other.nextTurn,
    followUps: Math.max(kept.followUps, other.followUps),
    followUpAtMs: isPaused(pause, nowMs) ? null : kept.followUpAtMs,
    changedAtMs: nowMs,
  }
}

function stricterPause(one: ConversationRow, other: ConversationRow, nowMs: number): ConversationRow {
  if (!isPaused(other, nowMs)) return one
  if (!isPaused(one, nowMs)) return other
  return (one.pausedUntilMs ?? Infinity) >= (other.pausedUntilMs ?? Infinity) ? one : other
}

const latest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)
