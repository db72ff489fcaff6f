import { expect, test } from 'vitest'
import { ghlWorldOfTest, until, type GhlWorld } from './ghl-world.ts'

const LINE = '12025557100'
const PERSON = '12025557101'
const OTHER = '12025557102'
const DAY_MS = 86_400_000

const fault = (w: GhlWorld, kind: string, times = 1) => w.must('POST', '/v1/sandbox/ghl/faults', { kind, times })
const run = (w: GhlWorld, text: string) => w.service.db.commit((tx) => tx.run({ text }, {}))
const texts = async (w: GhlWorld, phone: string) => (await w.thread(phone)).map(({ text }) => text)
const write = async (w: GhlWorld, phone: string, text: string): Promise<string> => {
  const { id } = await w.conversation(phone)
  return (await w.must('POST', `/v1/sandbox/ghl/conversations/${id}/messages`, { text })).id
}
const statusOf = async (w: GhlWorld, phone: string, id: string) =>
  (await w.thread(phone)).find((message) => message.id === id)?.status
/** Moves the clock in steps, as time passes, until what is expected is there. */
const passUntil = (w: GhlWorld, stepMs: number, look: () => Promise<void>) =>
  until(async () => {
    try {
      await look()
    } catch (error) {
      w.moving.move(stepMs)
      throw error
    }
  })
const met = async () => {
  const w = await ghlWorldOfTest()
  const instance = await w.connected(LINE)
  await w.say(PERSON, LINE, 'Hello')
  await until(async () => expect(await texts(w, PERSON)).toEqual(['Hello']))
  return { w, instance }
}

test.each(['status_too_early', 'status_too_early_401'])(
  'a status that the CRM refuses as too early (%s) is sent again later and does not delay messages',
  async (kind) => {
    const { w, instance } = await met()
    await fault(w, kind, 3)
    const id = await write(w, PERSON, 'Hi')
    await until(async () =>
      expect(await w.rows('SELECT tries FROM crm_statuses WHERE dirty = 1')).toEqual([{ tries: 1 }]),
    )
    expect(await statusOf(w, PERSON, id)).toBe('pending')
    await w.say(OTHER, LINE, 'Me too')
    await until(async () => expect(await texts(w, OTHER)).toEqual(['Me too']))
    expect(await w.ghl(instance.id)).toMatchObject({ state: 'connected', last_error: null })
    await passUntil(w, 5_000, async () => expect(await statusOf(w, PERSON, id)).toBe('read'))
    await until(async () =>
      expect(await w.ghl(instance.id)).toMatchObject({ state: 'connected', last_error: null, waiting: { to_crm: 0 } }),
    )
  },
)

test('a status that is refused five times is dropped, and the connection shows the error', async () => {
  const { w, instance } = await met()
  await fault(w, 'status_too_early', 1_000)
  const id = await write(w, PERSON, 'Hi')
  const startedAtMs = w.moving.now()
  await passUntil(w, 2_000, async () =>
    expect(await w.ghl(instance.id)).toMatchObject({ last_error: { code: 'status_refused' }, waiting: { to_crm: 0 } }),
  )
  expect(w.moving.now() - startedAtMs).toBeGreaterThanOrEqual(95_000)
  expect((await w.ghl(instance.id)).state).toBe('connected')
  expect(await statusOf(w, PERSON, id)).toBe('pending')
  await w.say(PERSON, LINE, 'Still there?')
  await until(async () => expect(await texts(w, PERSON)).toContain('Still there?'))
})

