import { WebSocket } from 'ws'
import { RATE } from '../audio.ts'
import type { CheckResult, SpeechServices } from '../protocol.ts'
import { createHttpSpeech, type Fetch } from './http.ts'
import { AGENT_VOICE, type Tts } from './speech.ts'

const SENTENCE = 'This is a test of the voice.'
const LIMIT_MS = 15_000

/** Speaks a sentence and understands it, or connects to the realtime model, as a call would. */
export async function checkSpeech(speech: SpeechServices, builtIn: Tts, fetch: Fetch): Promise<CheckResult> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS)
    if (speech.brain === 'realtime') return { ok: true, detail: await greet(speech, signal) }
    const services = speech.brain === 'pipeline' ? createHttpSpeech(speech, fetch) : null
    const voice = services === null ? AGENT_VOICE : (speech.ttsVoice ?? 'alloy')
    const spoken: number[] = []
    for await (const pcm of (services?.tts ?? builtIn).say(SENTENCE, voice, signal)) spoken.push(...pcm)
    if (spoken.length < RATE / 4) return { ok: false, error: 'the voice made no sound' }
    const understood = await services?.stt.transcribe(Int16Array.from(spoken), signal)
    return { ok: true, detail: understood === undefined ? 'a sentence was spoken' : `it understood “${understood}”` }
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) }
  }
}

function greet({ realtimeUrl, apiKey }: SpeechServices, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
    const socket = new WebSocket(realtimeUrl ?? '', { headers, followRedirects: false })
    const stop = (act: () => void) => {
      socket.removeAllListeners('close')
      socket.terminate()
      act()
    }
    signal.addEventListener('abort', () => stop(() => reject(new Error('it did not answer'))), { once: true })
    socket.on('message', () => stop(() => resolve('the model greeted us')))
    socket.on('error', (error) => stop(() => reject(error)))
    socket.on('close', () => reject(new Error('it closed the connection')))
  })
}
