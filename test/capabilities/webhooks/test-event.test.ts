import { describe, expect, test } from 'vitest'
import { TEST_INSTANCE_ID } from '../../../main/capabilities/webhooks/test-event.ts'
import { createEvents } from '../../../main/capabilities/events/index.ts'
import { EVENT_TYPES, eventEnvelope } from '../../../main/contract/events.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { signature } from '../../../main/capabilities/webhooks/signature.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ACCOUNT, codeOf, MINUTE, webhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

const shapes = new Ajv2020({ strict: false, formats: { uuid: true, 'date-time': true } })

const STRANGER = '0197f0c2-0000-7c51-9d2b-000000000002' as AccountId

describe('a test event', () => {
  test('reaches the webhook immediately, signed, as a delivery of its own that can be read', async () => {
    const w = await webhookWorld()
    const { id, secret } = await w.hook('shop')
    const { delivery_id } = await w.webhooks().test(ACCOUNT, id)
    await w.idle()

    expect(w.seen).toHaveLength(1)
    const [seen] = w.seen
    const { headers = {}, body = '' } = seen ?? {}
    const timestamp = Number(headers['X-Service-Timestamp'])
    expect(headers['X-Service-Signature']).toBe(signature(new Secret(secret), timestamp, Buffer.from(body)))
    const event = JSON.parse(body) as Record<string, unknown>
    expect(event).toMatchObject({
      type: 'message.received',
      attempt: 1,
      account_id: ACCOUNT,
      instance: { id: TEST_INSTANCE_ID, external_ref: null, metadata: null, engine: 'smv2' },
      data: { test: true, sequence: 0, occurred_at: new Date(w.clock.now()).toISOString() },
    })

    const delivery = await w.webhooks().getDelivery(ACCOUNT, delivery_id)
    expect(delivery).toMatchObject({
      ...{ id: delivery_id, webhook_id: id, event_id: event['event_id'], event_type: 'message.received' },
      ...{ instance_id: TEST_INSTANCE_ID, status: 'delivered', attempts: 1, payload: event },
    })
    const { data } = await w.webhooks().listDeliveries(ACCOUNT, { webhook_id: id })
    expect(data.map((each) => each.id)).toEqual([delivery_id])
  })

  test('reaches no other webhook, is not a recorded event, and is in no replay', async () => {
    const w = await webhookWorld()
    const [{ id }, other] = [await w.hook('shop'), await w.hook('other')]
    await w.webhooks().test(ACCOUNT, id)
    const since = new Date(w.clock.now() - MINUTE).toISOString()
    expect(await w.webhooks().replay(ACCOUNT, other.id, { since })).toEqual({ replayed: 0 })
    expect(await w.webhooks().replay(ACCOUNT, id, { since })).toEqual({ replayed: 0 })
    await w.pass(MINUTE)
    expect(w.seen.map(({ name }) => name)).toEqual(['shop'])
    const events = createEvents({ db: w.db(), clock: w.clock, cursors: createCursors(Buffer.alloc(32, 1)) })
    expect((await events.list(ACCOUNT, {})).data).toEqual([])
  })

  test.each(EVENT_TYPES)('has the format of the webhook’s type: %s', async (type) => {
    const w = await webhookWorld()
    const { id } = await w.hook('shop', { events: [type] })
    await w.webhooks().test(ACCOUNT, id)
    await w.idle()
    const event: unknown = JSON.parse(w.seen[0]?.body ?? 'null')
    const fits = shapes.compile(eventEnvelope(type))
    expect(fits(event), JSON.stringify(fits.errors)).toBe(true)
    expect(event).toMatchObject({ type, data: { test: true } })
  })

  test('has the most common type, if the webhook has several', async () => {
    const w = await webhookWorld()
    const both = await w.hook('both', { events: ['instance.created', 'message.received'] })
    const neither = await w.hook('neither', { events: ['message.read', 'instance.deleted'] })
    await w.webhooks().test(ACCOUNT, both.id)
    await w.webhooks().test(ACCOUNT, neither.id)
    await w.idle()
    const types = Object.fromEntries(
      w.seen.map(({ name, body }) => [name, (JSON.parse(body) as { type: string }).type]),
    )
    expect(types).toEqual({ both: 'message.received', neither: 'instance.deleted' })
  })

  test('is retried like any other', async () => {
    const w = await webhookWorld()
    const { id } = await w.hook('shop')
    w.answer((_seen, nth) => ({ status: nth === 1 ? 500 : 200 }))
    const { delivery_id } = await w.webhooks().test(ACCOUNT, id)
    await w.pass(MINUTE)
    expect(w.seen.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(new Set(w.seen.map(({ eventId }) => eventId)).size).toBe(1)
    expect(await w.webhooks().getDelivery(ACCOUNT, delivery_id)).toMatchObject({ status: 'delivered', attempts: 2 })
  })
})

describe('a test is refused and nothing is written', () => {
  test('for a webhook that is unknown, deleted or of another account', async () => {
    const w = await webhookWorld()
    const { id } = await w.hook('shop')
    const gone = await w.hook('gone')
    await w.webhooks().remove(ACCOUNT, gone.id)
    expect(await codeOf(w.webhooks().test(STRANGER, id))).toBe('not_found')
    for (const unknown of [gone.id, 'whk_', "' OR 1=1 --", '']) {
      expect(await codeOf(w.webhooks().test(ACCOUNT, unknown))).toBe('not_found')
    }
    expect(w.database.raw.prepare('SELECT * FROM events').all()).toEqual([])
  })

  test('for one that is paused or was deactivated, and while nothing can be signed', async () => {
    const w = await webhookWorld()
    const { id } = await w.hook('shop', { active: false })
    expect(await codeOf(w.webhooks().test(ACCOUNT, id))).toBe('invalid_state')
    await w.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
    w.answer({ status: 410 })
    await w.webhooks().test(ACCOUNT, id)
    await w.idle()
    expect(await w.webhooks().get(ACCOUNT, id)).toMatchObject({ active: false, disabled_reason: 'gone' })
    expect(await codeOf(w.webhooks().test(ACCOUNT, id))).toBe('invalid_state')
    w.masterKey.value = null
    expect(await codeOf(w.webhooks().test(ACCOUNT, id))).toBe('sealed')
    expect(w.database.raw.prepare('SELECT * FROM deliveries').all()).toHaveLength(1)
  })
})
