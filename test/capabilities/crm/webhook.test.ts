import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ghlWorld, until, type GhlWorld } from './ghl-world.ts'

const LINE = '12025556200'

let w: GhlWorld
let instance: any
let secret: string
let inbound: string

beforeAll(async () => {
  w = await ghlWorld()
  instance = await w.pair(LINE)
  const made = await w.api('PUT', `/v1/instances/${instance.id}/crm-webhook`, { url: 'https://catcher.sandbox/crm' })
  expect(made.status).toBe(201)
  secret = made.body.secret
  inbound = new URL(made.body.inbound_url).pathname
})
afterAll(() => w.close())

const caught = async (): Promise<any[]> => {
  const { data } = await w.must('GET', '/v1/sandbox/catcher/crm?limit=200')
  return data.toReversed()
}
const events = async (type: string) =>
  (await caught()).map(({ body }) => JSON.parse(body)).filter((event) => event.type === type)

const sign = (key: string, at: number, body: string) =>
  `sha256=${createHmac('sha256', key).update(`${at}.${body}`).digest('hex')}`

async function post(body: object, { key = secret, at = Math.floor(w.moving.now() / 1_000) } = {}) {
  const text = JSON.stringify(body)
  const answer = await w.service.door.app.inject({
    method: 'POST',
    url: inbound,
    headers: {
      host: w.host,
      'content-type': 'application/json',
      'x-service-timestamp': String(at),
      'x-service-signature': sign(key, at, text),
    },
    payload: text,
  })
  return answer.statusCode
}

const received = async (phone: string): Promise<string[]> =>
  (await w.must('GET', `/v1/sandbox/phones/${phone}/messages`)).data.map(({ text }: any) => text)

test('events are signed like those of account webhooks and contain the message', async () => {
  await w.say('12025556201', LINE, 'Hello')
  const event = await until(async () => {
    const [found] = await events('message')
    expect(found).toBeDefined()
    return found
  })
  expect(event).toMatchObject({
    instance: { id: instance.id, number: LINE },
    contact: { phone: '12025556201' },
    message: { direction: 'inbound', type: 'text', text: 'Hello', attachments: [] },
  })
  const [{ headers, body }] = await caught()
  expect(headers['x-service-signature']).toBe(sign(secret, Number(headers['x-service-timestamp']), body))
})

test('a message posted by the CRM is sent once, and its statuses are reported in order', async () => {
  const body = { id: 'deal-7', type: 'message', to: '12025556202', text: 'Your offer' }
  expect(await post(body)).toBe(202)
  expect(await post(body)).toBe(202)
  await until(async () => {
    const statuses = (await events('status'))
      .map(({ status }) => status)
      .filter(({ external_id }) => external_id === 'deal-7')
    expect(statuses.at(-1)?.status).toBe('read')
    const ranks = statuses.map(({ status }) => ['sent', 'delivered', 'read'].indexOf(status))
    expect(ranks).toEqual(ranks.toSorted())
  })
  expect(await received('12025556202')).toEqual(['Your offer'])
  // What the CRM wrote itself is not told to it as news.
  expect((await events('message')).filter(({ message }) => message.text === 'Your offer')).toEqual([])
})

test('a wrong signature, an old timestamp and an unknown address each get 401', async () => {
  const body = { id: 'forged', type: 'message', to: '12025556203', text: 'x' }
  expect(await post(body, { key: 'whsec_wrong' })).toBe(401)
  expect(await post(body, { at: Math.floor(w.moving.now() / 1_000) - 400 })).toBe(401)
  const answer = await w.service.door.app.inject({
    method: 'POST',
    url: '/callbacks/crm/crm_nobody',
    headers: { host: w.host, 'content-type': 'application/json' },
    payload: '{}',
  })
  expect(answer.statusCode).toBe(401)
  expect(await received('12025556203').catch(() => [])).toEqual([])
})

test('an invalid message is refused with 400', async () => {
  expect(await post({ id: 'a', type: 'nothing' })).toBe(400)
  expect(await post({ id: 'a', type: 'message', to: '12025556203' })).toBe(400)
  expect(await post({ id: 'a', type: 'message', to: 'x', text: 'y' })).toBe(400)
  expect(await post({ id: 'a b', type: 'message', to: '12025556203', text: 'y' })).toBe(400)
  expect(await post({ id: 'a', type: 'message', to: '12025556203', text: 'y', extra: 1 })).toBe(400)
})

