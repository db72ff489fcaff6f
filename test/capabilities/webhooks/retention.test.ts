import { expect, test } from 'vitest'
import { createEvents } from '../../../main/capabilities/events/index.ts'
import type { Chore } from '../../../main/kernel/housekeeping.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { ACCOUNT, HOUR, MINUTE, webhookWorld, type WebhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

const DAY = 24 * HOUR

async function pass(chore: Chore): Promise<void> {
  const step = chore.begin()
  while (await step());
}

/** As the service does it: deliveries first, then the events that no delivery needs any more. */
async function prune(world: WebhookWorld): Promise<void> {
  const cursors = createCursors(Buffer.alloc(32, 1))
  await pass(world.webhooks().retention)
  await pass(createEvents({ db: world.db(), clock: world.clock, cursors }).retention)
}

const count = (world: WebhookWorld, of: string) =>
  (world.database.raw.prepare(`SELECT COUNT(*) AS many FROM ${of}`).get() as { many: number }).many

/** Days pass without a second of them being lived through. */
const leap = (world: WebhookWorld, ms: number) => world.clock.suspend(ms)

test('delivered ones are removed after 7 days with their attempts and events, and not a day before', async () => {
  const world = await webhookWorld()
  await world.hook()
  await world.happenTimes(1_200)
  await world.pass(MINUTE)
  leap(world, 7 * DAY - HOUR)
  await world.happenTimes(3)
  await world.pass(MINUTE)
  await prune(world)
  expect([count(world, 'deliveries'), count(world, 'delivery_attempts'), count(world, 'events')]).toEqual([
    1_203, 1_203, 1_203,
  ])
  leap(world, HOUR)
  await prune(world)
  expect([count(world, 'deliveries'), count(world, 'delivery_attempts'), count(world, 'events')]).toEqual([3, 3, 3])
})

test('permanently failed ones stay 30 days, with their events, without the receiver’s answers', async () => {
  const world = await webhookWorld()
  await world.hook()
  world.answer({ status: 500, body: 'a stack trace' })
  const eventId = await world.happen()
  await world.pass(23 * HOUR)
  expect(await world.delivery()).toMatchObject({ status: 'exhausted' })
  leap(world, 8 * DAY)
  await prune(world)
  const delivery = await world.delivery()
  expect(delivery).toMatchObject({ status: 'exhausted', event_id: eventId })
  expect(delivery.attempt_log.map(({ response_excerpt: answer }) => answer)).toEqual(Array(8).fill(null))
  leap(world, 23 * DAY)
  await prune(world)
  expect([count(world, 'deliveries'), count(world, 'delivery_attempts'), count(world, 'events')]).toEqual([0, 0, 0])
})

test('pending deliveries stay, however old, and so do their events', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  await world.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
  await world.happenTimes(600)
  leap(world, 40 * DAY)
  await prune(world)
  expect([count(world, 'deliveries'), count(world, 'events')]).toEqual([600, 600])
})

test('events without a webhook are removed after 7 days, in as many steps as needed', async () => {
  const world = await webhookWorld()
  await world.happenTimes(2_600)
  leap(world, 7 * DAY)
  await world.happenTimes(10)
  await prune(world)
  expect(count(world, 'events')).toBe(10)
})

test('a delivery redelivered by hand counts its days from then', async () => {
  const world = await webhookWorld()
  await world.hook()
  await world.happen()
  await world.pass(MINUTE)
  leap(world, 6 * DAY)
  await world.webhooks().redeliver(ACCOUNT, (await world.delivery()).id)
  await world.pass(MINUTE)
  leap(world, 2 * DAY)
  await prune(world)
  expect([count(world, 'deliveries'), count(world, 'events')]).toEqual([1, 1])
  leap(world, 5 * DAY)
  await prune(world)
  expect([count(world, 'deliveries'), count(world, 'events')]).toEqual([0, 0])
})
