import type { LineEvent } from '../../../main/contract/line-events.ts'
import { describe, expect, test } from 'vitest'
import { CALLS_PER_INSTANCE } from '../../../main/capabilities/instance-webhook/call-slots.ts'
import { hookWorld, MINUTE, SECOND } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

const URL = 'https://catcher.sandbox/line'

describe('the body of an instance webhook', () => {
  test('contains the event of an account webhook under its older name, unsigned', async () => {
    const w = await hookWorld()
    const instance = await w.instance('smv2', 'Berlin shop')
    await w.room.set(instance, { url: URL }, keepsAccess)
    await w.received(instance, 'Grüße, 世界')
    await w.quiet()

    const { instance_name } = await w.instances.get(instance.id)
    const [row] = w.data.raw.prepare("SELECT event_id FROM events WHERE type = 'message.received'").all() as object[]
    expect(w.seen.map(({ body }) => body)).toEqual([
      {
        event: 'MESSAGE',
        instanceId: instance.id,
        instanceName: instance_name,
        data: {
          ...{ ...row, event_type: 'message.received' },
          ...{ message_id: 'msg_1', chat: '12025550123', from: '12025550123', from_me: false, is_group: false },
          chat_type: 'person',
          ...{ type: 'text', text: 'Grüße, 世界', timestamp: '2026-01-05T12:00:00.000Z', push_name: null, media: null },
          ...{ quoted_message_id: null, participant: null, referral: null, content: null, view_once: false },
          ...{ forwarded: false, frequently_forwarded: false },
          ...{ occurred_at: '2026-01-05T12:00:00.000Z', sequence: 4 },
        },
      },
    ])
    expect(Object.keys(w.seen[0]?.headers ?? {}).map((name) => name.toLowerCase())).toEqual([
      'content-type',
      'user-agent',
    ])
    expect(w.waiting()).toBe(0)
  })

  test('reports a new QR code without the code itself', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL, events: ['QRCODE'] }, keepsAccess)
    await w.qr(instance)
    await w.received(instance)
    await w.quiet()
    expect(w.names()).toEqual(['QRCODE'])
    expect(Object.keys(w.seen[0]?.body.data ?? {}).sort()).toEqual(
      ['attempt', 'event_id', 'event_type', 'expires_at', 'occurred_at', 'sequence'], // oxfmt-ignore
    )
  })

  test('is sent on smv2 for the selected names only, and on the official engine and with ALL for every event', async () => {
    const w = await hookWorld()
    const [some, all, official, none] = [
      await w.instance(),
      await w.instance(),
      await w.instance('official'),
      await w.instance(),
    ]
    await w.room.set(some, { url: `${URL}/some`, events: ['CONNECTION', 'CALL'] }, keepsAccess)
    await w.room.set(all, { url: `${URL}/all`, events: ['ALL'] }, keepsAccess)
    await w.room.set(official, { url: `${URL}/official`, events: ['CONNECTION'] }, keepsAccess)
    for (const instance of [some, all, official, none]) {
      await w.received(instance)
      await w.qr(instance)
      await w.instances.update(instance.id, { name: 'Another name' })
    }
    await w.quiet()
    expect(w.names('line/some')).toEqual(['CONNECTION'])
    expect(w.names('line/all')).toEqual(['MESSAGE', 'QRCODE', 'CONNECTION'])
    expect(w.names('line/official')).toEqual(['MESSAGE', 'QRCODE', 'CONNECTION'])
    expect(w.seen).toHaveLength(7)
  })
})

