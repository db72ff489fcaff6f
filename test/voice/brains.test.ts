import { afterEach, describe, expect, test } from 'vitest'
import { sentencesOf } from '../../main/voice/brains/pipeline.ts'
import { createResampler, RATE } from '../../main/voice/audio.ts'
import { createHttpSpeech } from '../../main/voice/speech/http.ts'
import { createVoiceNetwork } from '../../main/voice/network.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { systemResolve } from '../../main/outbound/outbound.ts'
import { realtimeServer, speechServer, tone24k } from './speech-servers.ts'
import { talkingTo } from './talking.ts'

const ended: (() => void)[] = []
afterEach(() => ended.splice(0).forEach((end) => end()))
const talk = (...args: Parameters<typeof talkingTo>) => {
  const call = talkingTo(...args)
  ended.push(call.brain.stop)
  call.brain.start()
  return call
}

describe('the pipeline', () => {
  const pipeline = (url: string) => ({ brain: 'pipeline', sttUrl: url, ttsUrl: url, apiKey: 'sk-test' }) as const

  test('greets, transcribes what is said, and answers', async () => {
    const { url, asked } = await speechServer(() => 'When are you open?')
    const call = talk(pipeline(url))
    await call.heard()
    expect(call.silence(700)).toBeGreaterThan(450)
    call.person(600)
    call.silence(400)
    await call.heard()
    expect(call.silence(700)).toBeGreaterThan(450)
    expect(call.lines.map(({ speaker, text }) => `${speaker}: ${text}`)).toEqual([
      'agent: Hello, this is Ana of the flower shop.',
      'person: When are you open?',
      'agent: You said When are you open?',
    ])
    const [, person] = call.lines
    expect((person?.end_ms ?? 0) - (person?.start_ms ?? 0)).toBe(600)
    expect(asked.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/v1/audio/speech', 'Bearer sk-test'],
      ['/v1/audio/transcriptions', 'Bearer sk-test'],
      ['/v1/audio/speech', 'Bearer sk-test'],
    ])
    expect(asked[1]?.body.includes('RIFF')).toBe(true)
    expect(call.failures).toEqual([])
  })

  test('stops speaking when the person starts', async () => {
    const { url } = await speechServer(() => 'Stop')
    const call = talk(pipeline(url))
    await call.heard()
    call.silence(200)
    call.person(100)
    expect(call.mouth.isQuiet()).toBe(true)
    expect(call.lines).toMatchObject([{ speaker: 'agent', text: 'Hello, this is Ana of the flower shop. …' }])
  })

  test('gives up after three failures of the service, without repeating its error to the caller', async () => {
    const { url, asked } = await speechServer(
      () => 'x',
      () => 500,
    )
    const call = talk(pipeline(url))
    for (let i = 0; i < 3 && call.failures.length === 0; i++) {
      const before = asked.length
      call.person(300)
      call.silence(400)
      await call.until(() => asked.length > before)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await call.until(() => call.failures.length === 1)
    expect(String(call.failures[0])).toBe('SpeechFailure: The speech service answered 500.')
  })

  test('accepts at most two minutes of sound and a short transcript from a service', async () => {
    const megabytes = 2 ** 20
    const { url } = await speechServer(
      () => 'x'.repeat(megabytes),
      () => 200,
      Buffer.alloc(64 * megabytes),
    )
    const services = {
      sttUrl: url,
      sttModel: null,
      ttsUrl: url,
      ttsModel: null,
      apiKey: null,
      accountId: 'a' as AccountId,
    }
    const network = createVoiceNetwork({ clock: systemClock, resolve: systemResolve })
    ended.push(() => void network.close())
    const { tts, stt } = createHttpSpeech(services, network.within({ trustedRanges: ['127.0.0.1/32'] }))
    const { signal } = new AbortController()

    let samples = 0
    const saying = (async () => {
      for await (const sound of tts.say('Hello', 'alloy', signal)) samples += sound.length
    })()
    await expect(saying).rejects.toThrow()
    expect(samples).toBeLessThanOrEqual(120 * RATE + RATE)
    await expect(stt.transcribe(new Int16Array(1_600), signal)).rejects.toThrow()
  })

  test('does not transcribe noise', async () => {
    const { url, asked } = await speechServer(() => 'x')
    const call = talk(pipeline(url))
    await call.until(() => !call.mouth.isQuiet())
    for (let i = 0; i < 40; i++) call.step(i % 2 === 0)
    call.silence(500)
    expect(asked.filter(({ path }) => path.endsWith('transcriptions'))).toEqual([])
  })

  test('speaks short sentences together', () => {
    expect(sentencesOf('Yes. We are open until six in the evening. Anything else?')).toEqual([
      'Yes. We are open until six in the evening.',
      'Anything else?',
    ])
  })
})

