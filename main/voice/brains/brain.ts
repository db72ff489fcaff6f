import type { TranscriptLine } from '../../contract/voice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Mouth } from '../mouth.ts'
import type { AgentPlan, SpeechServices } from '../protocol.ts'
import type { Tts } from '../speech/speech.ts'

/** What the agent does in a call: hears, thinks, and speaks through the mouth. */
export interface VoiceBrain {
  /** Somebody answered. */
  start(): void
  /** 20 ms of the person. */
  hear(frame: Int16Array, atMs: number): void
  /** What the person said, where a simulation knows it. */
  caption(text: string): void
  /** It computes what it will say. A call of the sandbox that runs faster than time waits for it. */
  isBusy(): boolean
  stop(): void
}

export interface BrainDeps {
  readonly clock: Clock
  readonly agent: AgentPlan
  readonly speech: SpeechServices
  /** Said first. */
  readonly announcement: string | null
  readonly mouth: Mouth
  /** The voice that comes with Switchboard. */
  readonly builtIn: Tts
  /** Whether captions come, as from the sandbox. */
  readonly hasCaptions: boolean
  /** What the agent answers. Never rejects. */
  readonly answer: (text: string) => Promise<{ readonly text: string | null; readonly hangUp: boolean }>
  readonly onPersonLine: (line: TranscriptLine) => void
  /** Milliseconds since the answer, in the time of the recording. */
  readonly nowMs: () => number
  /** Ends the call once the agent has finished speaking. */
  readonly hangUpWhenQuiet: () => void
  /** Speech or model failed for good. */
  readonly onFailed: (error: unknown) => void
}

/** Speaks a text through the mouth, piece by piece as it is made. */
export async function speak(
  { mouth }: Pick<BrainDeps, 'mouth'>,
  tts: Tts,
  text: string,
  voice: string,
  signal: AbortSignal,
): Promise<void> {
  const speaking = mouth.begin(text)
  try {
    for await (const pcm of tts.say(text, voice, signal)) {
      if (signal.aborted) return
      speaking.add(pcm)
    }
  } finally {
    speaking.end()
  }
}
