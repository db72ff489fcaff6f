import { expect, test } from 'vitest'
import { ACCOUNT, MINUTE, SECOND, webhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

test.each([1, 8, 64])(
  'F-03 at most max_in_flight %d run at the same time, also over resume and redelivery',
  async (most) => {
    const world = await webhookWorld()
    const { id } = await world.hook('shop', { max_in_flight: most })
    world.answer({ delayMs: 200 })
    await world.happenTimes(300)
    await world.pass(5 * SECOND)
    await world.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
    await world.happenTimes(200)
    await world.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
    const delivered = (await world.webhooks().listDeliveries(ACCOUNT, { status: 'delivered', limit: 20 })).data
    await Promise.all(delivered.map((one) => world.webhooks().redeliver(ACCOUNT, one.id)))
    await world.pass(3 * MINUTE)
    expect(world.peak.get('shop')).toBe(most)
    const { data } = await world.webhooks().listDeliveries(ACCOUNT, { limit: 200 })
    expect(new Set(data.map(({ status }) => status))).toEqual(new Set(['delivered']))
    expect(world.seen).toHaveLength(500 + delivered.length)
  },
)

test('lowering max_in_flight takes effect with the next claim', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook('shop', { max_in_flight: 16 })
  world.answer({ delayMs: 500 })
  await world.happenTimes(400)
  await world.pass(5 * SECOND)
  expect(world.peak.get('shop')).toBe(16)
  await world.webhooks().update(ACCOUNT, id, { max_in_flight: 2 }, keepsAccess)
  await world.pass(SECOND)
  world.peak.clear()
  await world.pass(10 * SECOND)
  expect(world.peak.get('shop')).toBe(2)
})

test('F-04 failing retries cannot stop fresh events', async () => {
  const world = await webhookWorld()
  await world.hook()
  const old = new Set(await world.happenTimes(1_500))
  world.answer(({ eventId }) => ({ status: old.has(eventId) ? 500 : 200, delayMs: 100 }))
  await world.pass(3 * MINUTE)
  const fresh = await world.happenTimes(10)
  const from = world.clock.now()
  await world.pass(4 * SECOND)
  const started = world.seen.filter(({ eventId }) => fresh.includes(eventId))
  expect(started).toHaveLength(10)
  expect(Math.max(...started.map(({ atMs }) => atMs - from))).toBeLessThan(3_000)
})

test('fresh events cannot starve retries', async () => {
  const world = await webhookWorld()
  await world.hook()
  const failing = await world.happen()
  world.answer(({ eventId }) => ({ status: eventId === failing ? 500 : 200, delayMs: 100 }))
  await world.pass(SECOND)
  for (let i = 0; i < 80; i++) {
    await world.happenTimes(200)
    await world.pass(SECOND)
  }
  expect(world.seen.filter(({ eventId }) => eventId === failing).length).toBeGreaterThanOrEqual(3)
})

test('F-02 nine hanging webhooks with a long queue do not slow down a healthy one', async () => {
  const solo = await webhookWorld()
  await solo.hook('healthy')
  const crowd = await webhookWorld()
  for (let i = 0; i < 9; i++) await crowd.hook(`dead-${i}`)
  await crowd.hook('healthy')
  for (const world of [solo, crowd]) {
    world.answer(({ name }) => (name === 'healthy' ? { delayMs: 50 } : { hang: true }))
    await world.happenTimes(1_000)
    await world.pass(8 * SECOND)
  }
  const arrived = (world: typeof solo) => world.seen.filter(({ name }) => name === 'healthy').length
  expect(arrived(crowd)).toBeGreaterThanOrEqual(arrived(solo) * 0.9)
})

test('a receiver that times out gets fewer deliveries at a time', async () => {
  const world = await webhookWorld()
  await world.hook('shop', { max_in_flight: 16 })
  await world.happenTimes(40)
  await world.idle()
  world.answer({ hang: true })
  await world.happenTimes(500)
  await world.pass(11 * SECOND)
  expect(world.peak.get('shop')).toBe(16)
  await world.pass(11 * SECOND)
  world.peak.clear()
  await world.pass(MINUTE)
  expect(world.peak.get('shop')).toBe(1)
})
