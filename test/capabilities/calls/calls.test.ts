import { expect, test } from 'vitest'
import { settle } from '../../support/clock.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { clientOf, pairedIn } from '../agency/agency-world.ts'

const ANA = '12025550301'
const OURS = '12025550100'
const SORRY = 'Please write to us instead.'

const ring = async (w: World, to: string) => {
  const { call_id: callId } = (await w.api('POST', `/v1/sandbox/phones/${ANA}/calls`, { to })).body
  await settle(20)
  await w.pass(1_000)
  await settle(20)
  return callId as string
}
const received = async (w: World) => (await w.api('GET', `/v1/sandbox/phones/${ANA}/messages`)).body.data
const caught = async (w: World) =>
  (await w.caught('line')).map(({ body }) => (JSON.parse(body) as { data: { event_type: string } }).data.event_type)

test('calls ring until the instance is set to reject them; then they are rejected and the caller gets the text', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair(OURS)
  const path = `/v1/instances/${id}/call-settings`
  expect((await w.api('GET', path)).body).toEqual({ reject: false, message: null })
  await w.api('PUT', `/v1/instances/${id}/webhook`, { url: 'https://catcher.sandbox/line', events: ['CALL'] })

  await ring(w, OURS)
  expect(await caught(w)).toEqual(['call.offered'])
  expect(await received(w)).toEqual([])

  expect((await w.api('PATCH', path, { message: SORRY })).body).toEqual({ reject: false, message: SORRY })
  expect((await w.api('PATCH', path, { reject: true })).body).toEqual({ reject: true, message: SORRY })
  await ring(w, OURS)
  await w.quiet()
  expect(await caught(w)).toEqual(expect.arrayContaining(['call.rejected']))
  expect(await received(w)).toMatchObject([{ text: SORRY }])

  await w.api('PATCH', path, { message: null })
  await ring(w, OURS)
  await w.quiet()
  expect(await received(w)).toHaveLength(1)
})

test('a call can be rejected by its id while it rings', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair(OURS)
  const reject = (call_id: string) => w.api('POST', `/v1/instances/${id}/engine/smv2/call/reject`, { call_id })
  const callId = await ring(w, OURS)
  const done = await reject(callId)
  expect([done.status, done.body.result]).toEqual([200, { call_id: callId, rejected: true }])
  expect((await reject(callId)).status).toBe(404)
})

test('call settings exist only on smv2 and are deleted with the instance', async () => {
  const w = await worldOfTest()
  const official = await w.official()
  const refused = await w.api('GET', `/v1/instances/${official.id}/call-settings`)
  expect([refused.status, refused.body.error.code]).toEqual([400, 'engine_mismatch'])
  const { id } = await w.pair(OURS)
  const path = `/v1/instances/${id}/call-settings`
  for (const body of [{ reject: 'yes' }, { message: '' }, { text: 'x' }])
    expect((await w.api('PATCH', path, body)).status).toBe(400)
  const { key } = await w.key({ scopes: ['instances:read'] })
  expect((await w.api('PATCH', path, { reject: true }, { key })).status).toBe(403)
  await w.api('PATCH', path, { reject: true })
  await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
  expect((await w.api('GET', path)).status).toBe(404)
})

test('a suspended account rejects no calls, even if its instance is set to reject them', async () => {
  const w = await worldOfTest()
  const client = await clientOf(w)
  const { id } = await pairedIn(w, client, OURS)
  await client.api('PUT', `/v1/instances/${id}/webhook`, { url: 'https://catcher.sandbox/line', events: ['CALL'] })
  await client.api('PATCH', `/v1/instances/${id}/call-settings`, { reject: true, message: SORRY })
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  await client.api('POST', `/v1/sandbox/phones/${ANA}/calls`, { to: OURS })
  await w.pass(2_000)
  const { data } = (await client.api('GET', '/v1/sandbox/catcher/line')).body
  expect(data.map(({ body }: { body: string }) => body).join()).not.toContain('call.rejected')
  expect((await client.api('GET', `/v1/sandbox/phones/${ANA}/messages`)).body.data).toEqual([])
})
