import { expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import type { BrainDeps } from '../../main/voice/brains/brain.ts'
import type { LegEvents } from '../../main/voice/leg.ts'
import type { CallPlan, FromVoice } from '../../main/voice/protocol.ts'
import { startSession } from '../../main/voice/session.ts'
import { beeps } from '../support/voice.ts'
import { until } from './sip-calls.ts'
import { NO_SERVICES } from './talking.ts'

test('limits the transcript of a speech service that transcribes without end', async () => {
  const said: FromVoice[] = []
  let brain: BrainDeps | undefined
  const plan: CallPlan = {
    ...{ callId: 'call-1', route: { kind: 'webrtc', offer: null }, consoleOffer: null, speech: NO_SERVICES },
    ...{ agent: { name: 'Ana', greeting: 'Hello.', instructions: '' }, announcement: null, recordTo: null },
    ...{ title: 'Call', isSandbox: false, limitMs: 60_000, ringMs: 10_000, mediaMs: 10_000 },
  }
  const session = startSession({
    ...{ clock: systemClock, plan, console: null, builtIn: beeps, send: (message) => said.push(message) },
    answer: async () => ({ text: null, hangUp: false }),
    createRecorder: () => Promise.reject(new Error('It is not recorded.')),
    createBrain(deps) {
      brain = deps
      return { start() {}, hear() {}, caption() {}, isBusy: () => false, stop() {} }
    },
    leg: {
      ...{
        speed: 1,
        hasCaptions: false,
        send() {},
        take: () => null,
        remoteAnswer() {},
        remoteState() {},
        hangUp() {},
      },
      start: (events: LegEvents) => queueMicrotask(() => events.onConnected()),
      counts: () => ({ framesIn: 1, framesLost: 0 }),
    },
  })
  await until(() => brain !== undefined, 'The agent')
  for (let i = 0; i < 100; i++)
    brain?.onPersonLine({ speaker: 'person', start_ms: 0, end_ms: 1, text: 'x'.repeat(20_000) })
  for (let i = 0; i < 20_000; i++) brain?.onPersonLine({ speaker: 'person', start_ms: 0, end_ms: 1, text: '' })
  const lines = said.filter((message) => message.kind === 'line')
  expect(lines.length).toBeGreaterThan(20)
  expect(lines.length).toBeLessThan(100)
  session.hangUp('agent_hung_up')
  await session.ended
})
