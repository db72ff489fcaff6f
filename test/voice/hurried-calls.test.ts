import { expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { createSandboxLeg } from '../../main/voice/gateways/sandbox.ts'
import type { CallPlan, FromVoice, SandboxPerson } from '../../main/voice/protocol.ts'
import { startSession } from '../../main/voice/session.ts'
import type { Tts } from '../../main/voice/speech/speech.ts'
import { beeps } from '../support/voice.ts'
import { NO_SERVICES } from './talking.ts'

const PERSON: SandboxPerson = {
  ...{ outcome: 'answers', answerAfterMs: 100, speaksFirst: false, lines: ['Hello?', 'Bye.'], speed: 100 },
}

/** Makes each sentence in half a second of real time. */
const slowVoice: Tts = {
  async *say(...given) {
    await systemClock.sleep(500)
    yield* beeps.say(...given)
  },
}

/** A simulated call at 100 times the speed, without a recording. Its agent is at work whenever `isBusy` says so. */
function call(person: SandboxPerson, limits: Partial<CallPlan>, isBusy = () => false) {
  const said: FromVoice[] = []
  const session = startSession({
    ...{ clock: systemClock, console: null, builtIn: beeps, send: (message) => void said.push(message) },
    plan: {
      ...{ callId: 'call-1', route: { kind: 'sandbox', person }, consoleOffer: null, speech: NO_SERVICES },
      ...{ agent: { name: 'Ana', greeting: 'Hello.', instructions: '' }, announcement: null, recordTo: null },
      ...{ title: 'Call', isSandbox: true, limitMs: 60_000, ringMs: 10_000, mediaMs: 10_000, ...limits },
    },
    leg: createSandboxLeg(person, { clock: systemClock, tts: slowVoice }),
    answer: async () => ({ text: null, hangUp: false }),
    createRecorder: () => Promise.reject(new Error('It is not recorded.')),
    createBrain: () => ({ start() {}, hear() {}, caption() {}, isBusy, stop() {} }),
  })
  return session.ended.then(() => said.find((message) => message.kind === 'ended')?.end)
}

test('waits for the sentences of a simulated person who answers', async () => {
  expect(await call(PERSON, { ringMs: 10_000 })).toMatchObject({ reason: 'person_hung_up' })
})

test('a simulated phone that nobody answers rings until the ring timeout', async () => {
  const startedAt = performance.now()
  expect(await call({ ...PERSON, outcome: 'no_answer' }, { ringMs: 20_000 })).toMatchObject({ reason: 'no_answer' })
  expect(performance.now() - startedAt).toBeGreaterThan(190)
})

test('the time an agent takes to answer does not shorten a simulated call', async () => {
  const startedAt = performance.now()
  const isBusy = () => performance.now() - startedAt < 2_000
  expect(await call(PERSON, { limitMs: 60_000 }, isBusy)).toMatchObject({ reason: 'person_hung_up' })
})

test('a simulated call ends at its maximum duration', async () => {
  expect(await call(PERSON, { limitMs: 4_000 })).toMatchObject({ reason: 'time_limit', talkedMs: 4_000 })
})
