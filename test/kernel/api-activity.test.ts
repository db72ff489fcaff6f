import { expect, test } from 'vitest'
import { createApiActivity } from '../../main/kernel/api-activity.ts'
import { fakeClock } from '../support/clock.ts'

test('API activity counts as recent until 100 ms after the last request', async () => {
  const clock = fakeClock()
  const apiActivity = createApiActivity(clock)
  expect(apiActivity.isRecent()).toBe(false)
  apiActivity.note()
  expect(apiActivity.isRecent()).toBe(true)
  await clock.advance(99)
  apiActivity.note()
  await clock.advance(99)
  expect(apiActivity.isRecent()).toBe(true)
  await clock.advance(1)
  expect(apiActivity.isRecent()).toBe(false)
})
