import { beforeEach, expect, test } from 'vitest'
import { worldOfTest, type Reply, type World } from '../../support/world.ts'

const BODY = { type: 'BODY', text: 'Hello {{1}}, your table is ready.', example: { body_text: [['Ana']] } }
const DRAFT = { name: 'table_ready', language: 'en', category: 'UTILITY', components: [BODY] }

let w: World
let path: string
let number: string
beforeEach(async () => {
  w = await worldOfTest()
  number = (await w.official()).id
  path = `/v1/instances/${number}/templates`
})

const codeOf = ({ status, body }: Reply) => [status, body?.error?.code]
const send = (name: string) =>
  w.api('POST', `/v1/instances/${number}/messages`, {
    to: '12025550301',
    cloud_api: { type: 'template', template: { name, language: { code: 'en' } } },
  })
const reviewed = () => w.pass(2_000)

test('a template is created, approved, edited and deleted', async () => {
  const made = await w.api('POST', path, DRAFT)
  const record = { ...DRAFT, status: 'PENDING', quality: null, rejected_reason: null, paused_until: null }
  expect([made.status, made.body]).toEqual([201, { id: expect.any(String), ...record }])
  const { id } = made.body
  expect((await w.api('GET', path)).body.data).toContainEqual(made.body)
  expect(codeOf(await w.api('PATCH', `${path}/${id}`, { components: [BODY] }))).toEqual([409, 'invalid_state'])
  await reviewed()
  expect((await w.api('GET', `${path}/${id}`)).body).toMatchObject({ status: 'APPROVED' })
  const text = 'Hello {{1}}, your table is ready now.'
  const edited = await w.api('PATCH', `${path}/${id}`, { components: [{ ...BODY, text }] })
  expect([edited.status, edited.body]).toMatchObject([200, { status: 'PENDING', components: [{ text }] }])
  expect(codeOf(await w.api('DELETE', `${path}/${id}`))).toEqual([400, 'confirmation_required'])
  expect((await w.api('DELETE', `${path}/${id}?confirm=true`)).status).toBe(204)
  expect(codeOf(await w.api('GET', `${path}/${id}`))).toEqual([404, 'not_found'])
  expect(codeOf(await w.api('DELETE', `${path}/${id}?confirm=true`))).toEqual([404, 'not_found'])
})

test('what Meta refuses is said in its words, and nothing is made', async () => {
  const refused = await w.api('POST', path, { ...DRAFT, components: [{ type: 'BODY', text: BODY.text }] })
  expect(codeOf(refused)).toEqual([409, 'invalid_state'])
  expect(refused.body.error.message).toBe('Meta refused this (100): The body needs an example of each variable.')
  expect((await w.api('GET', path)).body.data).toHaveLength(3)
})

test.each([
  ['a name with capitals', { ...DRAFT, name: 'Table' }],
  ['no components', { ...DRAFT, components: [] }],
  ['an unknown category', { ...DRAFT, category: 'PROMO' }],
  ['an unknown field', { ...DRAFT, status: 'APPROVED' }],
])('%s is refused before Meta is asked', async (_, body) => {
  expect(codeOf(await w.api('POST', path, body))).toEqual([400, 'validation_error'])
})

test('a number of the sandbox takes no message with a template in review or rejected', async () => {
  await w.api('POST', path, DRAFT)
  expect(codeOf(await send('table_ready'))).toEqual([400, 'validation_error'])
  await reviewed()
  expect((await send('table_ready')).body).toMatchObject({ sent: true })
  await w.api('POST', path, { ...DRAFT, name: 'bad', components: [{ ...BODY, text: '{{1}}, hello to you all.' }] })
  await reviewed()
  expect(codeOf(await send('bad'))).toEqual([400, 'validation_error'])
  expect((await send('never_made')).body).toMatchObject({ sent: true })
})

test('a phone that is paired by QR has no templates', async () => {
  const phone = await w.pair()
  const answer = await w.api('POST', `/v1/instances/${phone.id}/templates`, DRAFT)
  expect(codeOf(answer)).toEqual([400, 'engine_mismatch'])
})
