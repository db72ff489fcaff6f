import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { ghlWorldOfTest, until, type GhlWorld } from './ghl-world.ts'

const LINE = '12025556300'
const PHONE = '12025556301'

async function bridged() {
  const w = await ghlWorldOfTest()
  const { id } = await w.pair(LINE)
  const path = `/v1/instances/${id}/crm-webhook`
  const key = await w.key()
  const made = await w.api('PUT', path, { url: 'https://catcher.sandbox/crm' }, { key: key.key })
  expect(made.status).toBe(201)
  const inbound = new URL(made.body.inbound_url).pathname
  const revoke = async (query = '') =>
    expect((await asConsole(w)('DELETE', `/v1/keys/${key.id}${query}`)).status).toBe(204)
  return { w, path, key, secret: made.body.secret as string, revoke, post: (using: string) => post(w, inbound, using) }
}

let posted = 0
async function post(w: GhlWorld, url: string, key: string): Promise<number> {
  const at = String(Math.floor(w.moving.now() / 1_000))
  const payload = JSON.stringify({ id: `o${++posted}`, type: 'opt_out', phone: PHONE, opted_out: false })
  const signed = createHmac('sha256', key).update(`${at}.${payload}`).digest('hex')
  const headers = {
    ...{ host: w.host, 'content-type': 'application/json' },
    ...{ 'x-service-timestamp': at, 'x-service-signature': `sha256=${signed}` },
  }
  return (await w.service.door.app.inject({ method: 'POST', url, headers, payload })).statusCode
}

const said = async (w: GhlWorld): Promise<string[]> => {
  const { data } = await w.must('GET', '/v1/sandbox/catcher/crm?limit=200')
  return data.toReversed().flatMap(({ body }: any) => JSON.parse(body).message?.text ?? [])
}

test('a secret ends with the API key that created it, and waiting events are delivered once there is a new secret', async () => {
  const { w, path, secret, revoke, post: send } = await bridged()
  expect(await send(secret)).toBe(202)
  await revoke()
  expect(await send(secret)).toBe(401)
  expect(await w.must('GET', path)).toMatchObject({
    ...{ state: 'reconnect_required', connected: false, secret_last4: null, url: 'https://catcher.sandbox/crm' },
    last_error: { code: 'secret_ended', message: expect.stringContaining('Create a new one') },
  })
  const { body } = await asConsole(w)('GET', '/v1/overview/attention')
  expect(body.data).toContainEqual(expect.objectContaining({ room: 'crm', code: 'secret_ended', count: 1 }))

  await w.say(PHONE, LINE, 'Anybody?')
  await until(async () => expect((await w.must('GET', path)).waiting.to_crm).toBe(1))
  // Only a new secret lets it go on.
  await w.must('PATCH', path, { paused: false })
  expect((await w.must('GET', path)).state).toBe('reconnect_required')
  expect(await said(w)).toEqual([])

  const { secret: fresh } = await w.must('POST', `${path}/rotate-secret`)
  await until(async () => expect(await said(w)).toEqual(['Anybody?']))
  expect(await w.must('GET', path)).toMatchObject({ connected: true, last_error: null })
  expect([await send(fresh), await send(secret)]).toEqual([202, 401])
})

test('setting the webhook again creates a new secret if the last one has ended', async () => {
  const { w, path, revoke, post: send } = await bridged()
  await revoke()
  const again = await w.api('PUT', path, { url: 'https://catcher.sandbox/crm' })
  expect([again.status, again.body.state, again.body.last_error]).toEqual([201, 'connected', null])
  expect(await send(again.body.secret)).toBe(202)
})

test('a secret remains valid if revoking its API key keeps what that key created', async () => {
  const { w, path, secret, revoke, post: send } = await bridged()
  await revoke('?created=keep')
  expect(await send(secret)).toBe(202)
  expect((await w.must('GET', path)).connected).toBe(true)
})

test('a secret that was rotated by another key ends early, and the new secret stays', async () => {
  const { w, path, secret, revoke, post: send } = await bridged()
  const { secret: fresh } = await w.must('POST', `${path}/rotate-secret`, { overlap_seconds: 3_600 })
  expect([await send(secret), await send(fresh)]).toEqual([202, 202])
  await revoke()
  expect([await send(secret), await send(fresh)]).toEqual([401, 202])
  expect((await w.must('GET', path)).connected).toBe(true)
})
