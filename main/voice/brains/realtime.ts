import { parseForeignJson } from '../../kernel/foreign-json.ts'
import { createPace } from '../../kernel/paced-reading.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { Timer } from '../../kernel/clock.ts'
import type { Outbound, WebSocket } from '../../outbound/outbound.ts'
import { createResampler, RATE } from '../audio.ts'
import type { Speaking } from '../mouth.ts'
import type { BrainDeps, VoiceBrain } from './brain.ts'

/** The parts of server events that are used. */
interface ServerEvent {
  readonly type: string
  readonly delta?: string
  readonly transcript?: string
  readonly error?: { readonly message?: string; readonly code?: string }
}

const MODEL_RATE = 24_000
const VOICE = 'marin'
const OPEN_MS = 10_000
/** Time limit for starting the session, including the connection. */
const BEGIN_MS = 15_000
/** Sixteen times the playback rate, because all calls share one process. */
const BYTES_PER_SECOND = 1024 * 1024
/** Cost of a message in addition to its length. */
const MESSAGE_COSTS = 1024
/** Two seconds of audio: later audio is useless. */
const BUFFERED_AT_MOST = MODEL_RATE * 2 * 2

/** Models generate faster than audio is played, one answer at a time. Audio further ahead would never be heard. */
const AHEAD_AT_MOST_MS = 180_000
/** Limit for the text of one answer or one utterance. */
const TEXT_AT_MOST = 20_000

/** Connects a speech-to-speech model over a WebSocket, in the format of OpenAI's Realtime API. */
export function createRealtimeBrain(deps: BrainDeps, outbound: Pick<Outbound, 'webSocket'>): VoiceBrain {
  const { clock, mouth, agent, speech, announcement, nowMs } = deps
  const toModel = createResampler(RATE, MODEL_RATE)
  let fromModel = createResampler(MODEL_RATE, RATE)
  let socket: WebSocket | undefined
  let speaking: Speaking | undefined
  let said = ''
  let personStartMs = 0
  /** Audio received since the agent was last silent. */
  let sound = { sinceMs: 0, ms: 0 }
  let isStopped = false
  let isReady = false
  let limit: Timer | undefined

  const send = (event: object) => {
    if (socket !== undefined && socket.readyState === socket.OPEN) socket.send(JSON.stringify(event))
  }

  function fail(error: unknown): void {
    if (isStopped) return
    isStopped = true
    limit?.cancel()
    socket?.terminate()
    deps.onFailed(error)
  }

  function begin(): void {
    if (isReady) return
    isReady = true
    limit?.cancel()
    const format = { type: 'audio/pcm', rate: MODEL_RATE }
    send({
      type: 'session.update',
      session: {
        type: 'realtime',
        instructions: agent.instructions,
        audio: {
          input: {
            format,
            turn_detection: { type: 'server_vad' },
            transcription: { model: speech.sttModel ?? 'whisper-1' },
          },
          output: { format, voice: speech.realtimeVoice ?? VOICE },
        },
      },
    })
    const first = [announcement, agent.greeting].filter((text) => text !== null).join(' ')
    send({ type: 'response.create', response: { instructions: `Say exactly this and nothing else: ${first}` } })
  }

  function endSpeaking(): void {
    speaking?.setText(said)
    speaking?.end()
    speaking = undefined
    said = ''
  }

  function take({ type, delta = '', transcript = '', error }: ServerEvent): void {
    switch (type) {
      case 'session.created':
        return begin()
      case 'response.output_audio.delta': {
        const bytes = Buffer.from(delta, 'base64')
        const samples = new Int16Array(new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % 2))).buffer)
        if (mouth.isQuiet()) sound = { sinceMs: nowMs(), ms: 0 }
        sound.ms += (samples.length / MODEL_RATE) * 1_000
        if (sound.ms - (nowMs() - sound.sinceMs) > AHEAD_AT_MOST_MS)
          return fail(new Error('The realtime model sent more sound than can be played. Choose another model.'))
        speaking ??= mouth.begin('')
        return speaking.add(fromModel(samples))
      }
      case 'response.output_audio_transcript.delta':
        said = (said + delta).slice(0, TEXT_AT_MOST)
        return speaking?.setText(said)
      case 'response.done':
        return endSpeaking()
      case 'input_audio_buffer.speech_started':
        personStartMs = nowMs()
        if (mouth.isQuiet()) return
        // The person interrupts, so the rest of the model's answer is dropped.
        speaking?.setText(said)
        mouth.interrupt(nowMs())
        speaking = undefined
        said = ''
        fromModel = createResampler(MODEL_RATE, RATE)
        return send({ type: 'response.cancel' })
      case 'conversation.item.input_audio_transcription.completed':
        if (transcript.trim() === '') return
        return deps.onPersonLine({
          ...{
            speaker: 'person',
            start_ms: personStartMs,
            end_ms: nowMs(),
            text: transcript.trim().slice(0, TEXT_AT_MOST),
          },
        })
      case 'error':
        // There was nothing to cancel, because the answer had just ended.
        if (error?.code === 'response_cancel_not_active') return
        return fail(new Error(error?.message?.slice(0, 500) ?? 'The realtime model reported an error.'))
    }
  }

  return {
    start() {
      if (speech.realtimeUrl === null) return fail(new Error('The realtime model is not set.'))
      const headers = speech.apiKey === null ? {} : { authorization: `Bearer ${speech.apiKey}` }
      socket = outbound.webSocket(speech.realtimeUrl, { headers, connectTimeoutMs: OPEN_MS })
      limit = startTimeout(clock, BEGIN_MS, () => fail(new Error('The realtime model did not begin the session.')))
      const pace = createPace(socket, { clock, bytesPerSecond: BYTES_PER_SECOND })
      socket.on('message', (data) => {
        const message = data as Buffer
        pace(message.length + MESSAGE_COSTS)
        if (isStopped) return
        try {
          take(parseForeignJson(message) as ServerEvent)
        } catch (error) {
          fail(error)
        }
      })
      socket.on('error', fail)
      socket.on('close', () => fail(new Error('The realtime model closed the connection.')))
    },
    hear(frame) {
      if (!isReady || (socket?.bufferedAmount ?? 0) > BUFFERED_AT_MOST) return
      const pcm = toModel(frame)
      const audio = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64')
      send({ type: 'input_audio_buffer.append', audio })
    },
    caption() {},
    isBusy: () => false,
    stop() {
      isStopped = true
      limit?.cancel()
      socket?.close()
    },
  }
}