test('opt-outs are synchronized in both directions', async () => {
  expect(await post({ id: 'o1', type: 'opt_out', phone: '12025556201', opted_out: true })).toBe(202)
  expect((await w.must('GET', '/v1/opt-outs?phone=12025556201')).data).toHaveLength(1)
  expect(await post({ id: 'm9', type: 'message', to: '12025556201', text: 'No' })).toBe(202)
  await until(async () =>
    expect((await events('status')).at(-1)?.status).toMatchObject({
      external_id: 'm9',
      status: 'failed',
      error: expect.stringContaining('opted out'),
    }),
  )
  await w.must('DELETE', '/v1/opt-outs/12025556201')
  await until(async () => expect((await events('opt_out')).at(-1)).toMatchObject({ opted_out: false, opt_out: null }))
  await w.say('12025556201', LINE, 'SAIR')
  await until(async () => expect((await events('opt_out')).at(-1)?.opted_out).toBe(true))
  const [{ message_id, created_at }] = (await w.must('GET', '/v1/opt-outs?phone=12025556201')).data
  expect(message_id).toMatch(/^msg_/)
  expect((await events('opt_out')).at(-1)?.opt_out).toEqual({ source: 'keyword', message_id, created_at })
})

test('a replayed or outdated opt-out changes nothing', async () => {
  const phone = '12025556211'
  const now = Math.floor(w.moving.now() / 1_000)
  const optedOut = async () => (await w.must('GET', `/v1/opt-outs?phone=${phone}`)).data.length === 1
  const optOut = { id: 'p1', type: 'opt_out', phone, opted_out: true }
  const lift = { id: 'p2', type: 'opt_out', phone, opted_out: false }

  expect(await post(optOut, { at: now - 60 })).toBe(202)
  expect(await post(lift, { at: now - 30 })).toBe(202)
  expect(await optedOut()).toBe(false)
  expect(await post(optOut, { at: now - 60 })).toBe(202)
  expect(await post(optOut, { at: now })).toBe(202)
  expect(await post({ ...optOut, id: 'p3' }, { at: now - 45 })).toBe(202)
  expect(await optedOut()).toBe(false)
  expect(await post({ ...optOut, id: 'p4' }, { at: now })).toBe(202)
  expect(await optedOut()).toBe(true)
})

test('a replayed message is not sent again, and is refused for another number or hours later', async () => {
  const phone = '12025556219'
  const at = Math.floor(w.moving.now() / 1_000)
  const body = { id: 'recorded', type: 'message', to: phone, text: 'Your code is 1234' }
  expect([await post(body, { at }), await post(body, { at })]).toEqual([202, 202])
  await until(async () => expect(await received(phone)).toEqual(['Your code is 1234']))

  const other = await w.pair('12025556299')
  const { inbound_url } = await w.must('PUT', `/v1/instances/${other.id}/crm-webhook`, {
    url: 'https://catcher.sandbox/crm2',
  })
  const mine = inbound
  inbound = new URL(inbound_url).pathname
  expect(await post(body, { at })).toBe(401)
  inbound = mine
  w.moving.move(6 * 3_600_000)
  expect(await post(body, { at })).toBe(401)
  expect(await post(body)).toBe(202)
  expect(await received(phone)).toEqual(['Your code is 1234'])
})

test('a receiver that was down gets every message once and in order', async () => {
  await w.must('PUT', '/v1/sandbox/catcher/crm', { status: 503 })
  for (const text of ['1', '2', '3']) await w.say('12025556204', LINE, text)
  await until(async () =>
    expect(await w.must('GET', `/v1/instances/${instance.id}/crm-webhook`)).toMatchObject({
      connected: true,
      last_error: { code: 'unreachable' },
      waiting: { to_crm: 3 },
    }),
  )
  await w.must('PUT', '/v1/sandbox/catcher/crm', { status: 200 })
  await w.must('DELETE', '/v1/sandbox/catcher/crm')
  w.moving.move(120_000)
  await until(async () => {
    const said = (await events('message')).filter(({ contact }) => contact.phone === '12025556204')
    expect(said.map(({ message }) => message.text)).toEqual(['1', '2', '3'])
  })
})

