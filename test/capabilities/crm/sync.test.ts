import { afterAll, beforeAll, expect, test } from 'vitest'
import { ghlWorld, until, type GhlWorld } from './ghl-world.ts'

const LINE = '12025556100'

let w: GhlWorld
let instance: any
beforeAll(async () => {
  w = await ghlWorld()
  instance = await w.connected(LINE)
})
afterAll(() => w.close())

const texts = async (phone: string) => (await w.thread(phone)).map(({ direction, text }) => [direction, text])
const send = (to: string, more: object) => w.must('POST', `/v1/instances/${instance.id}/messages`, { to, ...more })
const receivedBy = async (phone: string): Promise<any[]> =>
  (await w.must('GET', `/v1/sandbox/phones/${phone}/messages?limit=100`)).data.toReversed()
const write = async (phone: string, body: object) => {
  const { id } = await w.conversation(phone)
  return w.must('POST', `/v1/sandbox/ghl/conversations/${id}/messages`, body)
}
const statusOf = async (phone: string, id: string) => (await w.thread(phone)).find((message) => message.id === id)
const meet = async (phone: string) => {
  await w.say(phone, LINE, 'Hello')
  await until(async () => expect(await w.conversation(phone)).toBeDefined())
}

test('messages are synchronized in both directions, in order and with their status', async () => {
  await meet('12025556101')
  const { id } = await write('12025556101', { text: 'Hi there' })
  await until(async () => {
    expect(await texts('12025556101')).toEqual([
      ['inbound', 'Hello'],
      ['outbound', 'Hi there'],
    ])
    expect(await statusOf('12025556101', id)).toMatchObject({ status: 'read', source: 'app' })
  })
  expect((await receivedBy('12025556101')).map(({ text }) => text)).toEqual(['Hi there'])
  await until(async () => {
    const view = await w.ghl(instance.id)
    expect(view).toMatchObject({ last_error: null, waiting: { to_crm: 0, to_contacts: 0, failed: 0 } })
    expect(view.last_sync_at).not.toBeNull()
  })
})

test('messages from the API and the phone are copied to the CRM, and messages from the CRM are not copied back', async () => {
  await meet('12025556102')
  await send('12025556102', { text: 'By the API' })
  await until(async () =>
    expect(await texts('12025556102')).toEqual([
      ['inbound', 'Hello'],
      ['outbound', 'By the API'],
    ]),
  )
  await write('12025556102', { text: 'By the CRM' })
  await w.say(LINE, '12025556102', 'On the phone')
  await until(async () =>
    expect((await texts('12025556102')).toSorted()).toEqual(
      [
        ['inbound', 'Hello'],
        ['outbound', 'By the API'],
        ['outbound', 'By the CRM'],
        ['outbound', 'On the phone'],
      ].toSorted(),
    ),
  )
})

