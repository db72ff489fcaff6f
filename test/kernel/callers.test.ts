import { expect, test } from 'vitest'
import { createCallers } from '../../main/kernel/callers.ts'
import { fakeClock } from '../support/clock.ts'

test('callers are there from their request until a tenth of a second after it', async () => {
  const clock = fakeClock()
  const callers = createCallers(clock)
  expect(callers.areHere()).toBe(false)
  callers.came()
  expect(callers.areHere()).toBe(true)
  await clock.advance(99)
  callers.came()
  await clock.advance(99)
  expect(callers.areHere()).toBe(true)
  await clock.advance(1)
  expect(callers.areHere()).toBe(false)
})
