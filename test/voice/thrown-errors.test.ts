import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { logThrough, type LogFields } from '../../main/kernel/log.ts'
import { voiceStarter } from '../../main/service/voice.ts'
import type { CallPlan, Route } from '../../main/voice/protocol.ts'
import { createVoiceProcess, type VoiceProcess } from '../../main/voice/voice-process.ts'
import { until } from './sip-calls.ts'
import { NO_SERVICES } from './talking.ts'

const folder = mkdtempSync(join(tmpdir(), 'thrown-'))
const start = voiceStarter({
  voice: resolve(import.meta.dirname, 'throwing-voice-child.ts'),
  speech: resolve(import.meta.dirname, '../../main/voice/speech/flite-thread.ts'),
})
const SANDBOX: Route = {
  kind: 'sandbox',
  person: { outcome: 'answers', answerAfterMs: 100, speaksFirst: false, lines: ['Hello?', 'Bye.'], speed: 10 },
}
const WEBRTC: Route = { kind: 'webrtc', offer: null }

let voice: VoiceProcess
let lines: LogFields[]

function open(): void {
  lines = []
  voice = createVoiceProcess({ clock: systemClock, start, log: logThrough((_level, fields) => lines.push(fields)) })
}

afterEach(async () => {
  vi.unstubAllEnvs()
  await voice.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function place(callId: string, route: Route) {
  const states: string[] = []
  const plan: CallPlan = {
    ...{ callId, route, consoleOffer: null, speech: NO_SERVICES, announcement: null },
    agent: { name: 'Ana', greeting: 'Hello.', instructions: '' },
    ...{ recordTo: join(folder, `${callId}.ogg`), title: 'Call', isSandbox: true },
    ...{ limitMs: 60_000, ringMs: 10_000, mediaMs: 10_000 },
  }
  const { ended } = voice.place(plan, {
    onState: (state) => states.push(state),
    onLine() {},
    onTurn: async () => ({ text: 'Yes.', hangUp: false }),
  })
  return { ended, states }
}

test('an error that a library throws in a timer ends its own call only', async () => {
  open()
  const other = place('call-1', SANDBOX)
  await until(() => other.states.includes('in_progress'), 'The other call')
  const broken = place('call-2', WEBRTC)

  expect(await broken.ended).toMatchObject({ reason: 'app_crashed', talkedMs: null })
  expect(await other.ended).toMatchObject({ reason: 'person_hung_up', recording: { hasAudio: true } })
  expect(lines).toEqual([
    {
      ...{ event: 'voice.error', callId: 'call-2', isFatal: false },
      cause: { name: 'Error', code: null, at: expect.arrayContaining([expect.stringMatching(/^at /)]) },
    },
  ])
  expect(JSON.stringify(lines)).not.toContain('hunter22')
})

test('an error that belongs to no call ends all calls as failed, with recordings, and the process', async () => {
  vi.stubEnv('THROW_AFTER_MS', '4000')
  open()
  const call = place('call-3', {
    kind: 'sandbox',
    person: { outcome: 'answers', answerAfterMs: 100, speaksFirst: false, lines: Array(50).fill('Hello?'), speed: 1 },
  })

  expect(await call.ended).toMatchObject({ reason: 'app_crashed', recording: { hasAudio: true } })
  await until(() => lines.length === 2, 'The end of the process')
  expect(lines).toEqual([
    expect.objectContaining({ event: 'voice.error', callId: null, isFatal: true }),
    expect.objectContaining({ event: 'voice.process_ended', reason: 'exit code 1', calls: 0 }),
  ])
})