test('after one 403 the message is retried; after a second 403 the connection requires reconnecting', async () => {
  const { w, instance } = await met()
  await fault(w, 'forbidden')
  await w.say(PERSON, LINE, 'Once')
  await passUntil(w, 5_000, async () => expect(await texts(w, PERSON)).toEqual(['Hello', 'Once']))
  expect((await w.ghl(instance.id)).state).toBe('connected')
  await fault(w, 'forbidden', 2)
  await w.say(PERSON, LINE, 'Twice')
  await passUntil(w, 5_000, async () =>
    expect(await w.ghl(instance.id)).toMatchObject({
      state: 'reconnect_required',
      last_error: { code: 'missing_permission' },
      waiting: { to_crm: 1, failed: 0 },
    }),
  )
  const { authorization_url } = await w.must('POST', `/v1/instances/${instance.id}/ghl/connect`, { mode: 'oauth' })
  expect((await w.consent(authorization_url)).status).toBe(200)
  await until(async () => expect(await texts(w, PERSON)).toEqual(['Hello', 'Once', 'Twice']))
  await until(async () => expect(await w.ghl(instance.id)).toMatchObject({ state: 'connected', last_error: null }))
})

test.each([
  ['no provider id, which GoHighLevel accepts without showing the message', 'NULL'],
  ['a wrong provider id', "'otherProvider0000001'"],
])('with %s, messages wait until the instance is connected again', async (_name, providerId) => {
  const { w, instance } = await met()
  await run(w, `UPDATE crm_links SET provider_id = ${providerId}`)
  await w.say(PERSON, LINE, 'Lost?')
  await until(async () =>
    expect(await w.ghl(instance.id)).toMatchObject({
      state: 'reconnect_required',
      last_error: { code: 'provider_refused', message: expect.stringContaining('ghl.provider_id') },
      waiting: { to_crm: 1, failed: 0 },
    }),
  )
  const { authorization_url } = await w.must('POST', `/v1/instances/${instance.id}/ghl/connect`, { mode: 'oauth' })
  expect((await w.consent(authorization_url)).status).toBe(200)
  await until(async () => expect(await texts(w, PERSON)).toEqual(['Hello', 'Lost?']))
  await until(async () => expect((await w.ghl(instance.id)).last_error).toBeNull())
})

test('a private token uses the default provider of its location', async () => {
  const { w, instance } = await met()
  const { inbox_url, location_id } = await w.ghl(instance.id)
  const { pathname, search } = new URL(inbox_url)
  const page = await w.api('GET', `${pathname}${search}`, undefined, { key: null })
  const token = /<code>(pit-[^<]+)<\/code>/.exec(page.text)?.[1]
  await w.must('POST', `/v1/instances/${instance.id}/ghl/connect`, { mode: 'token', location_id, token })
  expect(await w.ghl(instance.id)).toMatchObject({ mode: 'token', provider_id: null })
  await w.say(PERSON, LINE, 'By token')
  await until(async () => expect(await texts(w, PERSON)).toEqual(['Hello', 'By token']))
})

test('a token that expired early is renewed, even if GoHighLevel answers 500 instead of 401', async () => {
  const { w, instance } = await met()
  await run(w, `UPDATE sandbox_ghl_tokens SET access = 'at_other'`)
  await w.say(PERSON, LINE, 'Renewed')
  await until(async () => expect(await texts(w, PERSON)).toEqual(['Hello', 'Renewed']))
  expect(await w.ghl(instance.id)).toMatchObject({ state: 'connected', waiting: { failed: 0 } })
})

test('if only adding messages fails, the connection shows messages_failing, and the message is added once', async () => {
  const { w, instance } = await met()
  await fault(w, 'inbound_500', 2)
  await w.say(PERSON, LINE, 'Later')
  await until(async () => expect((await w.ghl(instance.id)).last_error?.code).toBe('messages_failing'))
  await passUntil(w, 2_000, async () => expect(await texts(w, PERSON)).toEqual(['Hello', 'Later']))
  await until(async () => expect(await w.ghl(instance.id)).toMatchObject({ state: 'connected', last_error: null }))
})

