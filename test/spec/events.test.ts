import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EVENT_DATA, eventEnvelope, type EventType } from '../../main/contract/events.ts'
import { isUuid } from '../../main/contract/request.ts'
import { world, type RecordedEvent, type World } from '../support/world.ts'
import { ENVELOPE_FIELDS, ENVELOPE_INSTANCE_FIELDS, EVENT_TYPES, RECEIVED_FIELDS } from './tables.ts'

const LINE = '12025550100'
const ANA = '12025550177'

interface Scene {
  readonly w: World
  /** Of the smv2 instance that is paired with LINE; it has a reference and metadata. */
  readonly id: string
}

/** What brings each type about, in the fewest steps; it may bring others about before. */
const BROUGHT_ABOUT: Record<EventType, { by: (scene: Scene) => Promise<unknown>; events: readonly EventType[] }> = {
  'instance.created': { by: ({ w }) => w.instance({ name: 'New' }), events: ['instance.created'] },
  'instance.updated': {
    by: ({ w, id }) => w.api('PATCH', `/v1/instances/${id}`, { name: 'Renamed' }),
    events: ['instance.updated'],
  },
  'instance.connecting': {
    by: async ({ w }) => w.api('GET', `/v1/instances/${(await w.instance()).id}/qr`),
    events: ['instance.created', 'instance.connecting', 'instance.qr.updated'],
  },
  'instance.qr.updated': {
    by: async ({ w }) => {
      const { id } = await w.instance()
      await w.api('GET', `/v1/instances/${id}/qr`)
      await w.pass(61_000)
    },
    events: ['instance.created', 'instance.connecting', 'instance.qr.updated', 'instance.qr.updated'],
  },
  'instance.connected': {
    by: ({ w }) => w.pair('12025550111'),
    events: ['instance.created', 'instance.connecting', 'instance.qr.updated', 'instance.connected'],
  },
  'instance.disconnected': {
    by: ({ w, id }) => w.api('POST', `/v1/instances/${id}/disconnect`),
    events: ['instance.disconnected'],
  },
  'instance.auth_failed': {
    by: ({ w, id }) => w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'ban' }),
    events: ['instance.auth_failed'],
  },
  'instance.deleted': {
    by: ({ w, id }) => w.api('DELETE', `/v1/instances/${id}?confirm=true`),
    events: ['instance.deleted'],
  },
  'message.received': { by: (scene) => say(scene), events: ['message.received'] },
  'message.sent': { by: (scene) => sendTo(scene, '12025550007'), events: ['message.sent'] },
  'message.delivered': {
    by: async (scene) => {
      await scene.w.api('POST', '/v1/sandbox/phones', { number: ANA, receipts: 'delivered' })
      await sendTo(scene, ANA)
    },
    events: ['message.sent', 'message.delivered'],
  },
  'message.read': { by: (scene) => sendTo(scene, ANA), events: ['message.sent', 'message.delivered', 'message.read'] },
  'message.failed': { by: (scene) => sendTo(scene, '12025550404'), events: ['message.failed'] },
  'message.edited': {
    by: async (scene) => {
      const { id } = await say(scene)
      await scene.w.api('POST', `/v1/sandbox/phones/${ANA}/messages/${id}/edit`, { text: 'Good evening' })
    },
    events: ['message.received', 'message.edited'],
  },
  'message.deleted': {
    by: async (scene) => {
      const { id } = await say(scene)
      await scene.w.api('POST', `/v1/sandbox/phones/${ANA}/messages/${id}/delete`)
    },
    events: ['message.received', 'message.deleted'],
  },
  'message.reaction': {
    by: async (scene) => {
      const { id } = await say(scene)
      await scene.w.api('POST', `/v1/sandbox/phones/${ANA}/messages/${id}/react`, { emoji: '👍' })
    },
    events: ['message.received', 'message.reaction'],
  },
}

async function say({ w }: Scene): Promise<{ id: string }> {
  return (await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: LINE, text: 'Olá, 世界 👋' })).body
}
const sendTo = ({ w, id }: Scene, to: string) => w.api('POST', `/v1/instances/${id}/messages`, { to, text: 'Hello' })

/** The schema of the contract with no field beyond it. */
const shapes = new Ajv2020({ strict: false, formats: { uuid: isUuid, 'date-time': /^[\d-]{10}T[\d:]{8}\.\d{3}Z$/ } })
const common = ['occurred_at', 'sequence']