test('events about calls, groups, presence and contacts are sent only to instance webhooks that selected them', async () => {
  const w = await hookWorld()
  const [some, all, none] = [await w.instance(), await w.instance(), await w.instance()]
  await w.room.set(some, { url: `${URL}/some`, events: ['CALL', 'CONTACT'] }, keepsAccess)
  await w.room.set(all, { url: `${URL}/all`, events: ['ALL'] }, keepsAccess)
  await w.room.set(none, { url: `${URL}/none` }, keepsAccess)
  const timestamp = '2026-01-05T12:00:00.000Z'
  const call = { call_id: 'C', from: '12025550123', timestamp, video: false, group_id: null }
  const events: readonly LineEvent[] = [
    { type: 'call.offered', data: call },
    { type: 'presence.updated', data: { chat: '1', from: '1', state: 'composing', last_seen_at: null } },
    { type: 'group.updated', data: { group_id: 'g', by: null, changes: { subject: 'Garden' } } },
    { type: 'contact.updated', data: { number: '12025550123', name: 'Ana' } },
  ]
  for (const { id } of [some, all, none]) for (const event of events) await w.room.onLineEvent(id, event)
  await w.quiet()
  expect(w.names('line/some')).toEqual(['CALL', 'CONTACT'])
  expect(w.names('line/all')).toEqual(['CALL', 'PRESENCE', 'GROUP', 'CONTACT'])
  expect(w.names('line/none')).toEqual([])
  expect(w.seen[0]?.body).toMatchObject({
    event: 'CALL',
    instanceId: some.id,
    data: { event_type: 'call.offered', ...call },
  })
  // Nothing is kept of what nobody asked for, and no list of events shows the rest.
  const stored = w.data.raw.prepare(`SELECT only_for FROM events WHERE type GLOB '[cgp]*.*'`).all()
  expect(stored).toEqual(Array(6).fill({ only_for: 0 }))
})

describe('delivery attempts', () => {
  test.each([500, 301, 404, 410, 199])(
    'are made three times to a receiver that answers %i: immediately, after 10 seconds and after 60 more',
    async (status) => {
      const w = await hookWorld()
      const instance = await w.instance()
      await w.room.set(instance, { url: URL }, keepsAccess)
      w.answer({ status })
      const begin = w.clock.now()
      await w.received(instance)
      await w.pass(10 * MINUTE)
      expect(w.seen.map(({ atMs }) => (atMs - begin) / SECOND)).toEqual([0, 10, 70])
      expect(new Set(w.seen.map(({ text }) => text)).size).toBe(1)
      expect(w.waiting()).toBe(0)
      // It is never deactivated: the next event is tried again.
      w.answer({ status: 204 })
      await w.received(instance)
      await w.quiet()
      expect(w.seen).toHaveLength(4)
    },
  )

  test('time out after ten seconds, and a hanging receiver does not delay other instances', async () => {
    const w = await hookWorld()
    const [slow, quick] = [await w.instance(), await w.instance()]
    await w.room.set(slow, { url: `${URL}/slow` }, keepsAccess)
    await w.room.set(quick, { url: `${URL}/quick` }, keepsAccess)
    w.answer(({ receiver }) => ({ hang: receiver === 'line/slow' }))
    for (let i = 0; i < 80; i++) await w.received(slow)
    for (let i = 0; i < 5; i++) await w.received(quick)
    await w.quiet()
    expect(w.names('line/quick')).toHaveLength(5)
    expect(w.names('line/slow')).toHaveLength(CALLS_PER_INSTANCE)
    await w.pass(10 * SECOND)
    expect(w.names('line/slow').length).toBeGreaterThan(CALLS_PER_INSTANCE)
    expect(w.peak.get('line/slow')).toBeLessThanOrEqual(2 * CALLS_PER_INSTANCE)
  })

  test('that fail are shown in the overview until the last attempt', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    const lines = () => w.room.attention({ accountId: instance.accountId, role: null, network: null })
    await w.room.set(instance, { url: URL }, keepsAccess)
    w.answer({ status: 500 })
    for (let at = 0; at < 2; at++) await w.received(instance)
    await w.pass(5 * SECOND)
    expect(await lines()).toMatchObject([
      { code: 'failing', severity: 'warning', count: 1, ids: [instance.id], facts: { count: 2 } },
    ])
    await w.pass(10 * MINUTE)
    expect(await lines()).toEqual([])
  })

  test('end after the first success', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    let calls = 0
    w.answer(() => ({ status: ++calls === 1 ? 503 : 200 }))
    await w.received(instance)
    await w.pass(5 * MINUTE)
    expect(w.seen).toHaveLength(2)
    expect(w.waiting()).toBe(0)
  })

  test('use the URL that is set at that time, and end when the webhook is deleted', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    w.answer({ status: 500 })
    await w.received(instance)
    await w.quiet()
    await w.room.set(instance, { url: `${URL}/new` }, keepsAccess)
    await w.pass(15 * SECOND)
    expect(w.seen.map(({ receiver }) => receiver)).toEqual(['line', 'line/new'])
    await w.room.remove(instance)
    expect(w.waiting()).toBe(0)
    await w.pass(5 * MINUTE)
    expect(w.seen).toHaveLength(2)
  })

  test('in a long queue are dropped when the webhook is deleted, and stay dropped when it is set again', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    w.answer({ hang: true })
    for (let i = 0; i < 1_200; i++) await w.received(instance)
    await w.room.remove(instance)
    expect(w.waiting()).toBe(0)
    w.answer({})
    await w.room.set(instance, { url: `${URL}/new` }, keepsAccess)
    await w.pass(2 * MINUTE)
    expect(w.names('line/new')).toEqual([])
  })

  test('are dropped if they could not be made within an hour', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    w.answer({ hang: true })
    for (let i = 0; i < 4_000; i++) await w.received(instance)
    await w.pass(62 * MINUTE)
    expect(w.waiting()).toBe(0)
    expect(w.seen.length).toBeLessThan(4_000)
  })

  test('are not delayed when the clock is set back', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    w.answer({ status: 500 })
    await w.received(instance)
    await w.quiet()
    w.clock.set(w.clock.now() - 24 * 60 * MINUTE)
    await w.pass(3 * MINUTE)
    expect(w.seen).toHaveLength(3)
    expect(w.waiting()).toBe(0)
  })
})

