import { afterAll, beforeAll, expect, test } from 'vitest'
import { ghlWorld, type GhlWorld } from './ghl-world.ts'

let w: GhlWorld
beforeAll(async () => {
  w = await ghlWorld()
})
afterAll(() => w.close())

const begin = async (body: object = { mode: 'oauth' }) => {
  const instance = await w.instance()
  const reply = await w.api('POST', `/v1/instances/${instance.id}/ghl/connect`, body)
  return { id: instance.id as string, reply, url: reply.body?.authorization_url as string }
}

test('an instance without a connection has the state not_connected, and disconnecting it succeeds', async () => {
  const { id } = await w.instance()
  expect(await w.ghl(id)).toMatchObject({ connected: false, state: 'not_connected', mode: null, last_error: null })
  expect((await w.api('DELETE', `/v1/instances/${id}/ghl`)).status).toBe(204)
  expect((await w.api('PATCH', `/v1/instances/${id}/ghl`, { paused: true })).status).toBe(409)
})

test('a consent connects the instance, and its OAuth state cannot be used again', async () => {
  const { id, reply, url } = await begin()
  expect(reply.status).toBe(201)
  expect(reply.headers['cache-control']).toBe('no-store')
  expect(Date.parse(reply.body.expires_at) - w.moving.now()).toBeGreaterThan(590_000)
  expect((await w.consent(url)).status).toBe(200)
  const view = await w.ghl(id)
  expect(view).toMatchObject({ connected: true, mode: 'oauth', location_name: 'Main office', channel: 'sms' })
  expect(view.inbox_url).toContain('/sandbox/ghl/')
  expect(Date.parse(view.token_expires_at) - w.moving.now()).toBeGreaterThan(86_000_000)
  const again = await w.consent(url)
  expect(again.status).toBe(400)
  expect(again.text).toContain('already used')
})

test('a consent with a modified OAuth state is refused, and the original state can still be used', async () => {
  const { id, url } = await begin()
  const tampered = new URL(url)
  tampered.searchParams.set('state', `${tampered.searchParams.get('state') ?? ''}x`)
  expect((await w.consent(tampered.href)).status).toBe(400)
  expect((await w.ghl(id)).connected).toBe(false)
  // The state itself was not used up by that.
  expect((await w.consent(url)).status).toBe(200)
})

test('a denied consent connects nothing, and its OAuth state cannot be used again', async () => {
  const { id, url } = await begin()
  const denied = await w.consent(url, { deny: true })
  expect(denied.status).toBe(200)
  expect(denied.text).toContain('did not allow')
  expect((await w.consent(url)).status).toBe(400)
  expect((await w.ghl(id)).connected).toBe(false)
})

test('a consent page expires after ten minutes', async () => {
  const { id, url } = await begin()
  w.moving.move(10 * 60_000 + 1_000)
  expect((await w.consent(url)).status).toBe(400)
  expect((await w.ghl(id)).connected).toBe(false)
})

test('a consent for another location than the requested one is refused', async () => {
  const { id, url } = await begin({ mode: 'oauth', location_id: 'someOtherLocation001' })
  const page = await w.consent(url)
  expect(page.status).toBe(400)
  expect(page.text).toContain('another location')
  expect((await w.ghl(id)).connected).toBe(false)
})

test('a consent for the whole agency connects the requested location, and asks for one if none was requested', async () => {
  const first = await begin()
  await w.consent(first.url, { location: 'Second office' })
  const { location_id } = await w.ghl(first.id)
  const { id, url } = await begin({ mode: 'oauth', location_id })
  expect((await w.consent(url, { location: 'The whole agency' })).status).toBe(200)
  expect(await w.ghl(id)).toMatchObject({ connected: true, location_id, location_name: 'Second office' })
  const without = await begin()
  const page = await w.consent(without.url, { location: 'The whole agency' })
  expect(page.text).toContain('Which location')
})

test('a valid private token connects immediately, and a wrong one is refused', async () => {
  const first = await begin()
  await w.consent(first.url)
  const { location_id, inbox_url } = await w.ghl(first.id)
  const { pathname, search } = new URL(inbox_url)
  const inbox = await w.api('GET', `${pathname}${search}`, undefined, { key: null })
  const token = /<code>(pit-[^<]+)<\/code>/.exec(inbox.text)?.[1]
  const { id, reply } = await begin({ mode: 'token', location_id, token })
  expect(reply.body).toEqual({ mode: 'token', authorization_url: null, expires_at: null })
  expect(await w.ghl(id)).toMatchObject({ connected: true, mode: 'token', token_expires_at: null })
  const wrong = await begin({ mode: 'token', location_id, token: 'pit-nobody' })
  expect([wrong.reply.status, wrong.reply.body.error.code]).toEqual([400, 'validation_error'])
  expect(wrong.reply.text).not.toContain('pit-nobody')
  expect((await w.ghl(wrong.id)).connected).toBe(false)
})

test('a connect request with a missing or contradictory field is refused', async () => {
  for (const body of [{ mode: 'token' }, { mode: 'token', token: 'x' }, { mode: 'oauth', token: 'x' }, { mode: 'x' }]) {
    const { reply } = await begin(body)
    expect([body, reply.status]).toEqual([body, 400])
  }
})

test('a live instance without an app gets an error that names the required settings', async () => {
  const { id } = await w.instance({ network: 'live' })
  const reply = await w.api('POST', `/v1/instances/${id}/ghl/connect`, { mode: 'oauth' })
  expect([reply.status, reply.body.error.code]).toEqual([409, 'invalid_state'])
  expect(reply.body.error.message).toContain('ghl.client_id and ghl.client_secret')
  expect((await w.ghl(id)).inbox_url).toBeUndefined()
})

test('a location that is connected to one account cannot be connected to another', async () => {
  const first = await begin()
  await w.consent(first.url)
  const { location_id } = await w.ghl(first.id)
  const { key } = await w.stranger()
  const made = await w.api('POST', '/v1/instances', {}, { key })
  // What the stranger would need is a token of the location.
  const reply = await w.api(
    'POST',
    `/v1/instances/${made.body.id}/ghl/connect`,
    { mode: 'token', location_id, token: await tokenOf(first.id) },
    { key },
  )
  expect([reply.status, reply.body.error.code]).toEqual([409, 'invalid_state'])
  const theirs = await w.api('GET', `/v1/instances/${made.body.id}/ghl`, undefined, { key })
  expect(theirs.body.connected).toBe(false)
})

async function tokenOf(id: string): Promise<string | undefined> {
  const { inbox_url } = await w.ghl(id)
  const { pathname, search } = new URL(inbox_url)
  const inbox = await w.api('GET', `${pathname}${search}`, undefined, { key: null })
  return /<code>(pit-[^<]+)<\/code>/.exec(inbox.text)?.[1]
}

test('deleting an instance deletes its connection and its tokens', async () => {
  const { id, url } = await begin()
  await w.consent(url, { location: 'Second office' })
  const { location_id } = await w.ghl(id)
  for (const other of await w.rows<{ id: string }>(
    'SELECT instance_id AS id FROM crm_links WHERE location_id = :location_id',
    { location_id },
  ))
    if (other.id !== id) await w.must('DELETE', `/v1/instances/${other.id}/ghl`)
  await w.must('DELETE', `/v1/instances/${id}?confirm=true`)
  expect(await w.rows('SELECT id FROM crm_links WHERE instance_id = :id', { id })).toEqual([])
  expect(await w.rows('SELECT version FROM crm_sessions WHERE resource_id = :location_id', { location_id })).toEqual([])
})
