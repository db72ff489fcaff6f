import { expect, test } from 'vitest'
import { startSilenceTimeout } from '../../main/kernel/timeout.ts'
import { fakeClock } from '../support/clock.ts'

test('silence ends so long after the last part, and one timer waits for it', async () => {
  const clock = fakeClock()
  let ended = 0
  const silence = startSilenceTimeout(clock, 30_000, () => ended++)
  for (let part = 0; part < 5; part++) {
    await clock.advance(29_000)
    for (let times = 0; times < 1_000; times++) silence.heard()
    expect(clock.waiting()).toBe(1)
  }
  await clock.advance(29_500)
  expect(ended).toBe(0)
  await clock.advance(1_000)
  expect(ended).toBe(1)
  expect(clock.waiting()).toBe(0)
})

test('what is cancelled never ends', async () => {
  const clock = fakeClock()
  let ended = 0
  const silence = startSilenceTimeout(clock, 1_000, () => ended++)
  await clock.advance(900)
  silence.heard()
  await clock.advance(500)
  silence.cancel()
  await clock.advance(5_000)
  expect(ended).toBe(0)
  expect(clock.waiting()).toBe(0)
})
