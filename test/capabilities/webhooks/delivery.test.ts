import { expect, test } from 'vitest'
import { webhookWorld } from './world.ts'

test('an event is delivered to a webhook that wants it', async () => {
  const world = await webhookWorld()
  await world.hook()
  const eventId = await world.happen()
  await world.idle()
  expect(world.seen).toMatchObject([{ eventId, attempt: 1 }])
  expect(await world.delivery()).toMatchObject({ status: 'delivered', attempts: 1, next_attempt_at: null })
})
