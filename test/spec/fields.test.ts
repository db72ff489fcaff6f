import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { world, type World } from '../support/world.ts'
import { CONNECTION_FIELDS, QR_FIELDS, WEBHOOK_FIELDS } from './tables.ts'

/** The tables under "Resources and their fields" that no other file here asserts. */

let w: World
let smv2: { id: string }
let official: { id: string }
beforeAll(async () => {
  w = await world()
  smv2 = await w.pair('12025550100', { external_ref: 'customer-42', metadata: { plan: 'gold' } })
  official = await w.official('12025550101')
})
afterAll(() => w.close())

const get = async (path: string) => (await w.api('GET', path)).body

describe('an instance', () => {
  const FIELDS = ['id', 'name', 'engine', 'external_ref', 'metadata', 'connected', 'updated_at'] as const

  test.each(FIELDS)('has %s in every answer', async (field) => {
    const [listed] = (await get('/v1/instances')).data
    const [changed] = (await get('/v1/instances?updated_since=2000-01-01T00:00:00Z')).data
    const made = await w.instance()
    const patched = (await w.api('PATCH', `/v1/instances/${made.id}`, { name: 'x' })).body
    for (const shown of [made, patched, listed, changed, await get(`/v1/instances/${smv2.id}`)])
      expect(shown).toHaveProperty(field)
    await w.api('DELETE', `/v1/instances/${made.id}?confirm=true`)
  })

  test('has deleted_at only if it is deleted', async () => {
    const changes = await get('/v1/instances?updated_since=2000-01-01T00:00:00Z')
    for (const instance of changes.data) expect(instance).not.toHaveProperty('deleted_at')
    expect(changes.deleted.length).toBeGreaterThan(0)
    for (const instance of changes.deleted) {
      expect(Object.keys(instance).toSorted()).toEqual(['deleted_at', 'external_ref', 'id', 'metadata'])
    }
  })

  test('is smv2 or official; official has an onboarding_url on creation', async () => {
    const made = (await w.api('POST', '/v1/instances', { engine: 'official' })).body
    expect(made).toMatchObject({ engine: 'official', onboarding_url: expect.stringMatching(/^http/) })
    expect((await w.instance()).engine).toBe('smv2')
    expect(await w.instance()).not.toHaveProperty('onboarding_url')
    expect((await w.api('POST', '/v1/instances', { engine: 'other' })).status).toBe(400)
  })

  test('replaces metadata as a whole, and clears external_ref with null', async () => {
    const { id } = await w.instance({ external_ref: 'x', metadata: { a: '1', b: '2' } })
    expect((await w.api('PATCH', `/v1/instances/${id}`, { metadata: { c: '3' } })).body.metadata).toEqual({ c: '3' })
    expect((await w.api('PATCH', `/v1/instances/${id}`, { external_ref: null })).body.external_ref).toBeNull()
  })

  test('lists have data and count, and five fields with updated_since', async () => {
    expect(Object.keys(await get('/v1/instances')).toSorted()).toEqual(['count', 'data'])
    expect(Object.keys(await get('/v1/instances?updated_since=2026-01-01T00:00:00Z')).toSorted()).toEqual([
      'data',
      'deleted',
      'deleted_has_more',
      'has_more',
      'next_cursor',
    ])
  })

  test('is found by its external_ref', async () => {
    const { data, count } = await get('/v1/instances?external_ref=customer-42')
    expect([data.map(({ id }: { id: string }) => id), count]).toEqual([[smv2.id], 1])
    expect(await get('/v1/instances?external_ref=nobody')).toEqual({ data: [], count: 0 })
  })
})

test.each(['smv2', 'official'])('the connection of %s has exactly the fields of the specification', async (engine) => {
  const { id } = engine === 'smv2' ? smv2 : official
  const view = await get(`/v1/instances/${id}/connection`)
  expect(Object.keys(view).toSorted()).toEqual(CONNECTION_FIELDS.toSorted())
  expect(view).toMatchObject({
    connected: true,
    logged_in: true,
    number: engine === 'smv2' ? '12025550100' : '12025550101',
  })
})

test('the QR answer has the fields of the specification, with the QR as a data URI', async () => {
  const { id } = await w.instance()
  const view = await get(`/v1/instances/${id}/qr`)
  for (const field of QR_FIELDS) expect(view[field]).toEqual(expect.any(String))
  expect(view.qr).toMatch(/^data:image\/png;base64,/)
})

test.each(['smv2', 'official'])('the health of %s is 200 even if the instance server is down', async (engine) => {
  const { id } = engine === 'smv2' ? smv2 : official
  expect(await get(`/v1/instances/${id}/health`)).toMatchObject({
    status: 'ok',
    connected: true,
    engine,
    engine_reachable: true,
  })
  await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'engine_down' })
  const down = await w.api('GET', `/v1/instances/${id}/health`)
  expect([down.status, down.body.engine_reachable]).toEqual([200, false])
  expect(down.body.status).not.toBe('ok')
})

