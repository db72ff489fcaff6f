import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventType } from '../../main/contract/events.ts'
import { MESSAGE_STATUSES, type MessageStatus } from '../../main/contract/shapes.ts'
import { sql } from '../../main/kernel/sql.ts'
import { world, worldOfTest, type World } from '../support/world.ts'
import { MESSAGE_TRANSITIONS } from './tables.ts'

const ANA = '12025550177'
const LINE = '12025550100'

/** What a network may say of a message, by the trigger of the table it is. */
const REPORTS = {
  'engine confirms send': 'sent',
  'delivery confirmed': 'delivered',
  'read confirmed': 'read',
  failure: 'failed',
} as const
type Report = (typeof REPORTS)[keyof typeof REPORTS]

const PATHS: Record<MessageStatus, readonly Report[]> = {
  queued: [],
  sent: ['sent'],
  delivered: ['sent', 'delivered'],
  read: ['sent', 'delivered', 'read'],
  failed: ['failed'],
}

/** The way from one status to what is reported, by the rows of the table alone. */
function stepsOf(from: MessageStatus, report: Report): { to: MessageStatus; event: EventType }[] {
  const rows = MESSAGE_TRANSITIONS.filter(([before]) => before === from)
  for (const [, , to, event] of rows) if (to === report) return [{ to, event: event }]
  // A report that skips a status crosses what lies between; only failure is a dead end.
  for (const [, , to, event] of rows) {
    if (to === 'failed' || to === 'queued') continue
    const rest = stepsOf(to, report)
    if (rest.length > 0) return [{ to, event: event }, ...rest]
  }
  return []
}

describe('the status of a message', () => {
  let w: World
  let id: string
  let bell: string

  beforeAll(async () => {
    // Nothing moves by itself: the network says what the test makes it say.
    w = await world({ settings: { sandboxTimelineMs: [0, 600_000, 600_000, 600_000] } })
    id = (await w.pair(LINE)).id
    bell = (await w.pair('12025550101')).id
  })
  afterAll(() => w.close())

  async function send(): Promise<string> {
    const { status, body } = await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, text: 'Hello' })
    expect(status).toBe(201)
    return body.message_id
  }
  const record = async (messageId: string) => (await w.api('GET', `/v1/instances/${id}/messages/${messageId}`)).body

  /** The network speaks of a message: what it says lies where the sandbox keeps what is still to be told. */
  async function report(messageId: string, what: Report): Promise<void> {
    const atMs = w.clock.now()
    const error = { code: 'engine_rejected', message: 'The network gave up.', provider_code: 479 }
    const signal =
      what === 'failed'
        ? { kind: 'failed', messageId, error, atMs }
        : { kind: 'receipt', messageId, status: what, atMs }
    await w.service.db.commit(async (tx) => {
      const seq = await tx.next('sandbox')
      await tx.run(tell, { seq, id, lane: `test ${seq}`, atMs, signal: JSON.stringify(signal) })
    })
    // Whoever rings the bell makes the network look what is due.
    await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: '12025550101', text: 'ding' })
    await w.quiet()
  }

  const about = async (mark: number) => (await w.eventsSince(mark)).filter(({ instance }) => instance.id !== bell)

  test('is queued once the send is accepted, without an event', async () => {
    const mark = await w.mark()
    expect(await record(await send())).toMatchObject({
      status: 'queued',
      sent_at: null,
      history: [{ status: 'queued' }],
    })
    expect(await about(mark)).toEqual([])
  })

  const pairs = MESSAGE_STATUSES.flatMap((from) => Object.values(REPORTS).map((what) => [from, what] as const))

  test('is tried with four reports for each of five statuses; the table allows nine', () => {
    expect(pairs.length).toBe(20)
    expect(pairs.filter(([from, what]) => stepsOf(from, what).length > 0).length).toBe(9)
  })

  test.each(pairs)('%s: a report of %s follows the table, with one event per status crossed', async (from, what) => {
    const messageId = await send()
    for (const step of PATHS[from]) await report(messageId, step)
    const before = await record(messageId)
    expect(before.status).toBe(from)

    const mark = await w.mark()
    await report(messageId, what)
    const steps = stepsOf(from, what)
    const events = await about(mark)
    expect(events.map(({ type }) => type)).toEqual(steps.map(({ event }) => event))
    for (const [i, { data }] of events.entries()) {
      expect(data).toMatchObject({
        message_id: messageId,
        to: ANA,
        status: steps[i]?.to,
        source: 'api',
        campaign_id: null,
      })
    }
    const after = await record(messageId)
    if (steps.length === 0) expect(after).toEqual(before)
    else {
      expect(after.status).toBe(steps.at(-1)?.to)
      expect(after.history.slice(before.history.length).map(({ status }: { status: string }) => status)).toEqual(
        steps.map(({ to }) => to),
      )
      expect(after.error).toEqual(what === 'failed' ? expect.objectContaining({ code: 'engine_rejected' }) : null)
    }
  })
})

