import type { TranscriptLine } from '../../contract/voice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Mouth } from '../mouth.ts'
import type { AgentPlan, SpeechServices } from '../protocol.ts'
import type { Tts } from '../speech/speech.ts'

/** The agent in a call: it listens, answers, and speaks through the mouth. */
export interface VoiceBrain {
  /** Somebody answered. */
  start(): void
  /** 20 ms of audio from the person. */
  hear(frame: Int16Array, atMs: number): void
  /** What the person said, as text, if a simulation provides it. */
  caption(text: string): void
  /** Whether it is preparing an answer. A sandbox call that runs faster than real time waits for it. */
  isBusy(): boolean
  stop(): void
}

export interface BrainDeps {
  readonly clock: Clock
  readonly agent: AgentPlan
  readonly speech: SpeechServices
  /** Played first. */
  readonly announcement: string | null
  readonly mouth: Mouth
  /** The voice included in Switchboard. */
  readonly builtIn: Tts
  /** Whether captions are provided, as in the sandbox. */
  readonly hasCaptions: boolean
  /** The agent's answer. Never rejects. */
  readonly answer: (text: string) => Promise<{ readonly text: string | null; readonly hangUp: boolean }>
  readonly onPersonLine: (line: TranscriptLine) => void
  /** Milliseconds since the answer of the call, as in the recording. */
  readonly nowMs: () => number
  /** Ends the call once the agent has finished speaking. */
  readonly hangUpWhenQuiet: () => void
  /** Speech or model failed permanently. */
  readonly onFailed: (error: unknown) => void
}

/** Speaks a text, chunk by chunk as the audio is generated. */
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
