import type { AnswerSource, HandoffReason, ToolCall } from '../../contract/ai-conversation.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Agent } from './agent-store.ts'
import type { MediaRow } from './media-store.ts'
import type { Stage } from './stage-store.ts'

/** A message in the chat. */
export interface Utterance {
  readonly from: 'person' | 'agent'
  readonly text: string
}

/**
 * Schedules a call to the person of the chat.
 * @param localTime of the business, without a zone; empty: as soon as possible. @returns the outcome as a text for
 * the model.
 */
export type ScheduleCall = (localTime: string) => Promise<string>

/** Input of an agent. It contains no recipient, so the agent cannot choose one. */
export interface BrainTurn {
  readonly instanceId: string
  readonly accountId: AccountId
  readonly agent: Agent
  readonly stages: readonly Stage[]
  readonly stageId: string | null
  /** Oldest first. The last ones are from the person, unless this is a follow-up. */
  readonly history: readonly Utterance[]
  /** The question to answer; empty for a follow-up. */
  readonly question: string
  readonly kind: 'reply' | 'follow_up'
  readonly nowMs: number
  readonly timezone: string
  /** null if the agent is not allowed to, or the instance cannot. Available only for answers in a chat. */
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

/** Decides on the answer of a turn without sending it. */
export interface Brain {
  /** @throws ProviderFailure; ApiError provider_key_missing, sealed */
  reply(turn: BrainTurn, signal: AbortSignal): Promise<Decision>
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, costMicros: 0, durationMs: 0 }
