import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { until } from '../support/service-process.ts'
import { world, type World } from '../support/world.ts'

let w: World
let id: string
let secret: string
let phoneNumberId: string
let verifyToken: string

beforeAll(async () => {
  w = await world({ clock: systemClock, settings: { graphBaseUrl: 'sandbox' } })
  const made = (await w.api('POST', '/v1/instances', { engine: 'official', network: 'live' })).body
  id = made.id
  const page = new URL(made.onboarding_url).pathname
  const shown = await w.wire('GET', page, undefined, { key: null })
  verifyToken = /Verify token<\/dt><dd>([\w-]+)/.exec(shown.text)?.[1] ?? ''
  const { body } = await w.api('POST', '/v1/sandbox/graph/numbers', { number: '12025550200' })
  secret = body.app_secret
  phoneNumberId = body.phone_number_id
  await w.wire('POST', page, new URLSearchParams(body).toString(), {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
})
afterAll(() => w.close())

const path = () => `/callbacks/meta/${id}`
const sign = (body: string | Buffer, key = secret) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
const post = (body: string, headers: Record<string, string> = {}) =>
  w.wire('POST', path(), body, {
    key: null,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': sign(body), ...headers },
  })
const message = (wamid: string, text: string) =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '1',
        changes: [
          {
            field: 'messages',
            value: {
              metadata: { phone_number_id: phoneNumberId },
              messages: [
                { from: '12025550101', id: wamid, timestamp: '1767614400', type: 'text', text: { body: text } },
              ],
            },
          },
        ],
      },
    ],
  })
const heard = (text: string) =>
  until(text, async () =>
    (await w.api('GET', '/v1/events?type=message.received')).body.data.find(
      ({ data }: { data: { text: string } }) => data.text === text,
    ),
  )

describe('a verification request from Meta', () => {
  const ask = (query: string) => w.wire('GET', `${path()}?${query}`, undefined, { key: null })

  test('gets the challenge back as text', async () => {
    const { status, headers, text } = await ask(
      `hub.mode=subscribe&hub.verify_token=${verifyToken}&hub.challenge=1158201444`,
    )
    expect([status, headers['content-type'], text]).toEqual([200, 'text/plain; charset=utf-8', '1158201444'])
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test.each([
    ['hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=1', 401],
    ['hub.mode=subscribe&hub.challenge=1', 401],
    ['hub.mode=subscribe&hub.verify_token=a&hub.verify_token=b&hub.challenge=1', 401],
    ['hub.verify_token=x&hub.challenge=1', 400],
    ['', 400],
  ])('is refused for ?%s', async (query, status) => {
    expect((await ask(query)).status).toBe(status)
  })
})

describe('a callback from Meta', () => {
  test('is answered 200 with an empty body, without a key, and becomes an event', async () => {
    const answer = await post(message('wamid.1', 'Over the wire'))
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect((await heard('Over the wire')).data).toMatchObject({ from: '12025550101' })
  })

  test('is verified by its exact bytes, whatever their formatting', async () => {
    const spaced = JSON.stringify(JSON.parse(message('wamid.2', 'Ünïcödé 🌱')), null, 3).replaceAll(
      'ö',
      String.raw`\u00f6`,
    )
    expect((await post(spaced)).status).toBe(200)
    await heard('Ünïcödé 🌱')
  })

  test('is refused when its JSON is formatted differently from what was signed', async () => {
    const body = message('wamid.3', 'Rewritten')
    const other = JSON.stringify(JSON.parse(body), null, 2)
    expect((await post(other, { 'x-hub-signature-256': sign(body) })).body.error.code).toBe('unauthorized')
  })

  test.each([
    ['no signature', { 'x-hub-signature-256': '' }],
    ['the older signature', { 'x-hub-signature-256': '', 'x-hub-signature': 'sha1=00' }],
    ['a signature of another secret', { 'x-hub-signature-256': sign(message('x', 'y'), 'other') }],
  ])('with %s is refused', async (_what, headers) => {
    expect((await post(message('wamid.4', 'Forged'), headers)).status).toBe(401)
  })

  test('is accepted with any content type and with megabytes, up to 4 MB', async () => {
    expect((await post(message('wamid.5', 'Plain'), { 'content-type': 'text/plain' })).status).toBe(200)
    await heard('Plain')
    expect((await post(message('wamid.6', 'x'.repeat(3_000_000)))).status).toBe(200)
    expect((await post(message('wamid.7', 'x'.repeat(5_000_000)))).body.error).toMatchObject({
      ...{ code: 'payload_too_large', message: 'The body is larger than 4 MB.' },
    })
  })

  test('is refused at an unknown address', async () => {
    for (const other of [
      '/callbacks/meta/nobody',
      '/callbacks/meta/0197f0c2-0000-7000-8000-000000000001',
      '/callbacks/meta/%00',
      '/callbacks/other',
    ]) {
      const answer = await w.wire('POST', other, '{}', { key: null, headers: { 'content-type': 'application/json' } })
      expect([401, 404]).toContain(answer.status)
      expect(answer.status).not.toBe(200)
    }
  })

  test('is not subject to the anonymous rate limit', async () => {
    const strict = await world({ clock: systemClock, settings: { graphBaseUrl: 'sandbox', anonymousRatePerMinute: 5 } })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        strict.wire('POST', '/callbacks/meta/0197f0c2-0000-7000-8000-000000000001', '{}', { key: null }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
    await strict.close()
  })
})

test('statuses in any order and repeated never move a message back, and each is published once', async () => {
  const { body } = await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550007', text: 'Hello' })
  const record = async () => (await w.api('GET', `/v1/instances/${id}/messages/${body.message_id}`)).body
  await until('sent', async () => ((await record()).status === 'sent' ? true : undefined))
  const { engine_message_id: wamid } = await record()
  const status = (word: string) => ({
    id: wamid,
    status: word,
    timestamp: '1767614400',
    recipient_id: '12025550007',
    biz_opaque_callback_data: body.message_id,
  })
  const call = (...words: string[]) =>
    post(
      JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [
          {
            id: '1',
            changes: [
              {
                field: 'messages',
                value: { metadata: { phone_number_id: phoneNumberId }, statuses: words.map(status) },
              },
            ],
          },
        ],
      }),
    )
  for (const words of [['read'], ['delivered', 'sent'], ['read', 'sent', 'delivered'], ['sent']])
    expect((await call(...words)).status).toBe(200)
  await until('read', async () => ((await record()).status === 'read' ? true : undefined))
  await until('all processed', async () =>
    (await w.rows<{ n: number }>('SELECT count(*) AS n FROM official_callbacks'))[0]?.n === 0 ? true : undefined,
  )
  const { history } = await record()
  expect(history.map(({ status: word }: { status: string }) => word)).toEqual(['queued', 'sent', 'delivered', 'read'])
  const told = (await w.events()).filter(({ data }) => data['message_id'] === body.message_id).map(({ type }) => type)
  expect(told).toEqual(['message.sent', 'message.delivered', 'message.read'])
})
