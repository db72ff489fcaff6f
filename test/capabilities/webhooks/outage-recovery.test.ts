import { expect, test } from 'vitest'
import { ACCOUNT, HOUR, MINUTE, SECOND, webhookWorld, type WebhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

const statuses = (world: WebhookWorld) =>
  world.database.raw.prepare('SELECT status, COUNT(*) AS many FROM deliveries GROUP BY status ORDER BY status').all()

const triggers = (world: WebhookWorld) =>
  world.database.raw
    .prepare(
      "SELECT trigger, outcome, COUNT(*) AS many FROM delivery_attempts WHERE trigger = 'recovery' GROUP BY outcome",
    )
    .all()

/** A receiver that was away for two hours: many deliveries wait, each an hour or two for its next attempt. */
async function afterOutage(status = 503, deliveries = 40) {
  const world = await webhookWorld()
  const hook = await world.hook('shop', { max_in_flight: 8 })
  world.answer({ status })
  await world.happenTimes(deliveries)
  await world.pass(2 * HOUR)
  expect(statuses(world)).toEqual([{ status: 'failed', many: deliveries }])
  return { world, hook }
}

test('when a receiver returns after an outage, waiting deliveries arrive within minutes, not hours', async () => {
  const { world } = await afterOutage()
  world.answer({ status: 200 })
  await world.happen()
  await world.pass(2 * MINUTE)
  expect(statuses(world)).toEqual([{ status: 'delivered', many: 41 }])
  expect(triggers(world)).toEqual([{ trigger: 'recovery', outcome: 'success', many: 40 }])
})

test('each delivery is sent early once per outage: if it fails again, its own schedule applies', async () => {
  const { world } = await afterOutage()
  const fresh = new Set([await world.happen()])
  world.answer(({ eventId }) => ({ status: fresh.has(eventId) ? 200 : 503 }))
  await world.pass(5 * MINUTE)
  expect(triggers(world)).toEqual([{ trigger: 'recovery', outcome: 'http_error', many: 40 }])
  fresh.add(await world.happen())
  await world.pass(5 * MINUTE)
  expect(triggers(world)).toEqual([{ trigger: 'recovery', outcome: 'http_error', many: 40 }])
  // Each used one of its eight up, no more.
  const most = world.database.raw.prepare('SELECT MAX(counted) AS most FROM deliveries').get()
  expect(most).toEqual({ most: 6 })
})

test('a delivery refused for its own reason is not sent early', async () => {
  const { world } = await afterOutage(404)
  world.answer({ status: 200 })
  await world.happen()
  await world.pass(5 * MINUTE)
  expect(triggers(world)).toEqual([])
  expect(statuses(world)).toContainEqual({ status: 'failed', many: 40 })
})

test('a few failures, or many within a minute, are not an outage', async () => {
  const world = await webhookWorld()
  await world.hook('shop', { max_in_flight: 64 })
  world.answer({ status: 500 })
  await world.happenTimes(40)
  await world.pass(3 * SECOND)
  world.answer({ status: 200 })
  await world.happen()
  await world.pass(3 * SECOND)
  expect(triggers(world)).toEqual([])

  const quiet = await webhookWorld()
  await quiet.hook('shop')
  quiet.answer({ status: 500 })
  await quiet.happen()
  await quiet.pass(HOUR)
  quiet.answer({ status: 200 })
  await quiet.happen()
  await quiet.pass(MINUTE)
  expect(triggers(quiet)).toEqual([])
})

test('a queue is not sent all together, but as fast as the receiver accepts it', async () => {
  const { world } = await afterOutage(503, 300)
  world.answer({ status: 200 })
  await world.happen()
  const before = world.seen.length
  await world.pass(SECOND)
  expect(world.seen.length - before).toBeLessThan(60)
  await world.pass(10 * MINUTE)
  expect(statuses(world)).toEqual([{ status: 'delivered', many: 301 }])
})

test('a delivery sent early is held like any other when the webhook is paused', async () => {
  const { world, hook } = await afterOutage()
  world.answer({ status: 200 })
  await world.happen()
  await world.idle()
  await world.webhooks().update(ACCOUNT, hook.id, { active: false }, keepsAccess)
  const before = world.seen.length
  await world.pass(10 * MINUTE)
  expect(world.seen.length).toBe(before)
  await world.webhooks().update(ACCOUNT, hook.id, { active: true }, keepsAccess)
  await world.pass(MINUTE)
  expect(statuses(world)).toEqual([{ status: 'delivered', many: 41 }])
})
