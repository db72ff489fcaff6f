import { expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { FRAME_MS } from '../../main/voice/audio.ts'
import { speechServer } from './speech-servers.ts'
import { talkingTo } from './talking.ts'
import { slowness } from '../support/loop-stretch.ts'

const TURNS = 9
const MODEL_MS = 200

test('the agent is heard within 700 ms of the end of speech, with a model that takes 200 ms', async () => {
  const { url } = await speechServer(() => 'When are you open?')
  const call = talkingTo({ brain: 'pipeline', sttUrl: url, ttsUrl: url }, async () => {
    await systemClock.sleep(MODEL_MS)
    return { text: 'We are open until six.', hangUp: false }
  })
  call.brain.start()
  /** 20 ms of real time. */
  const frame = async (isLoud: boolean, dueAt: number) => {
    await systemClock.sleep(Math.max(0, dueAt - performance.now()))
    return call.step(isLoud)
  }
  const waits: number[] = []
  let due = performance.now()
  for (let i = 0; i < 60; i++) await frame(false, (due += FRAME_MS))
  for (let turn = 0; turn < TURNS; turn++) {
    for (let i = 0; i < 30; i++) await frame(true, (due += FRAME_MS))
    const endedAt = performance.now()
    let isHeard = false
    for (let i = 0; i < 150 && !isHeard; i++) isHeard = await frame(false, (due += FRAME_MS))
    waits.push(performance.now() - endedAt)
    for (let i = 0; i < 40; i++) await frame(false, (due += FRAME_MS))
  }
  call.brain.stop()
  const median = waits.toSorted((a, b) => a - b)[Math.floor(TURNS / 2)] ?? Infinity
  // oxlint-disable-next-line no-console -- what was measured is shown
  console.info(`end of speech to first sound: median ${Math.round(median)} ms, all ${waits.map(Math.round).join(' ')}`)
  expect(median / slowness()).toBeLessThan(700)
})
