import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from '../../main/outbound/outbound.ts'
import { createRealtimeBrain } from '../../main/voice/brains/realtime.ts'
import { createMouth } from '../../main/voice/mouth.ts'
import { fakeClock } from '../support/clock.ts'
import { longestStretch, shortestOf, slowness } from '../support/loop-stretch.ts'

/** A realtime model that sends whatever a test says. */
function call({ begins = true } = {}) {
  const clock = fakeClock()
  const sent: string[] = []
  const socket = Object.assign(new EventEmitter(), {
    ...{ OPEN: 1, readyState: 1, bufferedAmount: 0, isEnded: false, isPaused: false },
    send: (text: string) => sent.push((JSON.parse(text) as { type: string }).type),
    close: () => {},
    terminate: () => void (socket.isEnded = true),
    pause: () => void (socket.isPaused = true),
    resume: () => void (socket.isPaused = false),
  })
  const failures: Error[] = []
  const lines: string[] = []
  const brain = createRealtimeBrain(
    {
      clock,
      mouth: createMouth(({ text }) => lines.push(text)),
      agent: { instructions: 'Sell.', greeting: null },
      speech: { realtimeUrl: 'wss://model.example/v1', apiKey: null },
      ...{ announcement: null, nowMs: () => 0 },
      onFailed: (error: unknown) => failures.push(error as Error),
      onPersonLine: ({ text }: { text: string }) => lines.push(text),
    } as unknown as Parameters<typeof createRealtimeBrain>[0],
    { webSocket: () => socket as unknown as WebSocket },
  )
  brain.start()
  const say = (event: object | string) =>
    socket.emit('message', Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)))
  if (begins) say({ type: 'session.created' })
  return { say, socket, failures, lines, sent, clock }
}

const sound = (seconds: number) => Buffer.alloc(seconds * 24_000 * 2).toString('base64')

test('drops endless sound once it is too late to play', () => {
  const { say, socket, failures } = call()
  const delta = sound(20)
  for (let i = 0; i < 5; i++) {
    say({ type: 'response.output_audio.delta', delta })
    say({ type: 'response.done' })
  }
  expect(failures).toEqual([])
  for (let i = 0; i < 100; i++) say({ type: 'response.output_audio.delta', delta })
  expect(failures.map(({ message }) => message)).toEqual([expect.stringContaining('more sound than can be played')])
  expect(socket.isEnded).toBe(true)
})

test('cuts endless text', () => {
  const { say, lines, failures } = call()
  const transcript = 'x'.repeat(1_000_000)
  say({ type: 'conversation.item.input_audio_transcription.completed', transcript })
  expect(lines.map(({ length }) => length)).toEqual([20_000])
  say({ type: 'error', error: { message: transcript } })
  expect(failures.map(({ message }) => message.length)).toEqual([500])
})

test.each([
  ['no JSON', '{"type":'],
  ['deep JSON', '['.repeat(900_000) + ']'.repeat(900_000)],
  ['a million small objects', `[${'{},'.repeat(600_000)}{}]`],
  ['long sound', JSON.stringify({ type: 'response.output_audio.delta', delta: sound(30) })],
])('%s does not delay other calls', async (what, message) => {
  const { say, failures } = call()
  const first = await longestStretch(async () => void say(message))
  const again = async () => void call().say(message)
  expect(first < 50 ? first : (await shortestOf(3, again, 50)) / slowness()).toBeLessThan(50)
  expect(failures.length).toBe(what === 'long sound' ? 0 : 1)
})

test('starts a session once, even if the model announces it several times', () => {
  const { say, sent } = call()
  for (let i = 0; i < 1_000; i++) say({ type: 'session.created' })
  expect(sent).toEqual(['session.update', 'response.create'])
})

test('gives up on a model that never starts the session', async () => {
  const { failures, socket, clock } = call({ begins: false })
  await clock.advance(14_000)
  expect(failures).toEqual([])
  await clock.advance(2_000)
  expect(failures.map(({ message }) => message)).toEqual(['The realtime model did not begin the session.'])
  expect(socket.isEnded).toBe(true)
  expect(clock.waiting()).toBe(0)
})

test('throttles a model that sends without end, but not one that speaks', async () => {
  const { say, socket, clock } = call()
  await clock.advance(100)
  expect(socket.isPaused).toBe(false)
  // Half a second of sound, as models send it.
  say({ type: 'response.output_audio.delta', delta: sound(0.5) })
  await clock.advance(50)
  expect(socket.isPaused).toBe(false)
  for (let i = 0; i < 5_000; i++) say({ type: 'rate_limits.updated' })
  await clock.advance(3_000)
  expect(socket.isPaused).toBe(true)
  await clock.advance(3_000)
  expect(socket.isPaused).toBe(false)
})