const tell = sql<{ seq: number; id: string; lane: string; atMs: number; signal: string }>(
  `INSERT INTO sandbox_timeline (seq, instance_id, lane, step, due_at, held, phone, offset_ms, signal)
   VALUES (:seq, :id, :lane, 1, :atMs, 0, NULL, 0, :signal)`,
)

test('stays queued after a 504 and changes once the message is found to be sent', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair(LINE)
  const mark = await w.mark()
  const headers = { 'idempotency-key': 'order-7' }
  const body = { to: '12025550504', text: 'Hello' }
  const sending = w.api('POST', `/v1/instances/${id}/messages`, body, { headers })
  await w.pass(20_000)
  expect((await sending).body.error.code).toBe('upstream_timeout')
  const byKey = () => w.api('GET', `/v1/instances/${id}/messages?idempotency_key=order-7`)
  expect((await byKey()).body.status).toBe('queued')
  expect(await w.typesSince(mark)).toEqual([])

  await w.pass(6_000)
  expect((await byKey()).body.status).toBe('delivered')
  expect(await w.typesSince(mark)).toEqual(['message.sent', 'message.delivered'])
  const replay = await w.api('POST', `/v1/instances/${id}/messages`, body, { headers })
  expect([replay.status, replay.headers['idempotent-replayed']]).toEqual([201, 'true'])
  expect(replay.body.message_id).toBe((await byKey()).body.message_id)
  expect((await w.api('GET', '/v1/sandbox/phones/12025550504/messages')).body.data.length).toBe(1)
})

test.each(['12025550047', '12025550610'])(
  'free text that official accepts and does not deliver (%s) is 201, then failed with outside_window',
  async (to) => {
    const w = await worldOfTest()
    const { id } = await w.official()
    const mark = await w.mark()
    const { status, body } = await w.api('POST', `/v1/instances/${id}/messages`, { to, text: 'Hello' })
    expect([status, body]).toEqual([
      201,
      { engine: 'official', sent: true, message_id: expect.stringMatching(/^msg_/) },
    ])
    await w.quiet()
    const [event, ...more] = await w.eventsSince(mark)
    expect(more).toEqual([])
    expect(event).toMatchObject({
      type: 'message.failed',
      data: { status: 'failed', error: { code: 'outside_window', provider_code: 131_047 } },
    })
    const record = (await w.api('GET', `/v1/instances/${id}/messages/${body.message_id}`)).body
    expect(record).toMatchObject({ status: 'failed', sent_at: null, delivered_at: null })
    expect((await w.api('GET', `/v1/sandbox/phones/${to}/messages`)).body.data).toEqual([])
  },
)

