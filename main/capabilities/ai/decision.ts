import type { AnswerSource, HandoffReason, ToolCall } from '../../contract/ai-conversation.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Agent } from './agent-store.ts'
import type { MediaRow } from './media-store.ts'
import type { Stage } from './stage-store.ts'

/** Something that was said in the chat. */
export interface Utterance {
  readonly from: 'person' | 'agent'
  readonly text: string
}

/**
 * Schedules a call to the person of the chat.
 * @param localTime of the business, without a zone; empty: as soon as possible. @returns what became of it, for the model.
 */
export type ScheduleCall = (localTime: string) => Promise<string>

/** What an agent is asked. It does not know to whom its answer goes, and cannot choose. */
export interface BrainTurn {
  readonly instanceId: string
  readonly accountId: AccountId
  readonly agent: Agent
  readonly stages: readonly Stage[]
  readonly stageId: string | null
  /** Oldest first. The last ones are of the person, unless this is a follow-up. */
  readonly history: readonly Utterance[]
  /** What the person wants to know now; empty for a follow-up. */
  readonly question: string
  readonly kind: 'reply' | 'follow_up'
  readonly nowMs: number
  readonly timezone: string
  /** null: the agent may not, or the instance cannot. Only answers to a chat can. */
  readonly scheduleCall: ScheduleCall | null
}

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** null: the price is not known. */
  readonly costMicros: number | null
  readonly durationMs: number
}

export interface Handover {
  readonly reason: HandoffReason
  readonly detail: string | null
}

export interface Decision {
  readonly reply: string | null
  readonly media: readonly MediaRow[]
  readonly stageId: string | null
  readonly handoff: Handover | null
  readonly summary: string | null
  readonly source: 'model' | 'faq' | 'none'
  readonly sources: readonly AnswerSource[]
  readonly toolCalls: readonly ToolCall[]
  readonly usage: Usage
}

/** Answers a turn, and sends nothing. */
export interface Brain {
  /** @throws ProviderFailure; ApiError provider_key_missing, sealed */
  reply(turn: BrainTurn, signal: AbortSignal): Promise<Decision>
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, costMicros: 0, durationMs: 0 }