describe.each(EVENT_TYPES)('%s', (type) => {
  let w: World
  let scene: Scene
  let happened: RecordedEvent[]

  beforeAll(async () => {
    w = await world()
    const { id } = await w.pair(LINE, { external_ref: 'customer-42', metadata: { plan: 'gold' } })
    scene = { w, id }
    await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/all', events: ['*'] })
    await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/one', events: [type] })
    const mark = await w.mark()
    await BROUGHT_ABOUT[type].by(scene)
    happened = await w.eventsSince(mark)
  })
  afterAll(() => w.close())

  test('fires for its cause, with no other event', () => {
    expect(happened.map((event) => event.type)).toEqual(BROUGHT_ABOUT[type].events)
    expect(BROUGHT_ABOUT[type].events).toContain(type)
  })

  test('reaches a webhook for all types, and one for this type only', async () => {
    const all = (await w.caught('all')).map(({ body }) => JSON.parse(body) as RecordedEvent)
    expect(all.map(({ event_id }) => event_id).toSorted()).toEqual(happened.map(({ event_id }) => event_id).toSorted())
    for (const event of all) expect(event).toEqual(happened.find(({ event_id }) => event_id === event.event_id))
    const one = (await w.caught('one')).map(({ body }) => JSON.parse(body) as RecordedEvent)
    expect(one.length).toBeGreaterThan(0)
    expect(new Set(one.map((event) => event.type))).toEqual(new Set([type]))
  })

  test('has the envelope of the specification and exactly the data of the contract', async () => {
    const validate = shapes.compile(eventEnvelope(type))
    for (const { body } of await w.caught('one')) {
      const event = JSON.parse(body) as RecordedEvent
      expect(validate(event), JSON.stringify([validate.errors, event])).toBe(true)
      expect(Object.keys(event).toSorted()).toEqual(ENVELOPE_FIELDS.toSorted())
      expect(Object.keys(event.instance).toSorted()).toEqual(ENVELOPE_INSTANCE_FIELDS.toSorted())
      const known = [...Object.keys(EVENT_DATA[type].properties), ...common]
      expect(Object.keys(event.data).filter((field) => !known.includes(field))).toEqual([])
      expect(event).toMatchObject({ type, attempt: 1, account_id: w.account.id })
      expect(event.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(event.event_id).toMatch(/^evt_[0-9A-Z]{26}$/)
    }
  })

  test('contains external_ref and metadata of its instance', async () => {
    for (const { body } of await w.caught('one')) {
      const { instance } = JSON.parse(body) as RecordedEvent
      const expected = instance.id === scene.id ? ['customer-42', { plan: 'gold' }] : [null, null]
      expect([instance.external_ref, instance.metadata, instance.engine]).toEqual([...expected, 'smv2'])
    }
  })

  test('has a sequence that rises by one in its instance', async () => {
    const sequences = (await w.events())
      .filter(({ instance }) => instance.id === scene.id)
      .map(({ data }) => data['sequence'])
    expect(sequences).toEqual(sequences.map((_, i) => i + 1))
  })
})

describe('a message from a person', () => {
  let w: World
  beforeAll(async () => {
    w = await world()
    await w.pair(LINE)
  })
  afterAll(() => w.close())

  async function heard(body: object): Promise<RecordedEvent> {
    const mark = await w.mark()
    expect((await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: LINE, ...body })).status).toBe(201)
    const [event, ...more] = await w.eventsSince(mark)
    expect(more).toEqual([])
    return event!
  }

  test('has every field of the specification, with chat and sender as digits', async () => {
    const { data } = await heard({ text: 'Hello' })
    expect(Object.keys(data)).toEqual(expect.arrayContaining([...RECEIVED_FIELDS]))
    expect(data).toMatchObject({ chat: ANA, from: ANA, from_me: false, is_group: false, type: 'text', text: 'Hello' })
  })

  test('has the group as chat and the person as sender in a group', async () => {
    const { data } = await heard({ text: 'Hello all', group: '120363@g.us' })
    expect(data).toMatchObject({ chat: '120363@g.us', from: ANA, is_group: true, participant: ANA })
  })

  test.each(['image', 'audio', 'video', 'document'])(
    'describes a file of the kind %s without its content',
    async (kind) => {
      const { data } = await heard({ media_type: kind, caption: 'Look' })
      expect(data).toMatchObject({ type: kind, media: { size: expect.any(Number), caption: 'Look' } })
      expect(JSON.stringify(data)).not.toContain('base64')
    },
  )

  test('has the id of a hidden number as sender, to which replies arrive', async () => {
    const hidden = '900000012345678'
    const mark = await w.mark()
    await w.api('POST', `/v1/sandbox/phones/${hidden}/messages`, { to: LINE, text: 'Guess who' })
    const [event] = await w.eventsSince(mark)
    expect(event?.data).toMatchObject({ from: hidden, from_lid: hidden })
    const { data } = (await w.api('GET', '/v1/instances')).body
    await w.api('POST', `/v1/instances/${data[0].id}/messages`, { to: hidden, text: 'I know' })
    await w.quiet()
    const received = (await w.api('GET', `/v1/sandbox/phones/${hidden}/messages`)).body.data
    expect(received).toMatchObject([{ text: 'I know' }])
  })
})

test('no event contains a QR or pairing code', async () => {
  const w = await world()
  const { id } = await w.instance()
  const { qr, pairing_code } = (await w.api('GET', `/v1/instances/${id}/qr`)).body
  await w.quiet()
  const all = JSON.stringify(await w.events())
  expect(all).not.toContain(pairing_code)
  expect(all).not.toContain(qr.slice(0, 200))
  expect(all).not.toContain('SWITCHBOARD-SANDBOX')
  await w.close()
})

test('the official engine fires the same events, except those of a QR code', async () => {
  const w = await world()
  const { id } = await w.official(LINE)
  await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: LINE, text: 'Hi' })
  await w.quiet()
  await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, text: 'Hello' })
  await w.quiet()
  await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'logout' })
  await w.quiet()
  const events = await w.events()
  expect(events.map(({ type }) => type)).toEqual([
    'instance.created',
    'instance.connecting',
    'instance.connected',
    'message.received',
    'message.sent',
    'message.delivered',
    'message.read',
    'instance.auth_failed',
  ])
  expect(new Set(events.map(({ instance }) => instance.engine))).toEqual(new Set(['official']))
  await w.close()
})
