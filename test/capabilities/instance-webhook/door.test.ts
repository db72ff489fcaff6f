import { expect, test } from 'vitest'
import { settle } from '../../support/clock.ts'
import { newHome } from '../../support/restores.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const URL = 'https://catcher.sandbox/line'

/** What the catcher got, once all calls that are due have been made. */
async function calls(w: World, name = 'line'): Promise<{ event: string; data: Record<string, unknown> }[]> {
  await w.pass(1_000)
  await settle(20)
  return (await w.caught(name)).map(({ body }) => JSON.parse(body) as { event: string; data: Record<string, unknown> })
}

test('PUT and POST set the webhook, GET reads it, DELETE removes it, and invalid bodies are refused', async () => {
  const w = await worldOfTest()
  const { id } = await w.instance()
  const path = `/v1/instances/${id}/webhook`
  expect((await w.api('GET', path)).body).toEqual({ engine: 'smv2', url: null, events: [] })

  const put = await w.api('PUT', path, { url: URL })
  expect([put.status, put.body]).toEqual([200, { engine: 'smv2', url: URL, events: ['MESSAGE', 'CONNECTION'] }])
  const post = await w.api('POST', path, { url: `${URL}2`, events: ['ALL'] })
  expect([post.status, post.body]).toEqual([200, { engine: 'smv2', url: `${URL}2`, events: ['ALL'] }])
  expect((await w.api('GET', path)).body).toEqual(post.body)

  for (const [body, code] of [
    [{}, 'validation_error'],
    [{ url: URL, events: 'MESSAGE' }, 'validation_error'],
    [{ url: URL, events: [5] }, 'validation_error'],
    [{ url: URL, events: ['MESSAGES'] }, 'validation_error'],
    [{ url: URL, secret: 'x' }, 'validation_error'],
    [{ url: null }, 'validation_error'],
    [{ url: 'http://catcher.sandbox/line' }, 'invalid_url'],
    [{ url: 'https://10.0.0.1/' }, 'invalid_url'],
  ] as const) {
    const refused = await w.api('PUT', path, body)
    expect([refused.status, refused.body.error.code], JSON.stringify(body)).toEqual([400, code])
  }
  expect((await w.api('GET', path)).body).toEqual(post.body)

  for (let i = 0; i < 2; i++) expect((await w.api('DELETE', path)).status).toBe(204)
  expect((await w.api('GET', path)).body).toEqual({ engine: 'smv2', url: null, events: [] })
})

test('the webhook requires access to its instance, and separate scopes for reading and writing', async () => {
  const w = await worldOfTest()
  const [mine, other] = [await w.instance(), await w.instance()]
  const path = ({ id }: { id: string }) => `/v1/instances/${id}/webhook`
  const { key } = await w.key({ instances: [mine.id] })
  expect((await w.api('PUT', path(mine), { url: URL }, { key })).status).toBe(200)
  expect((await w.api('PUT', path(other), { url: URL }, { key })).status).toBe(404)
  const { key: reader } = await w.key({ scopes: ['instances:read'] })
  expect((await w.api('GET', path(mine), undefined, { key: reader })).status).toBe(200)
  for (const method of ['PUT', 'POST', 'DELETE']) {
    const body = method === 'DELETE' ? undefined : { url: URL }
    expect((await w.api(method, path(mine), body, { key: reader })).status).toBe(403)
  }
  const { key: stranger } = await w.stranger()
  expect((await w.api('GET', path(mine), undefined, { key: stranger })).status).toBe(404)
})

test('events of instances and messages arrive under their older names and without credentials', async () => {
  const w = await worldOfTest()
  const made = await w.instance()
  await w.api('PUT', `/v1/instances/${made.id}/webhook`, { url: URL, events: ['ALL'] })
  const { pairing_code, qr } = (await w.api('GET', `/v1/instances/${made.id}/qr`)).body
  const number = '12025550777'
  await w.api('POST', `/v1/sandbox/phones/${number}/scan`, { pairing_code })
  await w.quiet()
  await w.api('POST', `/v1/instances/${made.id}/messages`, { to: '12025550778', text: 'Hello' })
  await w.api('POST', '/v1/sandbox/phones/12025550778/messages', { to: number, text: 'Hello yourself' })
  await w.quiet()
  await w.api('DELETE', `/v1/instances/${made.id}?confirm=true`)

  const heard = await calls(w)
  const told = heard.map(({ event, data }) => `${event} ${String(data['event_type'])}`).toSorted()
  expect(told).toEqual([
    'CONNECTION instance.connected',
    'CONNECTION instance.connecting',
    'CONNECTION instance.deleted',
    'MESSAGE message.received',
    'QRCODE instance.qr.updated',
    'READ_RECEIPT message.delivered',
    'READ_RECEIPT message.read',
    'SEND_MESSAGE message.sent',
  ])
  const text = JSON.stringify(heard)
  expect(text).not.toContain(pairing_code)
  expect(text).not.toContain(qr.slice(0, 60))
  expect(text).not.toContain('SWITCHBOARD-SANDBOX')
  for (const { signature } of await w.caught('line')) expect(signature).toBe('none')
})

test('delivery continues after the webhook’s receiver recovers', async () => {
  const w = await worldOfTest()
  const { id, phone_number } = await w.pair()
  await w.api('PUT', `/v1/instances/${id}/webhook`, { url: URL })
  await w.api('PUT', '/v1/sandbox/catcher/line', { status: 503 })
  await w.api('POST', '/v1/sandbox/phones/12025550778/messages', { to: phone_number, text: 'Hello' })
  expect(await calls(w)).toHaveLength(1)
  await w.api('PUT', '/v1/sandbox/catcher/line', {})
  await w.pass(15_000)
  expect(await calls(w)).toHaveLength(2)
})

test('what the receiver refused is delivered after a restart of the service, once', async () => {
  const w = await worldOfTest({ home: newHome() })
  const { id, phone_number } = await w.pair()
  await w.api('PUT', `/v1/instances/${id}/webhook`, { url: URL })
  await w.api('PUT', '/v1/sandbox/catcher/line', { status: 503 })
  await w.api('POST', '/v1/sandbox/phones/12025550778/messages', { to: phone_number, text: 'Hello' })
  expect(await calls(w)).toHaveLength(1)
  await w.api('PUT', '/v1/sandbox/catcher/line', {})
  await w.close()
  const restarted = await worldOfTest({ home: w.home, vault: w.vault, clock: w.clock, seed: 2 })
  await restarted.pass(60_000)
  const heard = await calls(restarted)
  expect(heard).toHaveLength(2)
  expect(heard[1]).toEqual(heard[0])
})