test.each([
  ['smv2', '12025550463', 'reachout_restricted', 463],
  ['smv2', '12025550404', 'not_on_whatsapp', null],
  ['official', '12025550404', 'undeliverable', 131_026],
])(
  'a message that %s refuses finally (%s) is 201 with sent false, failed with %s',
  async (engine, to, code, providerCode) => {
    const w = await worldOfTest()
    const { id } = engine === 'smv2' ? await w.pair() : await w.official()
    const mark = await w.mark()
    const { status, body } = await w.api('POST', `/v1/instances/${id}/messages`, { to, text: 'Hello' })
    expect([status, body]).toEqual([201, { engine, sent: false, message_id: expect.stringMatching(/^msg_/) }])
    const [event, ...more] = await w.eventsSince(mark)
    expect(more).toEqual([])
    expect(event).toMatchObject({
      type: 'message.failed',
      data: { status: 'failed', error: { code, provider_code: providerCode } },
    })
    const record = (await w.api('GET', `/v1/instances/${id}/messages/${body.message_id}`)).body
    expect(record).toMatchObject({ status: 'failed', sent_at: null, error: { code } })
    expect(record.history.map((entry: { status: string }) => entry.status)).toEqual(['queued', 'failed'])
  },
)

test('a message can fail after it was sent', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  const mark = await w.mark()
  const { body } = await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550410', text: 'Hello' })
  expect(body.sent).toBe(true)
  expect(await w.typesSince(mark)).toEqual(['message.sent', 'message.failed'])
})

describe('the activity of an account webhook', () => {
  let w: World
  let instance: { id: string }
  beforeAll(async () => {
    w = await world({ settings: { retryScheduleSeconds: [1, 1, 1, 1, 1, 1, 1] } })
    instance = await w.pair()
  })
  afterAll(() => w.close())

  const make = async (name: string) =>
    (await w.api('POST', '/v1/webhooks', { url: `https://catcher.sandbox/${name}`, events: ['message.sent'] })).body
  const happen = async () => {
    await w.api('POST', `/v1/instances/${instance.id}/messages`, { to: ANA, text: 'Hello' })
    await w.quiet()
  }
  const read = async (id: string) => (await w.api('GET', `/v1/webhooks/${id}`)).body
  const answerOf = (name: string, status: number) => w.api('PUT', `/v1/sandbox/catcher/${name}`, { status })

  test('PATCH with active false pauses it without a reason; held deliveries arrive on resume', async () => {
    const { id } = await make('paused')
    expect((await w.api('PATCH', `/v1/webhooks/${id}`, { active: false })).body).toMatchObject({
      active: false,
      disabled_reason: null,
    })
    await happen()
    expect(await w.caught('paused')).toEqual([])
    expect((await w.api('PATCH', `/v1/webhooks/${id}`, { active: true })).body).toMatchObject({
      active: true,
      disabled_reason: null,
    })
    expect((await w.caught('paused')).length).toBe(1)
    await w.api('DELETE', `/v1/webhooks/${id}`)
  })

  test('410 Gone deactivates it with the reason gone and ends all deliveries', async () => {
    const { id } = await make('gone')
    await answerOf('gone', 410)
    await happen()
    expect(await read(id)).toMatchObject({ active: false, disabled_reason: 'gone' })
    await happen()
    await w.pass(10_000)
    expect((await w.caught('gone')).length).toBe(1)
    await w.api('DELETE', `/v1/webhooks/${id}`)
  })

  test('the fifth exhausted delivery in a row deactivates it with too_many_failures', async () => {
    const { id } = await make('failing')
    await answerOf('failing', 500)
    for (let i = 1; i <= 5; i++) {
      await happen()
      await w.pass(15_000)
      const exhausted = (await w.api('GET', `/v1/webhooks/deliveries?webhook_id=${id}&status=exhausted`)).body.data
      expect(exhausted.length).toBe(i)
      expect(await read(id)).toMatchObject(
        i < 5 ? { active: true, disabled_reason: null } : { active: false, disabled_reason: 'too_many_failures' },
      )
    }
    expect((await w.caught('failing')).length).toBe(40)
    await w.api('DELETE', `/v1/webhooks/${id}`)
  })

  test('a success between the fourth and fifth failure keeps it active', async () => {
    const { id } = await make('shaky')
    const exhaust = async () => {
      await answerOf('shaky', 500)
      await happen()
      await w.pass(15_000)
    }
    for (let i = 0; i < 4; i++) await exhaust()
    await answerOf('shaky', 204)
    await happen()
    await exhaust()
    expect(await read(id)).toMatchObject({ active: true, disabled_reason: null })
    await w.api('DELETE', `/v1/webhooks/${id}`)
  })
})

