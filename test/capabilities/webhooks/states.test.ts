import { expect, test } from 'vitest'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { sized } from '../../support/sized.ts'
import { ACCOUNT, HOUR, MINUTE, SECOND, webhookWorld, type WebhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

const statuses = async (world: WebhookWorld, accountId = ACCOUNT) =>
  (await world.webhooks().listDeliveries(accountId, { limit: 200 })).data.map(({ status }) => status)

test.each([1, 7, 2_026])(
  'S-01 a receiver that always fails gets each delivery 8 times over 19.7 to 22.2 hours (seed %d)',
  async (seed) => {
    const world = await webhookWorld({ seed })
    // Four deliveries each: a fifth exhausted one would deactivate the webhook.
    const accounts = [1, 2, 3].map((n) => `0197f0c2-0000-7c51-9d2b-00000000000${n}` as AccountId)
    for (const account of accounts) {
      for (const name of ['a', 'b', 'c']) await world.hook(name, { max_in_flight: 64 }, account)
    }
    world.answer({ status: 500 })
    for (const accountId of accounts) await world.happenTimes(4, { accountId })
    await world.idle()
    expect(new Set(await statuses(world))).toEqual(new Set(['failed']))
    await world.pass(23 * HOUR)
    expect(new Set(await statuses(world))).toEqual(new Set(['exhausted']))
    await world.pass(HOUR)

    const times = Map.groupBy(world.seen, ({ eventId, name }) => `${eventId} ${name}`)
    expect(times.size).toBe(36)
    const gaps = [10, 60, 600, 2_700, 7_200, 21_600, 43_200]
    for (const attempts of times.values()) {
      expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      const at = attempts.map(({ atMs }) => atMs)
      expect(((at[7] ?? 0) - (at[0] ?? 0)) / HOUR).toBeGreaterThan(19.7)
      expect(((at[7] ?? 0) - (at[0] ?? 0)) / HOUR).toBeLessThan(22.2)
      for (const [i, gap] of gaps.entries()) {
        const jitter = i < 4 ? 0.2 : 0.05
        const waited = (at[i + 1] ?? 0) - (at[i] ?? 0)
        expect(waited).toBeGreaterThanOrEqual(gap * 1_000 * (1 - jitter) - 1)
        // Due times are looked for once a second.
        expect(waited).toBeLessThanOrEqual(gap * 1_000 * (1 + jitter) + 2_000)
      }
    }
    expect(
      new Set([...times.values()].map((attempts) => (attempts[1]?.atMs ?? 0) - (attempts[0]?.atMs ?? 0))).size,
    ).toBeGreaterThan(3)
  },
)

test('S-02 S-06 the fifth exhausted delivery in a row deactivates the webhook, and later events are only recorded', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  world.answer({ status: 500 })
  for (let i = 0; i < 5; i++) {
    await world.happen()
    await world.pass(MINUTE)
  }
  await world.pass(20 * HOUR)
  expect(await world.webhooks().get(ACCOUNT, id)).toMatchObject({ active: true, disabled_reason: null })
  await world.pass(4 * HOUR)
  expect(await world.webhooks().get(ACCOUNT, id)).toMatchObject({ active: false, disabled_reason: 'too_many_failures' })
  expect(await statuses(world)).toEqual(Array(5).fill('exhausted'))

  const before = world.seen.length
  await world.happenTimes(100)
  await world.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
  await world.pass(MINUTE)
  expect(world.seen.length).toBe(before)
  expect(await statuses(world)).toHaveLength(5)
  expect(await world.webhooks().get(ACCOUNT, id)).toMatchObject({ active: true, disabled_reason: null })
  expect(world.hookRow(id)).toMatchObject({ consecutive_exhausted: 0, activation: 2 })
})

test('S-02 a success between the fourth and the fifth exhausted delivery restarts the count', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  const good = new Set<string>()
  world.answer(({ eventId }) => ({ status: good.has(eventId) ? 200 : 500 }))
  await world.happenTimes(4)
  await world.pass(23 * HOUR)
  expect(world.hookRow(id)['consecutive_exhausted']).toBe(4)
  world.answer({ status: 200 })
  await world.happen()
  await world.idle()
  expect(world.hookRow(id)['consecutive_exhausted']).toBe(0)
  world.answer({ status: 500 })
  await world.happen()
  await world.pass(23 * HOUR)
  expect(world.hookRow(id)).toMatchObject({ consecutive_exhausted: 1, state: 'active' })
})

test('S-03 an answer 410 deactivates immediately: waiting ones are not claimed, running ones are recorded', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook('shop', { max_in_flight: 8 })
  await world.happenTimes(20)
  await world.idle()
  // Eight are in flight; the first says gone, the others answer later.
  const before = world.seen.length
  world.answer((_, nth) => (nth === before + 1 ? { status: 410, delayMs: 1_000 } : { delayMs: 3_000 }))
  await world.happenTimes(101)
  await world.pass(5 * SECOND)
  expect(await world.webhooks().get(ACCOUNT, id)).toMatchObject({ active: false, disabled_reason: 'gone' })
  expect(world.seen.length).toBe(before + 8)
  const { data } = await world.webhooks().listDeliveries(ACCOUNT, { limit: 200 })
  const late = data
    .filter((one) => one.created_at === data[0]?.created_at)
    .toReversed()
    .slice(20)
  expect(late[0]).toMatchObject({
    status: 'failed',
    next_attempt_at: null,
    final_reason: 'gone',
    last_status_code: 410,
  })
  expect(late.slice(1, 8).map(({ status }) => status)).toEqual(Array(7).fill('delivered'))
  expect(late.slice(8).map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(Array(93).fill('pending 0'))

  await world.webhooks().update(ACCOUNT, id, { active: true, url: 'https://catcher.sandbox/new' }, keepsAccess)
  await world.pass(2 * MINUTE)
  expect(new Set(await statuses(world))).toEqual(new Set(['delivered']))
  expect(world.seen.slice(before + 8).every(({ name }) => name === 'new')).toBe(true)
})