test('after a rotation both secrets are valid for the overlap, then only the new one', async () => {
  const { secret: fresh } = await w.must('POST', `/v1/instances/${instance.id}/crm-webhook/rotate-secret`, {
    overlap_seconds: 60,
  })
  expect(await post({ id: 'r1', type: 'opt_out', phone: '12025556209', opted_out: false })).toBe(202)
  expect(await post({ id: 'r2', type: 'opt_out', phone: '12025556209', opted_out: false }, { key: fresh })).toBe(202)
  w.moving.move(61_000)
  expect(await post({ id: 'r3', type: 'opt_out', phone: '12025556209', opted_out: false })).toBe(401)
  secret = fresh
})

test('setting the webhook again keeps its secret, a 410 response stops it, and deleting it ends its secret', async () => {
  const again = await w.api('PUT', `/v1/instances/${instance.id}/crm-webhook`, { url: 'https://catcher.sandbox/crm2' })
  expect([again.status, again.body.secret, again.body.secret_last4]).toEqual([200, null, secret.slice(-4)])
  await w.must('PUT', '/v1/sandbox/catcher/crm2', { status: 410 })
  await w.say('12025556205', LINE, 'Anybody?')
  const path = `/v1/instances/${instance.id}/crm-webhook`
  await until(async () =>
    expect(await w.must('GET', path)).toMatchObject({ state: 'reconnect_required', last_error: { code: 'gone' } }),
  )
  await w.must('PUT', '/v1/sandbox/catcher/crm2', { status: 200 })
  await w.must('PUT', path, { url: 'https://catcher.sandbox/crm2' })
  await until(async () => expect(await w.must('GET', path)).toMatchObject({ connected: true, waiting: { to_crm: 0 } }))
  expect((await w.api('DELETE', path)).status).toBe(204)
  expect(await post({ id: 'late', type: 'opt_out', phone: '12025556209', opted_out: false })).toBe(401)
  expect((await w.api('PUT', path, { url: 'http://example.com' })).status).toBe(400)
})

test('a template is reported with its visible text and without links, or by its name if its text is unknown', async () => {
  const official = await w.official('12025556291')
  const hook = { url: 'https://catcher.sandbox/templates' }
  expect((await w.api('PUT', `/v1/instances/${official.id}/crm-webhook`, hook)).status).toBe(201)
  const draft = {
    ...{ name: 'ready', language: 'en', category: 'UTILITY' },
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Table 7' },
      { type: 'BODY', text: 'Hello {{1}}, your table is ready.', example: { body_text: [['Ana']] } },
      { type: 'FOOTER', text: 'The garden' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Coming' },
          { type: 'URL', text: 'Map', url: 'https://garden.example/{{1}}', example: ['a'] },
        ],
      },
    ],
  }
  const { id } = await w.must('POST', `/v1/instances/${official.id}/templates`, draft)
  await until(async () =>
    expect((await w.must('GET', `/v1/instances/${official.id}/templates/${id}`)).status).toBe('APPROVED'),
  )
  const send = (name: string, components: readonly object[] = []) =>
    w.must('POST', `/v1/instances/${official.id}/messages`, {
      to: '12025556292',
      cloud_api: { type: 'template', template: { name, language: { code: 'en' }, components } },
    })
  await send('ready', [
    { type: 'body', parameters: [{ type: 'text', text: 'Ana' }] },
    { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'secret-key' }] },
  ])
  await send('never_made')
  const messages = await until(async () => {
    const { data } = await w.must('GET', '/v1/sandbox/catcher/templates?limit=200')
    const found = data
      .toReversed()
      .map(({ body }: any) => JSON.parse(body))
      .filter(({ type }: any) => type === 'message')
    expect(found).toHaveLength(2)
    return found
  })
  expect(messages.map(({ message }: any) => message.text)).toEqual([
    'Table 7\nHello Ana, your table is ready.\nThe garden\n[Coming] [Map]',
    '[template never_made]',
  ])
})