test('a contact is found if GoHighLevel created it but answered 422, and an existing contact is not created again', async () => {
  const { w, instance } = await met()
  await w.must('POST', '/v1/sandbox/ghl/contacts', { phone: `+${OTHER}`, name: 'Known' })
  await fault(w, 'upsert_422')
  await w.say(OTHER, LINE, 'I exist')
  await until(async () => expect(await texts(w, OTHER)).toEqual(['I exist']))
  // The fault is still there for the first contact that has to be created.
  await w.say('12025557103', LINE, 'I am new')
  await until(async () => expect(await texts(w, '12025557103')).toEqual(['I am new']))
  expect(await w.ghl(instance.id)).toMatchObject({ last_error: null, waiting: { failed: 0 } })
})

test.each([
  ['5215512345678', '525512345678'],
  ['2290197123456', '22997123456'],
])('an existing contact with the number %s is used for a message from %s', async (there, here) => {
  const { w } = await met()
  const { id } = await w.must('POST', '/v1/sandbox/ghl/contacts', { phone: `+${there}` })
  await w.say(here, LINE, 'Same person')
  await until(async () => {
    const { data } = await w.must('GET', '/v1/sandbox/ghl/conversations?limit=50')
    expect(data.find((one: any) => one.contact_id === id)?.last_message).toBe('Same person')
  })
})

test('a location with an unpaid subscription stays connected and is retried a day later', async () => {
  const { w, instance } = await met()
  await fault(w, 'location_inactive')
  w.moving.move(25 * 3_600_000)
  await w.say(PERSON, LINE, 'Unpaid')
  await until(async () =>
    expect(await w.ghl(instance.id)).toMatchObject({
      state: 'connected',
      last_error: { code: 'location_inactive' },
      waiting: { to_crm: 1 },
    }),
  )
  w.moving.move(DAY_MS - 60_000)
  await w.say(OTHER, LINE, 'Not asked again yet')
  await passUntil(w, 1_000, async () => expect(await texts(w, PERSON)).toEqual(['Hello', 'Unpaid']))
  await until(async () => expect((await w.ghl(instance.id)).last_error).toBeNull())
})

test('reconnecting retries a location with an unpaid subscription immediately', async () => {
  const { w, instance } = await met()
  await fault(w, 'location_inactive')
  w.moving.move(25 * 3_600_000)
  await w.say(PERSON, LINE, 'Unpaid')
  await until(async () => expect((await w.ghl(instance.id)).last_error?.code).toBe('location_inactive'))
  const { authorization_url } = await w.must('POST', `/v1/instances/${instance.id}/ghl/connect`, { mode: 'oauth' })
  expect((await w.consent(authorization_url)).status).toBe(200)
  await until(async () => expect(await texts(w, PERSON)).toEqual(['Hello', 'Unpaid']))
})

test('people who hide their number are counted until the connection is deleted', async () => {
  const { w, instance } = await met()
  await w.say('900000012345678', LINE, 'Who am I?')
  await w.say('900000012345678', LINE, 'Guess')
  await until(async () => expect((await w.ghl(instance.id)).hidden_people).toBe(1))
  expect((await w.ghl(instance.id)).waiting).toMatchObject({ to_crm: 0, failed: 0 })
  await w.must('DELETE', `/v1/instances/${instance.id}/ghl`).catch(() => undefined)
  expect(await w.rows('SELECT chat FROM crm_hidden_people')).toEqual([])
})

test('the simulated upsert matches by email first, and a phone number stays with the contact that has it', async () => {
  const w = await ghlWorldOfTest()
  const add = (body: object) => w.must('POST', '/v1/sandbox/ghl/contacts', body)
  const byEmail = await add({ email: 'ada@example.com', name: 'Ada' })
  const byPhone = await add({ phone: '+12025557110', name: 'Grace' })
  const joined = await add({ email: 'ada@example.com', phone: '+12025557110' })
  expect(joined).toMatchObject({ id: byEmail.id, phone: null })
  expect(await add({ phone: '+12025557110' })).toMatchObject({ id: byPhone.id, name: 'Grace' })
  expect(await add({ email: 'ada@example.com', phone: '+12025557111' })).toMatchObject({
    id: byEmail.id,
    phone: '+12025557111',
  })
})
