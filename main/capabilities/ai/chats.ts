import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import {
  closeTurnOf,
  conversationOf,
  insertConversation,
  setHandoff,
  setPause,
  type ConversationRow,
} from './conversation-store.ts'
import { countDaily } from './daily.ts'
import type { Handover } from './decision.ts'
import type { AiDeps } from './deps.ts'
import type { Settings } from './settings.ts'
import { endTurn, setDecision, unendedOf, type Part, type TurnRow } from './turn-store.ts'

type ChatsDeps = Pick<AiDeps, 'clock' | 'ids' | 'live' | 'knowledge'>

interface Place {
  readonly instanceId: string
  readonly accountId: AccountId
  readonly chat: string
}

export type Chats = ReturnType<typeof createChats>

const MINUTE_MS = 60_000

/** Changes to a conversation, made in the caller's commit. */
export function createChats({ clock, ids, live, knowledge }: ChatsDeps) {
  const notify = (tx: Tx, { accountId, instanceId }: Pick<Place, 'accountId' | 'instanceId'>) =>
    tx.afterCommit(() => live.publish(accountId, { topic: 'ai', instance_id: instanceId }))

  return {
    notify,

    async ensure(tx: Tx, { instanceId, accountId, chat }: Place): Promise<ConversationRow> {
      const known = await tx.one(conversationOf, { instanceId, chat })
      if (known !== undefined) return known
      const row = { seq: await tx.next('ai_conversations'), id: ids.tagged('cnv'), instanceId, chat, accountId }
      await tx.run(insertConversation, { ...row, now: clock.now() })
      const made = await tx.one(conversationOf, { instanceId, chat })
      if (made === undefined) throw new Error('A row that was just written is not there.')
      return made
    },

    /** Ends turns that have not sent anything yet. */
    async dropUnsent(
      tx: Tx,
      { seq }: Pick<ConversationRow, 'seq'>,
      reason: string,
      kinds: readonly TurnRow['kind'][] = ['reply', 'follow_up'],
    ): Promise<void> {
      for (const turn of await tx.all(unendedOf, { conversationSeq: seq })) {
        if (turn.state === 'sending' || !kinds.includes(turn.kind)) continue
        await tx.run(endTurn, { seq: turn.seq, state: 'skipped', reason, detail: null, now: clock.now() })
        await tx.run(closeTurnOf, { seq, turn: turn.turn })
      }
    },

    /**
     * Hands the chat over to a person: pauses the agent and records the reason.
     * @param text message for the person in the chat; null: none. Sent as `parts` if these are given.
     * @returns whether the turn has something to send.
     */
    async handOver(
      tx: Tx,
      { turn, conversation, settings }: { turn: TurnRow; conversation: ConversationRow; settings: Settings },
      { reason, detail }: Handover,
      {
        text,
        ...decided
      }: Partial<Pick<TurnRow, 'source' | 'stageId' | 'durationMs' | 'agentId'>> & {
        readonly text: string | null
        readonly summary?: string | null
        readonly parts?: readonly Part[]
        readonly sources?: readonly object[]
        readonly toolCalls?: readonly object[]
      },
    ): Promise<boolean> {
      const now = clock.now()
      const { seq } = conversation
      const summary = decided.summary ?? turn.question
      await tx.run(setHandoff, { seq, reason, detail, summary: summary === '' ? null : summary.slice(0, 1_000), now })
      await tx.run(setPause, {
        seq,
        untilMs: now + settings.pause_on_human_minutes * MINUTE_MS,
        reason: 'handoff',
        now,
      })
      await tx.run(closeTurnOf, { seq, turn: turn.turn })
      const agentId = decided.agentId ?? turn.agentId
      await countDaily(tx, { ...turn, agentId, timezone: settings.timezone, nowMs: now }, { handedOver: 1 })
      if (reason === 'no_answer' || reason === 'low_confidence')
        await knowledge.noteUnanswered(tx, turn, { chat: turn.chat, question: turn.question })
      notify(tx, turn)
      const parts = decided.parts ?? (text === null ? [] : [{ kind: 'text', text } as const])
      if (parts.length === 0) {
        await tx.run(endTurn, { seq: turn.seq, state: 'handed_over', reason, detail, now })
        return false
      }
      const { sources = [], toolCalls = [] } = decided
      await tx.run(setDecision, {
        ...{ seq: turn.seq, reason, detail, source: decided.source ?? 'none', agentId },
        ...{ stageId: decided.stageId ?? turn.stageId, durationMs: decided.durationMs ?? turn.durationMs },
        decision: JSON.stringify({ parts, becomes: 'handed_over', reply: text, sources, toolCalls }),
      })
      return true
    },
  }
}