test('a send returns exactly engine, sent and message_id', async () => {
  for (const { id } of [await w.pair(), await w.official()]) {
    const { status, body } = await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550177', text: 'Hello' })
    expect([status, Object.keys(body).toSorted()]).toEqual([201, ['engine', 'message_id', 'sent']])
  }
})

describe('the content of a message', () => {
  const media = (kind: string, file: string) => ({
    to: '12025550177',
    media_type: kind,
    media_url: `https://media.sandbox/${file}`,
  })
  const send = async (body: object, id: string) => w.api('POST', `/v1/instances/${id}/messages`, body)

  test.each([
    ['image', 'image.png'],
    ['audio', 'audio.ogg'],
    ['video', 'video.mp4'],
    ['document', 'document.pdf'],
  ])('is %s from a URL, with caption and filename', async (kind, file) => {
    const { id } = await w.pair()
    const { status, body } = await send({ ...media(kind, file), caption: 'Look', filename: 'a.bin' }, id)
    expect([status, body.sent]).toEqual([201, true])
    expect((await get(`/v1/instances/${id}/messages/${body.message_id}`)).type).toBe(kind)
    await w.quiet()
    const [received] = (await get('/v1/sandbox/phones/12025550177/messages')).data
    expect(received).toMatchObject({ type: kind, media: { caption: 'Look', filename: 'a.bin' } })
  })

  test('is a raw Cloud API payload on the official engine only', async () => {
    const body = {
      to: '12025550177',
      cloud_api: { type: 'template', template: { name: 'hello', language: { code: 'en' } } },
    }
    const [line, desk] = [await w.official(), await w.pair()]
    const { status, body: sent } = await send(body, line.id)
    expect(status).toBe(201)
    expect((await get(`/v1/instances/${line.id}/messages/${sent.message_id}`)).type).toBe('template')
    const mark = await w.mark()
    expect((await send(body, desk.id)).body.error.code).toBe('engine_mismatch')
    expect(await w.typesSince(mark)).toEqual([])
  })

  test('is exactly one of text, media and cloud_api', async () => {
    const { id } = await w.official()
    const to = '12025550177'
    const mark = await w.mark()
    // oxfmt-ignore
    for (const body of [
      { to }, { text: 'x' }, { to, text: 'x', cloud_api: {} }, { ...media('image', 'image.png'), text: 'x' }, { to, media_type: 'image' },
      { to, media_url: 'https://media.sandbox/image.png' }, { to, text: 'x', caption: 'y' }, { to, text: 'x', filename: 'y' },
      { to: '+1 202 555 0177', text: 'x' }, { to: '123456', text: 'x' }, { to: '1234567890123456', text: 'x' }, { to, text: '' },
      { to, text: 'x'.repeat(4_097) }, { ...media('sticker', 'image.png') }, { ...media('image', 'audio.ogg') }, { ...media('image', 'missing') },
      { ...media('image', 'huge') },
    ]) {
      const answer = await send(body, id)
      expect([answer.status, answer.body.error?.code], JSON.stringify(body).slice(0, 100)).toEqual([400, 'validation_error'])
    }
    expect(await w.typesSince(mark)).toEqual([])
    expect((await send({ to, text: 'x'.repeat(4_096) }, id)).status).toBe(201)
  })

  test('a text on smv2 has at most 65,536 characters', async () => {
    const [to, { id }] = ['12025550177', await w.pair()]
    expect((await send({ to, text: 'x'.repeat(65_536) }, id)).status).toBe(201)
    expect((await send({ to, text: 'x'.repeat(65_537) }, id)).body.error.code).toBe('validation_error')
  })
})

test('finds the status of a send by its key, and requires the key', async () => {
  const { id } = await w.pair()
  const headers = { 'idempotency-key': 'order-9' }
  const sent = (await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550177', text: 'x' }, { headers })).body
  await w.quiet()
  const record = await get(`/v1/instances/${id}/messages/${sent.message_id}`)
  expect(record).toMatchObject({ status: 'read', idempotency_key: 'order-9' })
  expect(await get(`/v1/instances/${id}/messages?idempotency_key=order-9`)).toEqual(record)
  expect((await w.api('GET', `/v1/instances/${id}/messages`)).body.error.code).toBe('validation_error')
  expect((await w.api('GET', `/v1/instances/${id}/messages?idempotency_key=none`)).status).toBe(404)
})

test('an account webhook has the fields of the specification', async () => {
  const body = { url: 'https://catcher.sandbox/f', events: ['*'], description: 'CRM', max_in_flight: 3, active: false }
  const made = (await w.api('POST', '/v1/webhooks', body)).body
  expect(made).toMatchObject({ ...body, disabled_reason: null })
  for (const field of [...WEBHOOK_FIELDS, 'secret']) expect(made).toHaveProperty(field)
  const read = await get(`/v1/webhooks/${made.id}`)
  expect(read).not.toHaveProperty('secret')
  expect(read.secret_last4).toBe(made.secret.slice(-4))
})
