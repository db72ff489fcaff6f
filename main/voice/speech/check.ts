import type { CheckResult, SpeechServices } from '../protocol.ts'
import { AGENT_VOICE, type Tts } from './speech.ts'

const SENTENCE = 'This is a test.'

/** Speaks a sentence, and understands it if there is a service for that. */
export async function checkSpeech(_speech: SpeechServices, builtIn: Tts): Promise<CheckResult> {
  try {
    const { signal } = new AbortController()
    let samples = 0
    for await (const pcm of builtIn.say(SENTENCE, AGENT_VOICE, signal)) samples += pcm.length
    return { ok: true, detail: `${samples} samples` }
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) }
  }
}
