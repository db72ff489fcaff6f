import type { TranscriptLine } from '../../contract/voice.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'

/** The data about an AI agent that calls need. */
export interface VoiceAgent {
  readonly id: string
  readonly name: string
  readonly provider: string
  /** Its first sentence; null: a greeting with its name. */
  readonly greeting: string | null
  readonly systemPrompt: string
  /** Questions that it can answer, asked by the simulated person. */
  readonly questions: readonly string[]
}

interface OfInstance {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
}

export interface VoiceTurn extends OfInstance {
  readonly agentId: string
  readonly callId: string
  /** The person's number; null for a visitor of a web page. */
  readonly number: string | null
  /** The conversation so far. */
  readonly history: readonly TranscriptLine[]
  /** What the person just said. */
  readonly text: string
}

/** The functions of the AI room that calls need. */
export interface VoiceAgents {
  find(accountId: AccountId, instanceId: InstanceId, agentId: string): Promise<VoiceAgent | undefined>
  /** undefined if the instance has none. */
  primary(accountId: AccountId, instanceId: InstanceId): Promise<VoiceAgent | undefined>
  /** `text` null: no answer. Rejects if the model fails. */
  answer(turn: VoiceTurn): Promise<{ readonly text: string | null; readonly hangUp: boolean }>
  /** A model's answer to a question about a transcript; undefined if the agent has no model. */
  complete(agent: OfInstance & { agentId: string }, instructions: string, text: string): Promise<string | undefined>
}
