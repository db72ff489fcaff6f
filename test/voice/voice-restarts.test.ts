import { beforeEach, expect, test } from 'vitest'
import { logThrough, type LogFields } from '../../main/kernel/log.ts'
import type { SipTrunk } from '../../main/voice/protocol.ts'
import { createVoiceProcess, type VoiceProcess } from '../../main/voice/voice-process.ts'
import { fakeClock, type FakeClock } from '../support/clock.ts'
import { scriptedVoice, type ScriptedVoice } from '../support/scripted-voice.ts'

const MINUTE = 60_000
const TRUNK: SipTrunk = {
  ...{ host: 'sip.example', port: 5060, transport: 'tcp', username: 'shop', password: 'hunter22' },
  ...{ callerId: null, trustedRanges: [] },
}

let clock: FakeClock
let scripted: ScriptedVoice
let lines: LogFields[]
let changes: number
let starts: number
let isStartable: boolean
let voice: VoiceProcess

beforeEach(() => {
  clock = fakeClock()
  scripted = scriptedVoice()
  lines = []
  starts = changes = 0
  isStartable = true
  voice = createVoiceProcess({
    clock,
    log: logThrough((_level, fields) => lines.push(fields)),
    onChange: () => changes++,
    start(...listeners) {
      starts++
      if (!isStartable) throw new Error('spawn EAGAIN')
      return scripted.start(...listeners)
    },
  })
  voice.register('instance-1', TRUNK)
})

/** Lets time pass until the process runs again. @returns how long that took. */
async function untilRestarted(): Promise<number> {
  const before = starts
  for (let seconds = 1; seconds <= 600; seconds++) {
    await clock.advance(1_000)
    if (starts > before) return seconds
  }
  throw new Error('It was not started again.')
}

test('restarts a voice process that keeps ending at growing intervals, up to five minutes', async () => {
  const waits: number[] = []
  for (let i = 0; i < 11; i++) {
    scripted.crash('signal SIGSEGV')
    waits.push(await untilRestarted())
  }

  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
})

test('restarts a voice process that ran for a minute after one second', async () => {
  for (let i = 0; i < 6; i++) {
    scripted.crash()
    await untilRestarted()
  }
  await clock.advance(MINUTE)

  scripted.crash()

  expect(await untilRestarted()).toBe(1)
})

test('logs every end with its reason and without secrets', async () => {
  scripted.crash('exit code 134')

  expect(lines).toEqual([
    { event: 'voice.process_ended', reason: 'exit code 134', ranMs: 0, calls: 0, trunks: 1, restartInMs: 1_000 },
  ])
  expect(JSON.stringify(lines)).not.toContain('hunter22')
})

test('retries a process that cannot be started at the same intervals', async () => {
  isStartable = false
  scripted.crash()
  const waits = [await untilRestarted(), await untilRestarted(), await untilRestarted()]

  expect(waits).toEqual([1, 2, 4])
  expect(lines.at(-1)).toMatchObject({ event: 'voice.not_started', cause: { message: 'spawn EAGAIN' } })
})

test('reports a problem at the third end in a row until the process has run for a minute', async () => {
  for (let i = 0; i < 2; i++) {
    scripted.crash('signal SIGKILL')
    await untilRestarted()
  }
  expect([voice.problem(), changes]).toEqual([null, 0])

  scripted.crash('signal SIGKILL')
  expect(voice.problem()).toMatch(/^The program that makes calls ended 3 times in a row \(signal SIGKILL\)/)
  expect(changes).toBe(1)

  await untilRestarted()
  await clock.advance(MINUTE - 1_000)
  expect(voice.problem()).not.toBeNull()
  await clock.advance(1_000)
  expect([voice.problem(), changes]).toEqual([null, 2])
})

test('a call starts the process without waiting for the next interval', async () => {
  for (let i = 0; i < 6; i++) {
    scripted.crash()
    await untilRestarted()
  }
  scripted.crash()
  const before = starts

  void voice.checkTrunk(TRUNK)
  expect(starts).toBe(before + 1)
  await clock.advance(MINUTE * 5)
  expect(starts).toBe(before + 1)
})

test('an idle process ends without a problem', async () => {
  voice.register('instance-1', null)
  for (let i = 0; i < 4; i++) {
    voice.register('instance-1', TRUNK)
    voice.register('instance-1', null)
    await clock.advance(MINUTE)
  }

  expect([voice.problem(), lines, changes]).toEqual([null, [], 0])
})
