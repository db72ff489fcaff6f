import { expect, test } from 'vitest'
import { officialSettingsContract } from '../../../main/capabilities/official-settings/contract.ts'
import { needsApproval } from '../../../main/contract/effects.ts'
import { worldOfTest } from '../../support/world.ts'
import { clientOf } from '../agency/agency-world.ts'

const path = (id: string) => `/v1/instances/${id}/username`

test('a username is set, read, moved within the account and deleted', async () => {
  const w = await worldOfTest()
  const { id } = await w.official('12025550410')
  const other = await w.official('12025550411')
  const none = { username: null, status: null }
  expect((await w.api('GET', path(id))).body).toEqual(none)
  expect((await w.api('GET', `${path(id)}?include=suggestions`)).body).toEqual({
    ...none,
    suggestions: ['business_0410', 'help.0410.acme'],
  })

  const set = await w.api('PUT', path(id), { username: 'acme_support' })
  expect([set.status, set.body]).toEqual([200, { username: 'acme_support', status: 'approved' }])
  expect((await w.api('PUT', path(id), { username: 'acme_support' })).body).toEqual(set.body)
  expect((await w.api('GET', path(id))).body).toEqual(set.body)

  const refused = (await w.api('PUT', path(other.id), { username: 'acme_support' })).body.error
  expect(refused).toMatchObject({ code: 'invalid_state', message: expect.stringContaining('Another number') })
  const moved = await w.api('PUT', path(other.id), { username: 'acme_support', transfer: true })
  expect(moved.body).toEqual(set.body)
  expect((await w.api('GET', path(id))).body).toEqual(none)

  expect((await w.api('DELETE', path(other.id))).status).toBe(204)
  expect((await w.api('DELETE', path(other.id))).status).toBe(204)
  expect((await w.api('GET', path(other.id))).body).toEqual(none)
})

test.each(['ab', 'a'.repeat(36), 'Acme', 'acme-one', '.acme', 'acme.', 'ac..me', 'www.acme', 'acme.com', '1234', ''])(
  'refuses the username %j before Meta is asked',
  async (username) => {
    const w = await worldOfTest()
    const { id } = await w.official()
    const answer = await w.api('PUT', path(id), { username })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect((await w.api('GET', path(id))).body.username).toBeNull()
  },
)

test('a number that is not connected, or may have no username, says why', async () => {
  const w = await worldOfTest()
  const { id } = await w.instance({ engine: 'official' })
  for (const [method, body] of [['GET'], ['PUT', { username: 'acme_one' }], ['DELETE']] as const) {
    expect((await w.api(method, path(id), body)).body.error.code).toBe('not_ready')
  }
  const limited = await w.official('12025550463')
  const refused = (await w.api('PUT', path(limited.id), { username: 'acme_one' })).body.error
  expect(refused).toMatchObject({ code: 'invalid_state', message: expect.stringContaining('does not give') })
})

test('two accounts do not see each other’s usernames', async () => {
  const w = await worldOfTest()
  const client = await clientOf(w)
  const { id } = await w.official('12025550410')
  await w.api('PUT', path(id), { username: 'acme_one' })
  for (const [method, body] of [['GET'], ['PUT', { username: 'acme_two' }], ['DELETE']] as const) {
    expect((await client.api(method, path(id), body)).status).toBe(404)
  }
  expect((await w.api('GET', path(id))).body.username).toBe('acme_one')
})

test('a key restricted to some numbers takes no username from another one, and an assistant needs approval', async () => {
  const w = await worldOfTest()
  const { id } = await w.official('12025550410')
  const other = await w.official('12025550411')
  await w.api('PUT', path(other.id), { username: 'acme_one' })
  const { key } = await w.key({ instances: [id] })
  const body = { username: 'acme_one', transfer: true }
  const refused = await w.api('PUT', path(id), body, { key })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'key_restricted'])
  expect((await w.api('GET', path(other.id))).body.username).toBe('acme_one')
  expect(needsApproval('destructive', officialSettingsContract.setUsername, body)).toBe(true)
  expect(needsApproval('destructive', officialSettingsContract.setUsername, { username: 'acme_one' })).toBe(false)
})