test('S-03 410 as the eighth failure closes the delivery as gone and leaves it nothing to re-arm', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  world.answer(({ attempt }) => ({ status: attempt === 8 ? 410 : 500 }))
  await world.happen()
  await world.pass(23 * HOUR)
  expect(await world.delivery()).toMatchObject({ status: 'failed', attempts: 8, final_reason: 'gone' })
  expect(world.hookRow(id)).toMatchObject({ state: 'deactivated', disabled_reason: 'gone', consecutive_exhausted: 0 })
  await world.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
  await world.pass(MINUTE)
  expect(world.seen).toHaveLength(8)
})

test('S-03 a late answer from before a reactivation does not affect the webhook', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  world.answer({ status: 410, delayMs: 5_000 })
  await world.happen()
  await world.pass(SECOND)
  await world.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
  await world.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
  await world.pass(10 * SECOND)
  expect(await world.delivery()).toMatchObject({ final_reason: 'gone' })
  expect(await world.webhooks().get(ACCOUNT, id)).toMatchObject({ active: true, disabled_reason: null })
})

test('S-05 paused: events are held, and after an hour delivered once, in order, from one at a time up to the limit', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  await world.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
  const events = await world.happenTimes(500)
  await world.pass(HOUR)
  expect(world.seen).toEqual([])
  expect(await world.webhooks().gauges('0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60')).toEqual({ pending: 500, failing: 0 })

  const openAtArrival: number[] = []
  let running = 0
  world.answer(() => {
    openAtArrival.push(++running)
    void world.clock.sleep(500).then(() => running--)
    return { delayMs: 500 }
  })
  await world.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
  await world.pass(2 * MINUTE)
  expect(world.seen.map(({ eventId }) => eventId)).toEqual(events)
  expect(openAtArrival[0]).toBe(1)
  expect(Math.max(...openAtArrival)).toBe(8)
})

test('S-05 held for more than 72 hours: closed as expired, not sent and not counted; younger ones are delivered', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  await world.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
  await world.happenTimes(500)
  world.clock.suspend(71 * HOUR)
  await world.happenTimes(3)
  await world.pass(30 * MINUTE)
  expect(new Set(await statuses(world))).toEqual(new Set(['pending']))
  world.clock.suspend(9 * HOUR)
  await world.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
  await world.pass(MINUTE)
  expect(world.seen).toHaveLength(3)
  expect((await world.webhooks().listDeliveries(ACCOUNT, { status: 'delivered' })).data).toHaveLength(3)
  const { data } = await world.webhooks().listDeliveries(ACCOUNT, { status: 'failed', limit: 200 })
  expect(data).toHaveLength(200)
  expect(new Set(data.map((one) => `${one.final_reason} ${one.attempts} ${one.next_attempt_at}`))).toEqual(
    new Set(['expired 0 null']),
  )
})

test('the hourly pass closes what was held too long while the webhook stays paused', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  await world.happen()
  await world.idle()
  await world.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
  await world.happen()
  world.clock.suspend(73 * HOUR)
  await world.pass(HOUR + SECOND)
  expect(await statuses(world)).toEqual(['failed', 'delivered'])
  expect((await world.delivery(1)).final_reason).toBe('expired')
})

test('retries of a paused webhook keep their budget and become due together, spread, when it is resumed', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  world.answer({ status: 500 })
  await world.happenTimes(4)
  await world.pass(15 * MINUTE)
  expect((await world.delivery()).attempts).toBe(4)
  await world.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
  world.answer({})
  await world.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
  await world.pass(15 * SECOND)
  expect(await statuses(world)).toEqual(Array(4).fill('delivered'))
  expect((await world.delivery()).attempts).toBe(5)
})

test('a deleted webhook gets nothing more: waiting ones are removed, running ones ignored, ended ones stay', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  await world.happen()
  await world.idle()
  world.answer({ delayMs: 5_000 })
  await world.happenTimes(700)
  await world.pass(SECOND)
  await world.webhooks().remove(ACCOUNT, id)
  await world.pass(10 * SECOND)
  expect(world.seen.length).toBeLessThan(10)
  expect(await statuses(world)).toEqual(['delivered'])
  await expect(world.webhooks().get(ACCOUNT, id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(world.webhooks().remove(ACCOUNT, id)).rejects.toMatchObject({ code: 'not_found' })
  await world.happen()
  expect(await statuses(world)).toEqual(['delivered'])
  expect(world.hookRow(id)).toMatchObject({ secret_enc: Buffer.alloc(0), prev_secret_enc: null })
})

const WAITING = sized(100, 10_000)

test(`S-04 with ${WAITING} waiting and a receiver that hangs, the first five exhaust in time and deactivate the webhook`, async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  world.answer({ hang: true })
  await world.happenTimes(WAITING)
  for (let hours = 0; hours < 23 && world.hookRow(id)['state'] === 'active'; hours += 0.5)
    await world.pass(HOUR / 2, 10)
  expect(world.hookRow(id)).toMatchObject({ state: 'deactivated', disabled_reason: 'too_many_failures' })
  const { data } = await world.webhooks().listDeliveries(ACCOUNT, { status: 'exhausted' })
  expect(data.length).toBeGreaterThanOrEqual(5)
  const first = world.seen[0]?.atMs ?? 0
  expect((world.clock.now() - first) / HOUR).toBeLessThanOrEqual(22.5)
})
