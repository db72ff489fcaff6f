import { beforeEach, describe, expect, test } from 'vitest'
import { officialNumber } from '../../support/official-number.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const PERSON = '12025550181'
const NUMBER = '12025550481'
const BODY = [{ type: 'BODY', text: 'Your table is free.' }]

let w: World
let path: string
let line: string
const networks = ['a number at the simulated Meta', 'a number of the sandbox']

describe.each(networks)('time-to-live of templates: %s', (network) => {
  beforeEach(async () => {
    if (network === networks[0]) {
      w = await worldOfTest({ settings: { graphBaseUrl: 'sandbox', network: 'live' } })
      line = (await officialNumber(w, NUMBER)).id
    } else {
      w = await worldOfTest()
      line = (await w.official(NUMBER)).id
    }
    path = `/v1/instances/${line}/templates`
  })

  const create = async (category: string, ttl: number | undefined, name = `t_${category.toLowerCase()}_${ttl}`) => {
    const otp = { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }
    const components = category === 'AUTHENTICATION' ? [{ type: 'BODY' }, otp] : BODY
    const more = ttl === undefined ? {} : { ttl_seconds: ttl }
    const made = await w.api('POST', path, { name, language: 'en', category, components, ...more })
    await w.pass(2_500)
    return made
  }
  const online = (isOnline: boolean) => w.api('PATCH', `/v1/sandbox/phones/${PERSON}`, { online: isOnline })
  const heard = async () => (await w.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body.data.length
  const send = (name: string) =>
    w.api('POST', `/v1/instances/${line}/messages`, {
      ...{ to: PERSON, cloud_api: { type: 'template', template: { name, language: { code: 'en' } } } },
    })
  const message = async (id: string) => (await w.api('GET', `/v1/instances/${line}/messages/${id}`)).body

  test.each([
    ['UTILITY', 30, 43_200],
    ['AUTHENTICATION', 30, 900],
    ['MARKETING', 43_200, 2_592_000],
  ])('%s allows %d to %d seconds, and Meta refuses other values', async (category, least, most) => {
    for (const ttl of [least, most]) {
      const made = await create(category, ttl)
      expect([made.status, made.body.ttl_seconds]).toEqual([201, ttl])
      expect((await w.api('GET', `${path}/${made.body.id}`)).body.ttl_seconds).toBe(ttl)
    }
    for (const ttl of [least - 1, most + 1]) {
      const { status, body } = await create(category, ttl)
      expect([status, body.error.code]).toEqual(
        ttl < 30 || ttl > 2_592_000 ? [400, 'validation_error'] : [409, 'invalid_state'],
      )
    }
  })

  test('is changed alone, without a review, and removed when the category changes', async () => {
    const { id } = (await create('UTILITY', undefined)).body
    const change = (body: object) => w.api('PATCH', `${path}/${id}`, body)
    expect((await w.api('GET', `${path}/${id}`)).body.ttl_seconds).toBeNull()
    expect((await change({ ttl_seconds: 600 })).body).toMatchObject({ ttl_seconds: 600, status: 'APPROVED' })
    expect((await change({ ttl_seconds: 50_000 })).status).toBe(409)
    expect((await w.api('GET', path)).body.data.find((one: { id: string }) => one.id === id).ttl_seconds).toBe(600)
  })

  test('a message that a phone does not get in time is dropped, and its record says until when Meta tried', async () => {
    await create('UTILITY', 60, 'short_life')
    await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: NUMBER, text: 'Hello' })
    await w.pass(1_000)
    const before = await heard()
    await online(false)
    const { message_id: id } = (await send('short_life')).body
    await w.pass(2_000)
    const sent = await message(id)
    expect(sent.status).toBe('sent')
    const lasts = Date.parse(sent.valid_until) - Date.parse(sent.created_at)
    expect(lasts).toBeGreaterThanOrEqual(60_000)
    expect(lasts).toBeLessThan(62_000)
    w.clock.suspend(61_000)
    await online(true)
    await w.pass(5_000)
    expect(await heard()).toBe(before)
    expect(await message(id)).toMatchObject({ status: 'sent', error: null, valid_until: sent.valid_until })
  })

  test('a message that arrives in time is delivered', async () => {
    await create('UTILITY', 60, 'in_time')
    await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: NUMBER, text: 'Hello' })
    await online(false)
    const { message_id: id } = (await send('in_time')).body
    await w.pass(30_000)
    await online(true)
    await w.pass(5_000)
    expect(await message(id)).toMatchObject({ valid_until: null, delivered_at: expect.any(String) })
  })
})
