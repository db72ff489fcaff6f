import { expect, test } from 'vitest'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { ACCOUNT, HOUR, INSTANCE, MINUTE, SECOND, webhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

test('an event is delivered once to each webhook that wants its type, and to no other', async () => {
  const world = await webhookWorld()
  await world.hook('all')
  await world.hook('received', { events: ['message.received', 'message.failed'] })
  await world.hook('deleted', { events: ['instance.deleted'] })
  await world.hook('other-account', {}, '0197f0c2-0000-7c51-9d2b-000000000002' as AccountId)
  const eventId = await world.happen({ type: 'message.received' })
  await world.idle()
  expect(world.seen.map(({ name }) => name).toSorted()).toEqual(['all', 'received'])
  expect(world.seen).toMatchObject([
    { eventId, attempt: 1 },
    { eventId, attempt: 1 },
  ])
  expect((await world.webhooks().listDeliveries(ACCOUNT, {})).data).toMatchObject([
    { event_id: eventId, event_type: 'message.received', instance_id: INSTANCE, status: 'delivered', attempts: 1 },
    { status: 'delivered', last_status_code: 200, next_attempt_at: null, final_reason: null, manual_retries: 0 },
  ])
})

test('the request carries the headers of the spec and of Standard Webhooks', async () => {
  const world = await webhookWorld()
  await world.hook()
  const eventId = await world.happen()
  await world.idle()
  const { headers } = world.seen[0] ?? {}
  expect(headers).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': 'Switchboard-Webhooks/1',
    'X-Service-Event-Id': eventId,
    'X-Service-Timestamp': String(world.clock.now() / 1_000),
    'X-Service-Attempt': '1',
    'X-Service-Signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    'webhook-id': eventId,
    'webhook-timestamp': String(world.clock.now() / 1_000),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  })
})

test('C-09 eight attempts differ in the attempt digits only, and each is signed for its own time', async () => {
  const world = await webhookWorld()
  await world.hook()
  world.answer({ status: 500 })
  await world.happen({ data: { text: 'Grüße, 世界 "1"', attempt: 1 } })
  await world.pass(23 * HOUR)
  expect(world.seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  const masked = world.seen.map(({ body, attempt }) =>
    body.replace(`"attempt":${attempt},"created_at"`, '"attempt":_,"created_at"'),
  )
  expect(new Set(masked).size).toBe(1)
  expect(world.seen.map(({ headers }) => Number(headers['X-Service-Attempt']))).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(new Set(world.seen.map(({ headers }) => headers['X-Service-Timestamp'])).size).toBe(8)
  expect(new Set(world.seen.map(({ headers }) => headers['X-Service-Signature'])).size).toBe(8)
  expect(new Set(world.seen.map(({ headers }) => headers['X-Service-Event-Id'])).size).toBe(1)
})

test('a delivery is rolled back with the unit that recorded its event', async () => {
  const world = await webhookWorld()
  await world.hook()
  const accident = world.happenThenThrow()
  await expect(accident).rejects.toThrow('an accident')
  await world.idle()
  expect(world.seen).toEqual([])
  expect(await world.webhooks().listDeliveries(ACCOUNT, {})).toEqual({ data: [], next_cursor: null, has_more: false })
})

test('the detail shows the payload as sent and every attempt', async () => {
  const world = await webhookWorld()
  await world.hook()
  world.answer((_, nth) => (nth === 1 ? { status: 500, body: 'oh no: ü' } : {}))
  const eventId = await world.happen()
  await world.pass(20 * SECOND)
  const delivery = await world.delivery()
  expect(delivery).toMatchObject({
    status: 'delivered',
    attempts: 2,
    delivered_at: delivery.updated_at,
    payload: {
      event_id: eventId,
      type: 'message.received',
      attempt: 2,
      account_id: ACCOUNT,
      instance: { id: INSTANCE },
    },
    attempt_log: [
      {
        attempt: 1,
        trigger: 'schedule',
        status_code: 500,
        outcome: 'http_error',
        counted: true,
        response_excerpt: 'oh no: ü',
      },
      { attempt: 2, trigger: 'schedule', status_code: 200, outcome: 'success', counted: false, response_excerpt: null },
    ],
  })
  expect(JSON.parse(world.seen[1]?.body ?? '')).toEqual(delivery.payload)
})

test('H-08 no answer within ten seconds is a timeout', async () => {
  const world = await webhookWorld()
  await world.hook()
  world.answer({ hang: true })
  await world.happen()
  await world.pass(9 * SECOND)
  expect((await world.delivery()).status).toBe('pending')
  await world.pass(2 * SECOND)
  const delivery = await world.delivery()
  expect(delivery).toMatchObject({
    status: 'failed',
    last_status_code: null,
    last_error: 'catcher.sandbox did not answer within 10 s.',
    attempt_log: [{ outcome: 'timeout', duration_ms: 10_000, counted: true }],
  })
  expect(Date.parse(delivery.next_attempt_at ?? '') - Date.parse(delivery.updated_at)).toBe(MINUTE)
})

test('a long or binary answer is kept as at most 4 KiB of text', async () => {
  const world = await webhookWorld()
  await world.hook()
  world.answer((_, nth) => ({ status: 500, body: nth === 1 ? 'é'.repeat(9_000) : '\0\x01\ud800'.repeat(3_000) }))
  await world.happenTimes(2)
  await world.idle()
  for (const index of [0, 1]) {
    const excerpt = (await world.delivery(index)).attempt_log[0]?.response_excerpt ?? ''
    expect(Buffer.byteLength(excerpt)).toBeGreaterThan(4_000)
    expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(4_096)
    expect(excerpt).not.toContain('\0')
  }
})

test('D-07 while the vault is sealed events are recorded, nothing is sent, and no attempt is used up', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  await world.crash()
  const key = world.masterKey.value
  world.masterKey.value = null
  world.webhooks().start()
  await world.happenTimes(3)
  await world.pass(10 * MINUTE)
  expect(world.seen).toEqual([])
  expect(await world.delivery()).toMatchObject({ status: 'pending', attempts: 0, attempt_log: [] })
  await expect(world.hook('second')).rejects.toMatchObject({ code: 'sealed' })
  await expect(world.webhooks().rotate(ACCOUNT, id, 0)).rejects.toMatchObject({ code: 'sealed' })
  await expect(world.webhooks().redeliver(ACCOUNT, (await world.delivery()).id)).rejects.toMatchObject({
    code: 'sealed',
  })
  expect(await world.webhooks().get(ACCOUNT, id)).toMatchObject({ active: true })

  world.masterKey.value = key
  await world.pass(2 * SECOND)
  expect(world.seen.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
})

test('gauges count waiting and failing deliveries of one instance', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  world.answer({ status: 500 })
  await world.happenTimes(2)
  await world.idle()
  await world.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
  await world.happenTimes(3)
  expect(await world.webhooks().gauges(INSTANCE)).toEqual({ pending: 3, failing: 2 })
  expect(await world.webhooks().gauges('0197f0c2-6a3e-7c51-9d2b-000000000000')).toEqual({ pending: 0, failing: 0 })
})
