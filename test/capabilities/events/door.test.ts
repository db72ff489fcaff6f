import { expect, test } from 'vitest'
import { worldOfTest } from '../../support/world.ts'

test('the list contains the same envelopes that webhooks get, whether or not there is a webhook', async () => {
  const w = await worldOfTest()
  await w.pair()
  await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/all', events: ['*'] })
  const mark = await w.mark()
  const { id } = await w.pair('12025550177')
  await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550178', text: 'Hello' })
  const happened = await w.eventsSince(mark)
  const { body } = await w.api('GET', `/v1/events?instance_id=${id}&limit=200`)
  expect(body.data.toReversed()).toEqual(happened)
  expect(body).toMatchObject({ next_cursor: null, has_more: false })
  const sent = (await w.caught('all')).map((caught) => JSON.parse(caught.body) as { event_id: string })
  const byId = (a: { event_id: string }, b: { event_id: string }) => (a.event_id < b.event_id ? -1 : 1)
  expect(sent.toSorted(byId)).toEqual(happened.toSorted(byId))
  for (const event of happened) expect((await w.api('GET', `/v1/events/${event.event_id}`)).body).toEqual(event)
  expect((await w.api('GET', '/v1/events?limit=200')).body.data.length).toBeGreaterThan(happened.length)
})

test('invalid parameters are refused, and unknown ones ignored', async () => {
  const w = await worldOfTest()
  await w.instance()
  for (const query of [
    'since=yesterday',
    'since=2026-13-01T00:00:00Z',
    'type=message.typed',
    'limit=0',
    'limit=201',
    'limit=x',
  ]) {
    const { status, body } = await w.api('GET', `/v1/events?${query}`)
    expect([status, body.error.code], query).toEqual([400, 'validation_error'])
  }
  const bad = await w.api('GET', '/v1/events?cursor=x')
  expect([bad.status, bad.body.error.code]).toEqual([400, 'invalid_cursor'])
  expect((await w.api('GET', '/v1/events?colour=blue&since=2026-01-01T00:00:00Z')).body.data).toHaveLength(1)
})

test('the list requires the scope webhooks:read and an unrestricted key, and shows no events of other accounts', async () => {
  const w = await worldOfTest()
  const { id } = await w.instance()
  const [event] = (await w.api('GET', '/v1/events')).body.data
  const paths = ['/v1/events', `/v1/events/${event.event_id}`]
  const refused = async (key: string) => {
    const answers = await Promise.all(paths.map((path) => w.api('GET', path, undefined, { key })))
    return answers.map(({ status, body }) => [status, body.error?.code])
  }
  expect(await refused((await w.key({ scopes: ['webhooks:write', 'instances:read'] })).key)).toEqual([
    [403, 'insufficient_scope'],
    [403, 'insufficient_scope'],
  ])
  expect(await refused((await w.key({ instances: [id] })).key)).toEqual([
    [403, 'instance_restricted_key'],
    [403, 'instance_restricted_key'],
  ])
  const { key } = await w.stranger()
  expect((await w.api('GET', `/v1/events?instance_id=${id}`, undefined, { key })).body.data).toEqual([])
  expect((await w.api('GET', paths[1] ?? '', undefined, { key })).status).toBe(404)
})

test('a webhook can be tested and events replayed over the API', async () => {
  const w = await worldOfTest()
  await w.pair()
  const { body: hook } = await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/late', events: ['*'] })
  const tested = await w.api('POST', `/v1/webhooks/${hook.id}/test`)
  expect([tested.status, Object.keys(tested.body)]).toEqual([202, ['delivery_id']])
  const [caught] = await w.caught('late')
  expect(caught?.signature).toBe('valid')
  expect(JSON.parse(caught?.body ?? '{}')).toMatchObject({ data: { test: true } })
  expect((await w.api('GET', `/v1/webhooks/deliveries/${tested.body.delivery_id}`)).body.status).toBe('delivered')
  const before = await w.events()
  const listed = (await w.api('GET', '/v1/events?limit=200')).body.data
  expect(listed).toHaveLength(before.length - 1)

  const since = new Date(w.clock.now() - 3_600_000).toISOString()
  const replayed = await w.api('POST', `/v1/webhooks/${hook.id}/replay`, { since })
  expect([replayed.status, replayed.body]).toEqual([202, { replayed: listed.length }])
  await w.pass(15_000)
  expect(await w.caught('late')).toHaveLength(before.length)
  expect((await w.api('POST', `/v1/webhooks/${hook.id}/replay`, { since })).body).toEqual({ replayed: 0 })
  for (const body of [
    {},
    { since: 'yesterday' },
    { since, events: [] },
    { since, events: ['x'] },
    { since, from: since },
  ]) {
    expect((await w.api('POST', `/v1/webhooks/${hook.id}/replay`, body)).status).toBe(400)
  }
  for (const path of ['test', 'replay']) {
    const gone = await w.api('POST', `/v1/webhooks/whk_nobody/${path}`, path === 'test' ? undefined : [])
    expect([gone.status, gone.body.error.code]).toEqual([404, 'not_found'])
  }
  await w.api('PATCH', `/v1/webhooks/${hook.id}`, { active: false })
  expect((await w.api('POST', `/v1/webhooks/${hook.id}/test`)).body.error.code).toBe('invalid_state')
  expect((await w.api('POST', `/v1/webhooks/${hook.id}/replay`, { since })).body.error.code).toBe('invalid_state')
})
