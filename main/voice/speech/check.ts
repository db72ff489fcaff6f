import { ConnectFailure } from '../../outbound/connect-failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { RATE } from '../audio.ts'
import type { CheckResult, SpeechServices } from '../protocol.ts'
import { createHttpSpeech } from './http.ts'
import { AGENT_VOICE, SpeechFailure, type Tts } from './speech.ts'

const SENTENCE = 'This is a test of the voice.'
const LIMIT_MS = 15_000

/** Speaks a sentence and transcribes it, or connects to the realtime model, as a call would. */
export async function checkSpeech(
  speech: SpeechServices,
  builtIn: Tts,
  outbound: Pick<Outbound, 'open' | 'webSocket'>,
): Promise<CheckResult> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  try {
    if (speech.brain === 'realtime') return { ok: true, detail: await greet(speech, signal, outbound) }
    const services = speech.brain === 'pipeline' ? createHttpSpeech(speech, outbound) : null
    const voice = services === null ? AGENT_VOICE : (speech.ttsVoice ?? 'alloy')
    const spoken: number[] = []
    for await (const pcm of (services?.tts ?? builtIn).say(SENTENCE, voice, signal)) spoken.push(...pcm)
    if (spoken.length < RATE / 4) return { ok: false, error: 'the voice made no sound' }
    const transcript = await services?.stt.transcribe(Int16Array.from(spoken), signal)
    if (transcript === '') return { ok: false, error: 'the transcript of a spoken sentence was empty' }
    return { ok: true, detail: services === null ? 'a sentence was spoken' : 'a sentence was spoken and transcribed' }
  } catch (error) {
    return { ok: false, error: signal.aborted ? 'it did not answer' : reasonOf(error) }
  }
}

/** The caller may not be allowed to read a server's answer, so only our own texts are passed on. */
const reasonOf = (error: unknown): string =>
  error instanceof SpeechFailure || error instanceof ConnectFailure ? error.message : 'the connection failed'

function greet(
  { realtimeUrl, apiKey }: SpeechServices,
  signal: AbortSignal,
  outbound: Pick<Outbound, 'webSocket'>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
    const socket = outbound.webSocket(realtimeUrl ?? '', { headers, connectTimeoutMs: LIMIT_MS })
    // The first event decides.
    const stop = (act: () => void) => {
      act()
      socket.terminate()
    }
    signal.addEventListener('abort', () => stop(() => reject(new SpeechFailure('it did not answer'))), { once: true })
    socket.on('message', () => stop(() => resolve('the model greeted us')))
    socket.on('error', (error) => stop(() => reject(error)))
    socket.on('unexpected-response', (_, { statusCode = 0 }) =>
      stop(() => reject(new SpeechFailure(`The model answered ${statusCode}.`))),
    )
    socket.on('close', () => reject(new SpeechFailure('it closed the connection')))
  })
}