describe('an instance webhook and its event are committed together', () => {
  test('nothing is sent for an event that is rolled back', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    await w.data.db
      .commit(async (tx) => {
        await w.instances.announce(tx, instance.id, 'instance.qr.updated', {
          attempt: 1,
          expires_at: '2026-01-05T12:01:00.000Z',
        })
        await w.instances.announce(tx, instance.id, 'instance.deleted', {
          name: 'x',
          deleted_at: '2026-01-05T12:01:00.000Z',
        })
        throw new Error('an accident')
      })
      .catch(() => {})
    await w.pass(MINUTE)
    expect(w.seen).toEqual([])
    expect(await w.room.read(instance)).toMatchObject({ url: URL })
  })

  test('after a crash, delivery continues with the remaining attempts; the interrupted attempt counts', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    w.answer({ hang: true })
    await w.received(instance)
    await w.quiet()
    await w.crash()
    w.answer({ status: 500 })
    await w.pass(5 * MINUTE)
    expect(w.seen).toHaveLength(3)
    expect(w.waiting()).toBe(0)
  })

  test('an event is dropped after the process crashed during all three attempts', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    w.answer({ hang: true })
    await w.received(instance)
    for (let i = 0; i < 4; i++) {
      await w.pass(SECOND)
      await w.crash()
    }
    await w.pass(5 * MINUTE)
    expect(w.seen).toHaveLength(3)
    expect(w.waiting()).toBe(0)
  })

  test('an attempt that is interrupted by a normal stop does not count', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    w.answer({ hang: true })
    await w.received(instance)
    await w.quiet()
    await w.restart()
    w.answer({ status: 500 })
    await w.pass(5 * MINUTE)
    expect(w.seen).toHaveLength(4)
  })
})

describe('when an instance is deleted, its webhook', () => {
  test('gets instance.deleted as its last event, and then no longer exists', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    let status = 500
    w.answer(() => ({ status }))
    await w.received(instance)
    await w.quiet()
    await w.instances.remove(instance.id)
    await w.quiet()
    status = 200
    await w.pass(2 * MINUTE)
    expect(w.seen.map(({ body }) => body.data['event_type'])).toEqual(
      ['message.received', 'instance.deleted', 'message.received', 'instance.deleted'], // oxfmt-ignore
    )
    expect(w.waiting()).toBe(0)
    expect(w.data.raw.prepare('SELECT * FROM instance_webhooks').all()).toEqual([])
  })

  test('gets nothing if it did not select CONNECTION', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL, events: ['MESSAGE'] }, keepsAccess)
    await w.instances.remove(instance.id)
    await w.pass(2 * MINUTE)
    expect(w.seen).toEqual([])
    expect(w.data.raw.prepare('SELECT * FROM instance_webhooks').all()).toEqual([])
  })

  test('cannot be set again', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    w.answer({ status: 500 })
    await w.instances.remove(instance.id)
    await expect(w.room.set(instance, { url: `${URL}/late` }, keepsAccess)).rejects.toMatchObject({ code: 'not_found' })
  })
})