test('files are synchronized in both directions', async () => {
  await w.must('POST', '/v1/sandbox/phones/12025556103/messages', { to: LINE, media_type: 'image', caption: 'Look' })
  const [message] = await until(async () => {
    const found = await w.thread('12025556103')
    expect(found).toHaveLength(1)
    return found
  })
  expect(message.text).toBe('Look')
  expect(message.attachments[0]).toMatch(/^https:\/\/ghl\.sandbox\/files\//)
  const [stored] = await w.rows<{ mime: string; size: number }>(
    'SELECT mime_type AS mime, length(bytes) AS size FROM sandbox_ghl_files',
  )
  expect(stored?.mime).toBe('image/png')
  expect(stored?.size).toBeGreaterThan(50)
  await write('12025556103', {
    text: 'Mine',
    attachments: ['https://media.sandbox/image.png', 'https://media.sandbox/document.pdf'],
  })
  await until(async () =>
    expect((await receivedBy('12025556103')).map(({ type, media }) => [type, media.caption])).toEqual([
      ['image', 'Mine'],
      ['document', null],
    ]),
  )
})

test('a message whose attachment cannot be downloaded fails with the reason', async () => {
  await meet('12025556104')
  const { id } = await write('12025556104', { text: 'See', attachments: ['https://media.sandbox/missing'] })
  const failed = await until(async () => {
    const found = await statusOf('12025556104', id)
    expect(found?.status).toBe('failed')
    return found
  })
  expect(failed.error).toContain('The attachment')
  expect(await receivedBy('12025556104')).toEqual([])
  expect((await w.ghl(instance.id)).last_error.code).toBe('attachment_unavailable')
})

test('a message to a contact without a phone number fails with the reason', async () => {
  const { conversation_id } = await w.must('POST', '/v1/sandbox/ghl/contacts', { name: 'Nobody' })
  const { id } = await w.must('POST', `/v1/sandbox/ghl/conversations/${conversation_id}/messages`, { text: 'Hello?' })
  await until(async () => {
    const { data } = await w.must('GET', `/v1/sandbox/ghl/conversations/${conversation_id}/messages`)
    expect(data.find((one: any) => one.id === id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('no phone number'),
    })
  })
})

test('a Brazilian mobile number with and without its ninth digit is one contact', async () => {
  const { id } = await w.must('POST', '/v1/sandbox/ghl/contacts', { phone: '+551187654321', name: 'Old spelling' })
  await w.say('5511987654321', LINE, 'Oi')
  await until(async () => expect(await texts('551187654321')).toEqual([['inbound', 'Oi']]))
  const { data } = await w.must('GET', '/v1/sandbox/ghl/conversations?phone=5511987654321')
  expect(data).toEqual([])
  expect((await w.conversation('551187654321')).contact_id).toBe(id)
  await write('551187654321', { text: 'Tudo bem?' })
  await until(async () => expect((await receivedBy('5511987654321')).map(({ text }) => text)).toEqual(['Tudo bem?']))
})

test('DND in the CRM creates an opt-out, and turning DND off removes it', async () => {
  await meet('12025556105')
  const { contact_id } = await w.conversation('12025556105')
  await w.must('PATCH', `/v1/sandbox/ghl/contacts/${contact_id}`, { dnd: true })
  await until(async () => {
    const { data } = await w.must('GET', '/v1/opt-outs?phone=12025556105')
    expect(data).toMatchObject([{ source: 'crm', scope: 'account' }])
  })
  const { id } = await write('12025556105', { text: 'Sale!' })
  await until(async () =>
    expect(await statusOf('12025556105', id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('opted out'),
    }),
  )
  expect(await receivedBy('12025556105')).toEqual([])
  await w.say('12025556105', LINE, 'Where is my order?')
  await write('12025556105', { text: 'On its way.' })
  await until(async () => expect((await receivedBy('12025556105')).map(({ text }) => text)).toEqual(['On its way.']))
  await w.must('PATCH', `/v1/sandbox/ghl/contacts/${contact_id}`, { dnd: false })
  await until(async () => expect((await w.must('GET', '/v1/opt-outs?phone=12025556105')).data).toEqual([]))
})

test('a STOP message turns on DND in the CRM, and only a START message turns it off', async () => {
  await meet('12025556106')
  const { contact_id } = await w.conversation('12025556106')
  await w.say('12025556106', LINE, 'STOP')
  await until(async () => expect((await w.conversation('12025556106')).dnd).toBe(true))
  await w.must('PATCH', `/v1/sandbox/ghl/contacts/${contact_id}`, { dnd: false })
  await until(async () => {
    expect((await w.conversation('12025556106')).dnd).toBe(true)
    expect(await w.rows('SELECT seq FROM sandbox_ghl_deliveries')).toEqual([])
  })
  expect((await w.must('GET', '/v1/opt-outs?phone=12025556106')).data).toMatchObject([{ source: 'keyword' }])
  await w.say('12025556106', LINE, 'START')
  await until(async () => expect((await w.conversation('12025556106')).dnd).toBe(false))
})

test('contact fields are set as the field map defines', async () => {
  await w.must('POST', '/v1/contacts', { phone: '12025556107', name: 'Ada Lovelace', tags: ['vip'] })
  const field_map = [
    { from: 'name', to: 'name' },
    { from: 'tags', to: 'tags' },
    { from: 'instance_number', to: 'whatsapp_line' },
  ]
  await w.must('PATCH', `/v1/instances/${instance.id}/ghl`, { field_map })
  await meet('12025556107')
  const [contact] = await w.rows<{ name: string; tags: string; fields: string }>(
    "SELECT name, tags, fields FROM sandbox_ghl_contacts WHERE phone = '+12025556107'",
  )
  expect([contact?.name, contact?.tags, contact?.fields]).toEqual([
    'Ada Lovelace',
    '["vip"]',
    JSON.stringify({ whatsapp_line: LINE }),
  ])
})

test('pausing holds messages in both directions, and resuming delivers them in order', async () => {
  await meet('12025556108')
  await w.must('PATCH', `/v1/instances/${instance.id}/ghl`, { paused: true })
  await w.say('12025556108', LINE, 'One')
  await w.say('12025556108', LINE, 'Two')
  await write('12025556108', { text: 'From the CRM' })
  await until(async () => expect((await w.ghl(instance.id)).waiting).toMatchObject({ to_crm: 2, to_contacts: 1 }))
  expect(await receivedBy('12025556108')).toEqual([])
  await w.must('PATCH', `/v1/instances/${instance.id}/ghl`, { paused: false })
  await until(async () => {
    const inbound = (await texts('12025556108')).filter(([direction]) => direction === 'inbound')
    expect(inbound.map(([, text]) => text)).toEqual(['Hello', 'One', 'Two'])
    expect((await receivedBy('12025556108')).map(({ text }) => text)).toEqual(['From the CRM'])
  })
})

test('after an outage and several 429 responses, no message is missing or duplicated', async () => {
  await meet('12025556109')
  await w.must('POST', '/v1/sandbox/ghl/faults', { kind: 'down', times: 1 })
  for (const text of ['1', '2', '3']) await w.say('12025556109', LINE, text)
  await until(async () => expect((await w.ghl(instance.id)).last_error?.code).toBe('unreachable'))
  w.moving.move(60_000)
  await until(async () =>
    expect((await texts('12025556109')).map(([, text]) => text)).toEqual(['Hello', '1', '2', '3']),
  )
  await until(async () => expect((await w.ghl(instance.id)).last_error).toBeNull())
  await w.must('POST', '/v1/sandbox/ghl/faults', { kind: 'rate_limited', times: 3 })
  for (const text of ['4', '5']) await w.say('12025556109', LINE, text)
  await until(async () => expect((await w.ghl(instance.id)).last_error?.code).toBe('rate_limited'))
  await until(async () => {
    w.moving.move(10_000)
    expect((await texts('12025556109')).map(([, text]) => text)).toEqual(['Hello', '1', '2', '3', '4', '5'])
  })
  await until(async () => expect(await w.ghl(instance.id)).toMatchObject({ last_error: null, waiting: { to_crm: 0 } }))
})

test('a backfill copies earlier messages once, with their original time', async () => {
  const other = await w.pair('12025556150')
  for (const text of ['Old 1', 'Old 2']) await w.say('12025556110', '12025556150', text)
  await until(async () => {
    const { data } = await w.must('GET', `/v1/events?type=message.received&limit=200`)
    expect(data.filter((one: any) => one.instance?.id === other.id)).toHaveLength(2)
  })
  const { authorization_url } = await w.must('POST', `/v1/instances/${other.id}/ghl/connect`, { mode: 'oauth' })
  await w.consent(authorization_url, { location: 'Second office' })
  w.moving.move(60_000)
  const started = await w.api('POST', `/v1/instances/${other.id}/ghl/backfill`)
  expect([started.status, started.body.backfill.state]).toEqual([202, 'running'])
  await until(async () =>
    expect((await w.ghl(other.id)).backfill).toMatchObject({
      state: 'done',
      chats: { done: 1, total: 1 },
      messages: { found: 2, copied: 2, skipped: 0 },
    }),
  )
  const thread = await w.thread('12025556110')
  expect(thread.map(({ text }) => text)).toEqual(['Old 1', 'Old 2'])
  expect(w.moving.now() - Date.parse(thread[1].created_at)).toBeGreaterThan(59_000)
  await w.must('POST', `/v1/instances/${other.id}/ghl/backfill`, { days: 7 })
  await until(async () =>
    expect((await w.ghl(other.id)).backfill).toMatchObject({ state: 'done', messages: { found: 2, skipped: 2 } }),
  )
  expect(await w.thread('12025556110')).toHaveLength(2)
})

test('with two numbers in one location, a message is sent from the number that the contact last wrote to', async () => {
  const second = await w.pair('12025556151')
  const { authorization_url } = await w.must('POST', `/v1/instances/${second.id}/ghl/connect`, { mode: 'oauth' })
  expect((await w.consent(authorization_url)).status).toBe(200)
  await w.say('12025556111', '12025556151', 'To the second')
  await until(async () => expect(await texts('12025556111')).toHaveLength(1))
  await write('12025556111', { text: 'Answer' })
  await until(async () => {
    const [message] = await receivedBy('12025556111')
    expect(message).toMatchObject({ from: '12025556151', text: 'Answer' })
  })
  await w.must('DELETE', `/v1/instances/${second.id}/ghl`)
  expect(await w.ghl(second.id)).toMatchObject({ connected: false })
  expect(await w.ghl(instance.id)).toMatchObject({ connected: true })
})

test('messages from the CRM wait while the number is disconnected', async () => {
  await meet('12025556112')
  await w.must('POST', `/v1/instances/${instance.id}/disconnect`, {})
  const { id } = await write('12025556112', { text: 'Later' })
  await until(async () => expect((await w.ghl(instance.id)).waiting.to_contacts).toBe(1))
  expect((await statusOf('12025556112', id))?.status).toBe('pending')
  await w.must('POST', `/v1/instances/${instance.id}/restart`)
  await until(async () => {
    w.moving.move(5_000)
    expect((await receivedBy('12025556112')).map(({ text }) => text)).toEqual(['Later'])
  })
  await until(async () => expect((await statusOf('12025556112', id))?.status).toBe('read'))
})
