import { expect, test } from 'vitest'
import { ACCOUNT, HOUR, MINUTE, SECOND, webhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

test('C-05 attempts interrupted by a crash are repeated within seconds with a higher number; three times free, then counted', async () => {
  const world = await webhookWorld()
  await world.hook()
  const crashDuring = async (attempt: number) => {
    world.answer({ hang: true })
    while (world.seen.length < attempt) await world.pass(SECOND)
    await world.crash()
  }
  const eventId = await world.happen()
  for (const crashes of [1, 2, 3]) {
    await crashDuring(crashes)
    expect(await world.delivery()).toMatchObject({ status: 'pending', attempts: crashes })
    const wait = Date.parse((await world.delivery()).next_attempt_at ?? '') - world.clock.now()
    expect(wait).toBeGreaterThanOrEqual(2_000)
    expect(wait).toBeLessThanOrEqual(10_000)
    world.webhooks().start()
  }
  await crashDuring(4)
  const delivery = await world.delivery()
  expect(delivery).toMatchObject({
    status: 'failed',
    attempts: 4,
    last_error: 'Switchboard stopped during this attempt.',
  })
  expect(
    delivery.attempt_log.map(({ outcome, counted, duration_ms }) => `${outcome} ${counted} ${duration_ms}`),
  ).toEqual(['interrupted false null', 'interrupted false null', 'interrupted false null', 'interrupted true null'])
  world.answer({})
  world.webhooks().start()
  await world.pass(20 * SECOND)
  expect(await world.delivery()).toMatchObject({ status: 'delivered', attempts: 5 })
  expect(world.seen.map((one) => one.eventId)).toEqual(Array(5).fill(eventId))
  expect(world.seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5])
})

test('nothing is claimed before start: recovery comes first', async () => {
  const world = await webhookWorld({ started: false })
  await world.hook()
  await world.happenTimes(3)
  await world.pass(MINUTE)
  expect(world.seen).toEqual([])
  world.webhooks().start()
  await world.idle()
  expect(world.seen).toHaveLength(3)
})

test('a manual attempt interrupted by a crash leaves status, schedule and budget unchanged', async () => {
  const world = await webhookWorld()
  await world.hook()
  world.answer({ status: 500 })
  await world.happen()
  await world.idle()
  const before = await world.delivery()
  world.answer({ hang: true })
  await world.webhooks().redeliver(ACCOUNT, before.id)
  await world.idle()
  await world.crash()
  expect(await world.delivery()).toMatchObject({
    status: 'failed',
    attempts: 2,
    manual_retries: 1,
    next_attempt_at: before.next_attempt_at,
    attempt_log: [{ counted: true }, { trigger: 'manual', outcome: 'interrupted', counted: false }],
  })
})

test('a crash with many in flight repeats each once at most, and loses none', async () => {
  const world = await webhookWorld()
  await world.hook('shop', { max_in_flight: 64 })
  await world.happenTimes(64)
  await world.idle()
  world.answer((_, nth) => ({ hang: nth % 2 === 0 }))
  const events = await world.happenTimes(200)
  await world.pass(2 * SECOND)
  await world.crash()
  world.answer({})
  world.webhooks().start()
  await world.pass(2 * MINUTE)
  const { data } = await world.webhooks().listDeliveries(ACCOUNT, { status: 'delivered', limit: 200 })
  expect(data).toHaveLength(200)
  const attempts = world.seen.map(({ eventId, attempt }) => `${eventId} ${attempt}`)
  expect(new Set(attempts).size).toBe(attempts.length)
  expect(new Set(world.seen.map(({ eventId }) => eventId))).toEqual(
    new Set([...world.seen.slice(0, 64).map(({ eventId }) => eventId), ...events]),
  )
})

test('a result that arrives after another process has recovered changes nothing', async () => {
  const world = await webhookWorld()
  await world.hook()
  world.answer({ delayMs: 5 * SECOND })
  await world.happen()
  await world.pass(SECOND)
  await world.crash()
  await world.pass(10 * SECOND)
  expect(await world.delivery()).toMatchObject({
    status: 'pending',
    attempts: 1,
    attempt_log: [{ outcome: 'interrupted' }],
  })
})

test('P-02 a clock that was far ahead does not delay deliveries beyond their interval', async () => {
  const world = await webhookWorld()
  await world.hook()
  world.answer({ status: 500 })
  world.clock.set(world.clock.now() + 72 * HOUR)
  await world.happen()
  await world.pass(15 * SECOND)
  expect((await world.delivery()).attempts).toBe(2)
  await world.webhooks().update(ACCOUNT, (await world.delivery()).webhook_id, { active: false }, keepsAccess)
  await world.happen()
  await world.webhooks().update(ACCOUNT, (await world.delivery()).webhook_id, { active: true }, keepsAccess)
  world.clock.set(world.clock.now() - 72 * HOUR)
  await world.crash()
  const due = async (index: number) =>
    Date.parse((await world.delivery(index)).next_attempt_at ?? '') - world.clock.now()
  expect(await due(0)).toBeLessThanOrEqual(72_000)
  expect(await due(1)).toBeLessThanOrEqual(5_000)
  world.answer({})
  world.webhooks().start()
  await world.pass(2 * MINUTE)
  expect(await world.delivery(0)).toMatchObject({ status: 'delivered' })
  expect(await world.delivery(1)).toMatchObject({ status: 'delivered' })
})

test('stopping lets running attempts end, aborts the rest uncounted, and leaves nothing behind', async () => {
  const world = await webhookWorld()
  await world.hook('shop', { max_in_flight: 2 })
  await world.happen()
  await world.idle()
  world.answer((_, nth) => (nth === 2 ? { delayMs: 2 * SECOND } : { hang: true }))
  await world.happenTimes(4)
  await world.idle()
  const stopped = world.webhooks().stop(5 * SECOND)
  await world.pass(6 * SECOND)
  await stopped
  expect(await world.delivery(1)).toMatchObject({ status: 'delivered' })
  expect(await world.delivery(2)).toMatchObject({
    status: 'pending',
    attempts: 1,
    attempt_log: [{ outcome: 'interrupted', counted: false }],
  })
  expect(await world.delivery(3)).toMatchObject({ status: 'pending', attempts: 0 })
})
