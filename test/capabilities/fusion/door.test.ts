import { beforeEach, describe, expect, test } from 'vitest'
import { worldOfTest, type World } from '../../support/world.ts'

const NUMBER = '12025550123'
const UNKNOWN = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'

let w: World
let official: { id: string; instance_name: string; name: string }
let phone: typeof official

beforeEach(async () => {
  w = await worldOfTest()
  official = await w.official(NUMBER, { name: 'Acme official' })
  phone = await w.pair(NUMBER, { name: 'Acme phone' })
})

const path = (id: string) => `/v1/instances/${id}/fusion`
const as = (key?: string) => (key === undefined ? {} : { key })
const fuse = (id: string, smv2_instance_id: unknown, key?: string) =>
  w.api('POST', path(id), { smv2_instance_id }, as(key))
const read = (id: string, key?: string) => w.api('GET', path(id), undefined, as(key))
const remove = (id: string, key?: string) => w.api('DELETE', path(id), undefined, as(key))
const refused = (status: number, code: string) => ({ status, body: { error: { code } } })
const view = ({ id, name, instance_name }: typeof official, engine: string) => ({
  ...{ id, name, instance_name, engine, connected: true, phone_number: NUMBER },
})

test('a fusion is created, read from both sides and removed', async () => {
  const mark = await w.mark()
  const [one, two] = [view(official, 'official'), view(phone, 'smv2')]
  const none = { instance: one, fused: false, partner: null }
  expect(await read(official.id)).toMatchObject({ status: 200, body: none })
  const made = await fuse(official.id, phone.id.toUpperCase())
  expect(made.status).toBe(201)
  expect(made.body).toEqual({ instance: one, fused: true, partner: two })
  expect((await read(official.id)).body).toEqual(made.body)
  expect((await read(phone.id)).body).toEqual({ instance: two, fused: true, partner: one })
  expect(await fuse(official.id, phone.id)).toMatchObject(refused(409, 'already_fused'))
  for (let again = 0; again < 2; again++) {
    const removed = await remove(official.id)
    expect(removed.status).toBe(200)
    expect(removed.body).toEqual(none)
  }
  expect((await read(phone.id)).body).toEqual({ instance: two, fused: false, partner: null })
  expect(await w.typesSince(mark)).toEqual([])
})

describe('the API refuses', () => {
  test('an smv2 instance in the path, which must name the official one', async () => {
    expect(await fuse(phone.id, official.id)).toMatchObject(refused(400, 'engine_mismatch'))
    expect(await remove(phone.id)).toMatchObject(refused(400, 'engine_mismatch'))
  })

  test('a partner of the wrong engine, with another number, or without a number', async () => {
    const other = await w.pair('12025550124')
    const unpaired = await w.instance()
    expect(await fuse(official.id, official.id)).toMatchObject(refused(400, 'engine_mismatch'))
    expect(await fuse(official.id, other.id)).toMatchObject(refused(400, 'phone_mismatch'))
    expect(await fuse(official.id, unpaired.id)).toMatchObject(refused(409, 'invalid_state'))
  })

  test('a body without the id, with an unknown field, or with an invalid id', async () => {
    for (const body of [{}, { smv2_instance_id: 'nonsense' }, { smv2_instance_id: phone.id, confirm: true }]) {
      expect(await w.api('POST', path(official.id), body)).toMatchObject(refused(400, 'validation_error'))
    }
  })

  test('keys without the required scope', async () => {
    const [reader, writer] = [await w.key({ scopes: ['instances:read'] }), await w.key({ scopes: ['instances:write'] })]
    expect(await fuse(official.id, phone.id, reader.key)).toMatchObject(refused(403, 'insufficient_scope'))
    expect(await remove(official.id, reader.key)).toMatchObject(refused(403, 'insufficient_scope'))
    expect(await read(official.id, writer.key)).toMatchObject(refused(403, 'insufficient_scope'))
  })

  test('instances that the caller may not access, with the same error as instances that do not exist', async () => {
    const stranger = await w.stranger()
    const [onlyOfficial, onlyPhone] = [
      await w.key({ instances: [official.id] }),
      await w.key({ instances: [phone.id] }),
    ]
    const unknown = await fuse(official.id, UNKNOWN)
    expect(unknown).toMatchObject(refused(404, 'not_found'))
    const outside = await fuse(official.id, phone.id, onlyOfficial.key)
    expect(outside.body.error.message).toBe(unknown.body.error.message)
    for (const answer of [
      outside,
      await fuse(official.id, phone.id, onlyPhone.key),
      await fuse(official.id, phone.id, stranger.key),
      await fuse(UNKNOWN, phone.id),
    ]) {
      expect(answer).toMatchObject(refused(404, 'not_found'))
    }
    expect((await read(official.id)).body.fused).toBe(false)
  })
})

test('a restricted key sees that its instance is fused, but the partner only if it may access that too', async () => {
  await fuse(official.id, phone.id)
  const [one, both] = [await w.key({ instances: [official.id] }), await w.key({ instances: [official.id, phone.id] })]
  expect(await read(official.id, one.key)).toMatchObject({
    status: 200,
    body: { instance: { id: official.id }, fused: true, partner: null },
  })
  expect(await remove(official.id, one.key)).toMatchObject(refused(404, 'not_found'))
  expect((await read(phone.id, both.key)).body.fused).toBe(true)
  expect((await remove(official.id, both.key)).body.fused).toBe(false)
  expect((await read(official.id, one.key)).body.fused).toBe(false)
})

describe('deleting or recreating an instance ends its fusion', () => {
  test.each(['official', 'smv2'] as const)('%s', async (engine) => {
    const [side, other] = engine === 'official' ? [official, phone] : [phone, official]
    await fuse(official.id, phone.id)
    await w.api('POST', `/v1/instances/${side.id}/recreate?confirm=true`)
    expect((await read(other.id)).body).toMatchObject({ fused: false, partner: null })
    expect((await read(side.id)).body).toMatchObject({ fused: false, partner: null })

    const again = engine === 'official' ? await w.official(NUMBER) : await w.pair(NUMBER)
    const pairing = engine === 'official' ? fuse(again.id, phone.id) : fuse(official.id, again.id)
    expect((await pairing).status).toBe(201)
    await w.api('DELETE', `/v1/instances/${again.id}?confirm=true`)
    expect((await read(other.id)).body).toMatchObject({ fused: false, partner: null })
  })
})
