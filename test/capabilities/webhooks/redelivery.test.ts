import { expect, test } from 'vitest'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { ACCOUNT, codeOf, HOUR, MINUTE, SECOND, webhookWorld, type WebhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

async function retryTenfold(world: WebhookWorld, id: string) {
  const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(world.webhooks().redeliver(ACCOUNT, id))))
  await world.idle()
  return codes.toSorted()
}

test('S-07 ten callers at the same time, five times: five redeliveries of one event, and the schedule is unchanged', async () => {
  const world = await webhookWorld()
  await world.hook()
  world.answer({ status: 500 })
  await world.happen()
  await world.idle()
  const before = await world.delivery()
  for (let round = 1; round <= 5; round++) {
    const refused = round < 5 ? 'invalid_state' : 'retry_limit_reached'
    expect(await retryTenfold(world, before.id)).toEqual(['accepted', ...Array(9).fill(refused)])
  }
  expect(await retryTenfold(world, before.id)).toEqual(Array(10).fill('retry_limit_reached'))

  expect(world.seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
  expect(new Set(world.seen.map(({ eventId }) => eventId)).size).toBe(1)
  const after = await world.delivery()
  expect(after).toMatchObject({
    status: 'failed',
    manual_retries: 5,
    attempts: 6,
    next_attempt_at: before.next_attempt_at,
  })
  expect(after.attempt_log.map(({ trigger, counted }) => `${trigger} ${counted}`)).toEqual([
    'schedule true',
    ...Array(5).fill('manual false'),
  ])
  await world.pass(23 * HOUR)
  expect(await world.delivery()).toMatchObject({ status: 'exhausted', attempts: 13 })
})

test('the answer is the delivery, its new attempt already counted', async () => {
  const world = await webhookWorld()
  await world.hook()
  await world.happen()
  await world.idle()
  const { id } = await world.delivery()
  expect(await world.webhooks().redeliver(ACCOUNT, id)).toMatchObject({
    id,
    status: 'delivered',
    attempts: 2,
    manual_retries: 1,
  })
})

test('a success by hand delivers an exhausted delivery and clears the failures in a row', async () => {
  const world = await webhookWorld()
  const { id: hook } = await world.hook()
  world.answer({ status: 500 })
  await world.happen()
  await world.pass(23 * HOUR)
  expect(world.hookRow(hook)['consecutive_exhausted']).toBe(1)
  world.answer({})
  const { id } = await world.delivery()
  await world.webhooks().redeliver(ACCOUNT, id)
  await world.idle()
  expect(await world.delivery()).toMatchObject({ status: 'delivered', attempts: 9, next_attempt_at: null })
  expect(world.hookRow(hook)['consecutive_exhausted']).toBe(0)
})

test('a delivered one stays delivered when a redelivery fails', async () => {
  const world = await webhookWorld()
  await world.hook()
  await world.happen()
  await world.idle()
  const { id, delivered_at } = await world.delivery()
  world.answer({ status: 500 })
  await world.webhooks().redeliver(ACCOUNT, id)
  await world.idle()
  expect(await world.delivery()).toMatchObject({
    status: 'delivered',
    delivered_at,
    attempts: 2,
    last_status_code: 500,
  })
})

test('S-03 410 to a manual attempt deactivates the webhook, and closes the delivery only if it was open', async () => {
  const world = await webhookWorld()
  const { id: hook } = await world.hook()
  await world.happen()
  await world.idle()
  world.answer({ status: 500 })
  await world.happen()
  await world.idle()
  world.answer({ status: 410 })
  await world.webhooks().redeliver(ACCOUNT, (await world.delivery(1)).id)
  await world.idle()
  expect(await world.delivery(1)).toMatchObject({ status: 'failed', final_reason: 'gone', next_attempt_at: null })
  expect(await world.webhooks().get(ACCOUNT, hook)).toMatchObject({ active: false, disabled_reason: 'gone' })
  const closed = (await world.delivery(1)).attempt_log
  expect(closed.map(({ counted }) => counted)).toEqual([true, false])

  await world.webhooks().update(ACCOUNT, hook, { active: true }, keepsAccess)
  await world.webhooks().redeliver(ACCOUNT, (await world.delivery(0)).id)
  await world.idle()
  expect(await world.delivery(0)).toMatchObject({ status: 'delivered', final_reason: null })
  expect(await world.webhooks().get(ACCOUNT, hook)).toMatchObject({ disabled_reason: 'gone' })
})

test('a delivery closed by hand before any failure counted is pending again after the reactivation', async () => {
  const world = await webhookWorld()
  const { id: hook } = await world.hook()
  world.answer({ hang: true })
  await world.happen()
  await world.idle()
  await world.crash()
  world.answer({ status: 410 })
  await world.webhooks().redeliver(ACCOUNT, (await world.delivery()).id)
  world.webhooks().start()
  await world.idle()
  expect(await world.delivery()).toMatchObject({ status: 'failed', final_reason: 'gone', attempts: 2 })
  world.answer({ status: 500 })
  await world.webhooks().update(ACCOUNT, hook, { active: true }, keepsAccess)
  expect(await world.delivery()).toMatchObject({ status: 'pending', final_reason: null, attempts: 2 })
  await world.pass(2 * SECOND)
  expect(await world.delivery()).toMatchObject({ status: 'failed', attempts: 3 })
})

test('a redelivery is refused while the webhook is not active, while an attempt runs, and for other accounts’ deliveries', async () => {
  const world = await webhookWorld()
  const { id: hook } = await world.hook()
  world.answer({ delayMs: 5 * SECOND })
  await world.happen()
  await world.pass(SECOND)
  const { id } = await world.delivery()
  const retry = (account = ACCOUNT, delivery = id) => codeOf(world.webhooks().redeliver(account, delivery))
  expect(await retry()).toBe('invalid_state')
  await world.pass(10 * SECOND)
  expect(await retry('0197f0c2-0000-7c51-9d2b-000000000002' as AccountId)).toBe('not_found')
  expect(await retry(ACCOUNT, 'dlv_00000000000000000000000000')).toBe('not_found')
  await world.webhooks().update(ACCOUNT, hook, { active: false }, keepsAccess)
  expect(await retry()).toBe('invalid_state')
  await world.webhooks().remove(ACCOUNT, hook)
  expect(await retry()).toBe('invalid_state')
  expect(world.seen).toHaveLength(1)
})

test('the refusal says what to do: a paused webhook can be resumed, a deleted one cannot', async () => {
  const world = await webhookWorld()
  const { id: hook } = await world.hook()
  await world.happen()
  await world.idle()
  const { id } = await world.delivery()
  const retry = () => world.webhooks().redeliver(ACCOUNT, id)
  await world.webhooks().update(ACCOUNT, hook, { active: false }, keepsAccess)
  await expect(retry()).rejects.toThrow(/not active\. Activate it first/)
  await world.webhooks().remove(ACCOUNT, hook)
  await expect(retry()).rejects.toThrow(/was deleted\. Replay the event to another webhook/)
})

test('with every slot in use a redelivery waits for the first free one, before all scheduled attempts', async () => {
  const world = await webhookWorld()
  await world.hook('shop', { max_in_flight: 1 })
  const first = await world.happen()
  await world.idle()
  const { id } = await world.delivery()
  world.answer({ delayMs: 4 * SECOND })
  await world.happenTimes(5)
  await world.pass(SECOND)
  await world.webhooks().redeliver(ACCOUNT, id)
  await world.pass(SECOND)
  expect(world.seen).toHaveLength(2)
  await world.pass(3 * SECOND)
  expect(world.seen[2]).toMatchObject({ eventId: first, attempt: 2 })
  await world.pass(MINUTE)
  expect(world.peak.get('shop')).toBe(1)
})

test('an unsent redelivery is dropped when its webhook is deleted', async () => {
  const world = await webhookWorld()
  const { id: hook } = await world.hook('shop', { max_in_flight: 1 })
  await world.happen()
  await world.idle()
  const { id } = await world.delivery()
  world.answer({ delayMs: 4 * SECOND })
  await world.happen()
  await world.pass(SECOND)
  await world.webhooks().redeliver(ACCOUNT, id)
  await world.webhooks().remove(ACCOUNT, hook)
  await world.pass(MINUTE)
  expect(world.seen).toHaveLength(2)
  expect(await world.webhooks().getDelivery(ACCOUNT, id)).toMatchObject({
    status: 'delivered',
    attempt_log: [{ outcome: 'success' }, { outcome: 'interrupted', trigger: 'manual' }],
  })
})
