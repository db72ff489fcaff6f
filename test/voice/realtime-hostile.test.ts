import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from '../../main/outbound/outbound.ts'
import { createRealtimeBrain } from '../../main/voice/brains/realtime.ts'
import { createMouth } from '../../main/voice/mouth.ts'
import { longestStretch, shortestOf, slowness } from '../support/loop-stretch.ts'

/** A realtime model that sends whatever a test says. */
function call() {
  const socket = Object.assign(new EventEmitter(), {
    ...{ OPEN: 1, readyState: 1, bufferedAmount: 0, isEnded: false },
    send: () => {},
    close: () => {},
    terminate: () => void (socket.isEnded = true),
  })
  const failures: Error[] = []
  const lines: string[] = []
  const brain = createRealtimeBrain(
    {
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
  say({ type: 'session.created' })
  return { say, socket, failures, lines }
}

const sound = (seconds: number) => Buffer.alloc(seconds * 24_000 * 2).toString('base64')

test('sound without end is given up once nobody could hear it any more', () => {
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

test('words without end are cut', () => {
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
])('%s does not hold the other calls up', async (what, message) => {
  const { say, failures } = call()
  const first = await longestStretch(async () => void say(message))
  const again = async () => void call().say(message)
  expect(first < 50 ? first : (await shortestOf(3, again, 50)) / slowness()).toBeLessThan(50)
  expect(failures.length).toBe(what === 'long sound' ? 0 : 1)
})
