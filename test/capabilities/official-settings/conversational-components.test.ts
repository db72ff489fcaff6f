import { expect, test } from 'vitest'
import { worldOfTest } from '../../support/world.ts'
import { clientOf } from '../agency/agency-world.ts'

const path = (id: string) => `/v1/instances/${id}/conversational-components`
const NONE = { ice_breakers: [], commands: [] }
const HOURS = { name: 'hours', hint: 'When we are open' }
const WISH = { ice_breakers: ['When are you open?'], commands: [HOURS] }

test('ice breakers and commands are set, read, replaced and removed', async () => {
  const w = await worldOfTest()
  const { id } = await w.official()
  expect((await w.api('GET', path(id))).body).toEqual(NONE)
  const set = await w.api('PUT', path(id), WISH)
  expect([set.status, set.body]).toEqual([200, WISH])
  expect((await w.api('GET', path(id))).body).toEqual(WISH)
  expect((await w.api('PUT', path(id), NONE)).body).toEqual(NONE)
})

test.each<[string, object]>([
  ['five ice breakers', { ice_breakers: ['a', 'b', 'c', 'd', 'e'] }],
  ['a long ice breaker', { ice_breakers: ['x'.repeat(81)] }],
  ['an ice breaker that says nothing', { ice_breakers: [' '] }],
  ['an emoji', { ice_breakers: ['Open? 🕘'] }],
  ['31 commands', { commands: Array.from({ length: 31 }, (_, n) => ({ ...HOURS, name: `c${n}` })) }],
  ['a command without a hint', { commands: [{ name: 'hours' }] }],
  ['a long hint', { commands: [{ name: 'hours', hint: 'x'.repeat(257) }] }],
  ['the same command twice', { commands: [HOURS, HOURS] }],
])('refuses %s before Meta is asked, and changes nothing', async (_, wrong) => {
  const w = await worldOfTest()
  const { id } = await w.official()
  await w.api('PUT', path(id), WISH)
  const answer = await w.api('PUT', path(id), { ...NONE, ...wrong })
  expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
  expect((await w.api('GET', path(id))).body).toEqual(WISH)
})

test('says that a number is not connected, or of the other engine', async () => {
  const w = await worldOfTest()
  const { id } = await w.instance({ engine: 'official' })
  const phone = await w.pair()
  for (const [method, body] of [['GET'], ['PUT', WISH]] as const) {
    expect((await w.api(method, path(id), body)).body.error.code).toBe('not_ready')
    expect((await w.api(method, path(phone.id), body)).body.error.code).toBe('engine_mismatch')
  }
})

test('two accounts do not see each other’s', async () => {
  const w = await worldOfTest()
  const client = await clientOf(w)
  const { id } = await w.official()
  await w.api('PUT', path(id), WISH)
  for (const [method, body] of [['GET'], ['PUT', NONE]] as const)
    expect((await client.api(method, path(id), body)).status).toBe(404)
  expect((await w.api('GET', path(id))).body).toEqual(WISH)
})
