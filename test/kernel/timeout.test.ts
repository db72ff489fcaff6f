import { expect, test } from 'vitest'
import { startSilenceTimeout } from '../../main/kernel/timeout.ts'
import { fakeClock } from '../support/clock.ts'

test('an idle timeout fires after the last activity, and uses one timer', async () => {
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

test('a cancelled timeout never fires', async () => {
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