describe('a realtime model', () => {
  test('receives the person’s sound, is played, and can be interrupted', async () => {
    const server = await realtimeServer()
    const call = talk({ brain: 'realtime', realtimeUrl: server.url, apiKey: 'sk-test', realtimeVoice: 'cedar' })
    const { socket, authorization } = await server.connected
    const say = (event: object) => socket.send(JSON.stringify(event))
    expect(authorization).toBe('Bearer sk-test')
    await call.until(() => server.events.length >= 2)
    expect(server.events[0]).toMatchObject({
      type: 'session.update',
      session: { type: 'realtime', instructions: 'Sell flowers.', audio: { output: { voice: 'cedar' } } },
    })
    expect(server.events[1].response.instructions).toContain('Hello, this is Ana of the flower shop.')

    say({ type: 'response.output_audio_transcript.delta', delta: 'Hello, this is Ana.' })
    for (let i = 0; i < 4; i++) say({ type: 'response.output_audio.delta', delta: tone24k(500).toString('base64') })
    await call.until(() => !call.mouth.isQuiet())
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(call.silence(1_000)).toBeGreaterThan(900)
    call.person(100)
    await call.until(() => server.events.some(({ type }) => type === 'input_audio_buffer.append'))
    say({ type: 'input_audio_buffer.speech_started' })
    await call.until(() => call.mouth.isQuiet())
    await call.until(() => server.events.some(({ type }) => type === 'response.cancel'))
    say({ type: 'error', error: { code: 'response_cancel_not_active', message: 'nothing to cancel' } })
    say({ type: 'conversation.item.input_audio_transcription.completed', transcript: ' Two roses, please. ' })
    await call.until(() => call.lines.length === 2)
    expect(call.lines.map(({ speaker, text }) => `${speaker}: ${text}`)).toEqual([
      'agent: Hello, this is Ana. …',
      'person: Two roses, please.',
    ])
    const appended = server.events.filter(({ type }) => type === 'input_audio_buffer.append')
    const bytes = appended.reduce<number>((sum, { audio }) => sum + Buffer.from(audio, 'base64').length, 0)
    // 24 kHz in 16 bits is 48 bytes for each millisecond.
    expect(bytes / 48).toBeGreaterThan(1_000)
    expect(call.failures).toEqual([])
  })

  test('fails the call when it closes the connection', async () => {
    const server = await realtimeServer()
    const call = talk({ brain: 'realtime', realtimeUrl: server.url })
    const { socket } = await server.connected
    socket.close()
    await call.until(() => call.failures.length === 1)
    expect(String(call.failures[0])).toContain('closed the connection')
  })
})

test('resampling keeps length and pitch', () => {
  const tone = (rate: number) =>
    Int16Array.from({ length: rate }, (_, i) => 9_000 * Math.sin((2 * Math.PI * 300 * i) / rate))
  const resample = createResampler(24_000, 16_000)
  const source = tone(24_000)
  const made: number[] = []
  for (let at = 0; at < source.length; at += 480) made.push(...resample(source.subarray(at, at + 480)))
  expect(Math.abs(made.length - 16_000)).toBeLessThan(3)
  const crossings = made.filter((sample, i) => i > 0 && (made[i - 1] ?? 0) < 0 && sample >= 0).length
  expect(Math.abs(crossings - 300)).toBeLessThan(3)
})
