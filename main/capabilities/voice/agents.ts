import type { TranscriptLine } from '../../contract/voice.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'

/** An AI agent, as far as calls know it. */
export interface VoiceAgent {
  readonly id: string
  readonly name: string
  readonly provider: string
  /** What it says first; null: a greeting with its name. */
  readonly greeting: string | null
  readonly systemPrompt: string
  /** Questions it can answer, for the simulated person. */
  readonly questions: readonly string[]
}

interface OfInstance {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
}

export interface VoiceTurn extends OfInstance {
  readonly agentId: string
  readonly callId: string
  /** The person's number; null for a visitor of a page. */
  readonly number: string | null
  /** What was said before. */
  readonly history: readonly TranscriptLine[]
  /** What the person just said. */
  readonly text: string
}

/** The agents that talk in calls. They are those of the AI room; this is all that calls need of it. */
export interface VoiceAgents {
  find(accountId: AccountId, instanceId: InstanceId, agentId: string): Promise<VoiceAgent | undefined>
  /** Undefined if the instance has none. */
  primary(accountId: AccountId, instanceId: InstanceId): Promise<VoiceAgent | undefined>
  /** `text` null: it has nothing to say. Rejects if its model fails. */
  answer(turn: VoiceTurn): Promise<{ readonly text: string | null; readonly hangUp: boolean }>
  /** A model's answer to a question about a transcript; undefined if the agent has no model. */
  complete(agent: OfInstance & { agentId: string }, instructions: string, text: string): Promise<string | undefined>
}
