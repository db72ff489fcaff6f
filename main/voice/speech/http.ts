import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Outbound } from '../../outbound/outbound.ts'
import { createResampler, RATE } from '../audio.ts'
import type { SpeechServices } from '../protocol.ts'
import { SpeechFailure, type Stt, type Tts } from './speech.ts'
import { toWav } from './wav.ts'

type Services = Pick<SpeechServices, 'sttUrl' | 'sttModel' | 'ttsUrl' | 'ttsModel' | 'apiKey' | 'accountId'>

/** Sample rate of `pcm` from these services. */
const SPOKEN_RATE = 24_000
const TIMEOUT_MS = 20_000
/** Two minutes of audio; agents speak sentence by sentence. */
const SPOKEN_BYTES = 120 * SPOKEN_RATE * 2
const TRANSCRIPT_BYTES = 256 * 1024

/** Speech to text and text to speech over HTTP, in the format of OpenAI's API, which many servers support. */
export function createHttpSpeech(
  services: Services,
  outbound: Pick<Outbound, 'open'>,
): { readonly tts: Tts; readonly stt: Stt } {
  const { sttUrl, sttModel, ttsUrl, ttsModel, apiKey, accountId } = services
  const authorization: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }

  /** @throws SpeechFailure */
  async function ask(
    base: string | null,
    path: string,
    form: Response,
    { signal, maxBodyBytes }: { readonly signal: AbortSignal; readonly maxBodyBytes: number },
  ): Promise<Readable> {
    if (base === null) throw new SpeechFailure('The speech service is not set.')
    const answer = await outbound.open({
      url: `${base.replace(/\/$/, '')}${path}`,
      method: 'POST',
      headers: { ...authorization, 'content-type': form.headers.get('content-type') ?? '' },
      body: Buffer.from(await form.arrayBuffer()),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headersTimeoutMs: TIMEOUT_MS,
      bodyTimeoutMs: TIMEOUT_MS,
      maxBodyBytes,
      from: { accountId },
    })
    if (answer.kind === 'failure') throw new SpeechFailure(answer.message)
    if (answer.status >= 200 && answer.status < 300) return answer.body
    answer.body.destroy()
    throw new SpeechFailure(`The speech service answered ${answer.status}.`)
  }

  return {
    tts: {
      async *say(text, voice, signal) {
        const wish = Response.json({ model: ttsModel ?? 'tts-1', voice, input: text, response_format: 'pcm' })
        const body = await ask(ttsUrl, '/audio/speech', wish, { signal, maxBodyBytes: SPOKEN_BYTES })
        const resample = createResampler(SPOKEN_RATE, RATE)
        let odd: Buffer = Buffer.alloc(0)
        for await (const chunk of body) {
          const bytes = Buffer.concat([odd, chunk as Buffer])
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
        const limits = { signal, maxBodyBytes: TRANSCRIPT_BYTES }
        const body = await ask(sttUrl, '/audio/transcriptions', new Response(form), limits)
        return transcriptIn(await text(body))
      },
    },
  }
}

function transcriptIn(json: string): string {
  try {
    const answer = JSON.parse(json) as { text?: unknown } | null
    return typeof answer?.text === 'string' ? answer.text.trim() : ''
  } catch {
    // The parser's error would quote the answer.
    throw new SpeechFailure('The speech service did not answer with JSON.')
  }
}