describe('DELETE of an instance', () => {
  test('frees slot and external_ref, fires instance.deleted once, and is in the incremental list', async () => {
    const w = await worldOfTest({ settings: { slots: 1 } })
    const { id } = await w.pair(LINE, { external_ref: 'customer-42', metadata: { plan: 'gold' } })
    const since = new Date(w.clock.now() - 60_000).toISOString()
    const mark = await w.mark()
    expect((await w.api('DELETE', `/v1/instances/${id}?confirm=yes`)).body.error.code).toBe('confirmation_required')
    expect(await w.typesSince(mark)).toEqual([])
    expect((await w.api('GET', `/v1/instances/${id}`)).status).toBe(200)

    const first = await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
    expect(first.body).toEqual({ id, deleted: true, deleted_at: expect.any(String) })
    await w.pass(2_000)
    expect((await w.api('DELETE', `/v1/instances/${id}?confirm=true`)).text).toBe(first.text)
    expect(await w.typesSince(mark)).toEqual(['instance.deleted'])
    expect((await w.api('GET', `/v1/instances/${id}`)).status).toBe(404)
    const { data, deleted } = (await w.api('GET', `/v1/instances?updated_since=${since}`)).body
    expect(data).toEqual([])
    expect(deleted).toEqual([
      { id, external_ref: 'customer-42', metadata: { plan: 'gold' }, deleted_at: first.body.deleted_at },
    ])
    expect((await w.api('POST', '/v1/instances', { external_ref: 'customer-42' })).status).toBe(201)
  })
})

test('the life of an smv2 instance fires exactly these events', async () => {
  const w = await worldOfTest()
  const seen: EventType[][] = []
  const step = async (act: () => Promise<unknown>) => {
    const mark = await w.mark()
    await act()
    seen.push(await w.typesSince(mark))
  }
  const statuses: string[] = []
  let id = ''
  const at = (path: string) => `/v1/instances/${id}${path}`
  const look = async () => void statuses.push((await w.api('GET', at(''))).body.status)

  await step(async () => ((id = (await w.instance()).id), look()))
  await step(async () => (await w.api('GET', at('/qr')), await w.quiet(), look()))
  await step(async () => {
    const { qr } = (await w.api('GET', at('/qr'))).body
    await w.api('POST', `/v1/sandbox/phones/${LINE}/scan`, { qr })
    await w.quiet()
    await look()
  })
  await step(async () => (await w.api('POST', at('/disconnect')), await w.api('POST', at('/disconnect')), look()))
  await step(async () => (await w.api('POST', at('/restart')), await w.quiet(), look()))
  await step(async () => {
    await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'drop' })
    await w.pass(6_000)
    await look()
  })
  await step(async () => (await w.pass(5_000), look()))
  await step(async () => (await w.api('POST', at('/disconnect?confirm=true'), { logout: true }), look()))
  await step(async () => (await w.api('POST', at('/qr/refresh')), await w.quiet(), look()))
  // Five more codes of 20 seconds follow the first of 60, then the pairing is over.
  await step(async () => (await w.pass(165_000), look()))
  await step(async () => w.api('DELETE', at('?confirm=true')))

  // oxfmt-ignore
  expect(statuses).toEqual([
    'created', 'qr', 'connected', 'disconnected', 'connected', 'disconnected', 'connected', 'disconnected', 'qr',
    'disconnected',
  ])
  expect(seen).toEqual([
    ['instance.created'],
    ['instance.connecting', 'instance.qr.updated'],
    ['instance.connected'],
    ['instance.disconnected'],
    ['instance.connecting', 'instance.connected'],
    ['instance.disconnected'],
    ['instance.connected'],
    ['instance.disconnected'],
    ['instance.connecting', 'instance.qr.updated'],
    [...Array<EventType>(5).fill('instance.qr.updated'), 'instance.disconnected'],
    ['instance.deleted'],
  ])
})
