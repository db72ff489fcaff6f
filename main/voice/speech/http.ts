import { createResampler, RATE } from '../audio.ts'
import type { SpeechServices } from '../protocol.ts'
import type { Stt, Tts } from './speech.ts'
import { toWav } from './wav.ts'

export type Fetch = typeof globalThis.fetch

type Services = Pick<SpeechServices, 'sttUrl' | 'sttModel' | 'ttsUrl' | 'ttsModel' | 'apiKey'>

/** What these services send as `pcm`. */
const SPOKEN_RATE = 24_000
const TIMEOUT_MS = 20_000

/** Speech to text and text to speech over HTTP, in the shape of OpenAI's API, which many servers share. */
export function createHttpSpeech(services: Services, fetch: Fetch): { readonly tts: Tts; readonly stt: Stt } {
  const { sttUrl, sttModel, ttsUrl, ttsModel, apiKey } = services
  const authorization: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }

  async function ask(base: string | null, path: string, body: BodyInit, headers: object, signal: AbortSignal) {
    if (base === null) throw new Error('The speech service is not set.')
    const response = await fetch(`${base.replace(/\/$/, '')}${path}`, {
      ...{ method: 'POST', body, redirect: 'error' },
      headers: { ...authorization, ...headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    if (response.ok && response.body !== null) return { response, body: response.body }
    await response.body?.cancel()
    throw new Error(`The speech service answered ${response.status}.`)
  }

  return {
    tts: {
      async *say(text, voice, signal) {
        const wish = JSON.stringify({ model: ttsModel ?? 'tts-1', voice, input: text, response_format: 'pcm' })
        const { body } = await ask(ttsUrl, '/audio/speech', wish, { 'content-type': 'application/json' }, signal)
        const resample = createResampler(SPOKEN_RATE, RATE)
        let odd: Buffer = Buffer.alloc(0)
        for await (const chunk of body) {
          const bytes = Buffer.concat([odd, chunk])
          // A sample may be split between two chunks.
          const whole = bytes.length - (bytes.length % 2)
          odd = bytes.subarray(whole)
          yield resample(new Int16Array(new Uint8Array(bytes.subarray(0, whole)).buffer))
        }
      },
    },
    stt: {
      async transcribe(pcm, signal) {
        const form = new FormData()
        form.set('file', new Blob([new Uint8Array(toWav(pcm))], { type: 'audio/wav' }), 'speech.wav')
        form.set('model', sttModel ?? 'whisper-1')
        form.set('response_format', 'json')
        const { response } = await ask(sttUrl, '/audio/transcriptions', form, {}, signal)
        const answer = (await response.json()) as { text?: unknown }
        return typeof answer.text === 'string' ? answer.text.trim() : ''
      },
    },
  }
}
