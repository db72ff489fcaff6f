import type { Outbound } from '../../outbound/outbound.ts'
import { createHttpSpeech } from '../speech/http.ts'
import { createVoiceActivity } from '../vad.ts'
import { speak, type BrainDeps, type VoiceBrain } from './brain.ts'

const VOICE = 'alloy'
/** A service that fails once may work the next time, so single failures are ignored. */
const FAILURES_AT_MOST = 3

/**
 * Uses a speech-to-text service, the agent, and a text-to-speech service. A person who starts to speak interrupts the
 * agent.
 */
export function createPipelineBrain(deps: BrainDeps, outbound: Pick<Outbound, 'open'>): VoiceBrain {
  const { mouth, agent, speech } = deps
  const { tts, stt } = createHttpSpeech(speech, outbound)
  const voice = speech.ttsVoice ?? VOICE
  const activity = createVoiceActivity()
  let turn = new AbortController()
  let failures = 0

  function failed(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    if (++failures >= FAILURES_AT_MOST) deps.onFailed(error)
  }

  /** Sentence by sentence, so that the first is played while the next is generated. */
  async function say(text: string, signal: AbortSignal): Promise<void> {
    for (const sentence of sentencesOf(text)) {
      if (signal.aborted) return
      await speak(deps, tts, sentence, voice, signal)
    }
  }

  async function answer(pcm: Int16Array, startMs: number, endMs: number, signal: AbortSignal): Promise<void> {
    const text = await stt.transcribe(pcm, signal)
    if (signal.aborted || text === '') return
    deps.onPersonLine({ speaker: 'person', start_ms: startMs, end_ms: endMs, text })
    const reply = await deps.answer(text)
    // Spoken only if the person has not interrupted meanwhile.
    if (reply.text !== null) await say(reply.text, signal)
    failures = 0
    if (reply.hangUp) deps.hangUpWhenQuiet()
  }

  function begin(act: (signal: AbortSignal) => Promise<void>): void {
    turn.abort()
    turn = new AbortController()
    const { signal } = turn
    act(signal).catch((error: unknown) => failed(error, signal))
  }

  return {
    start() {
      const { announcement } = deps
      begin(async (signal) => {
        if (announcement !== null) await say(announcement, signal)
        await say(agent.greeting, signal)
      })
    },
    hear(frame, atMs) {
      const heard = activity.hear(frame, atMs)
      if (heard === null) return
      if (heard === 'began') {
        turn.abort()
        return mouth.interrupt(atMs)
      }
      begin((signal) => answer(heard.pcm, heard.startMs, heard.endMs, signal))
    },
    caption() {},
    isBusy: () => false,
    stop: () => turn.abort(),
  }
}

/** Splits a text into sentences that are long enough for a request. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  for (const part of text.split(/(?<=[.!?…])\s+/)) {
    const last = sentences.at(-1)
    if (last !== undefined && last.length < SHORTEST) sentences[sentences.length - 1] = `${last} ${part}`
    else if (part.trim() !== '') sentences.push(part)
  }
  return sentences
}

const SHORTEST = 25
