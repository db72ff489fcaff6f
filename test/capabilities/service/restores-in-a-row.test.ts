import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { backUp, goBack, newHome } from '../../support/restores.ts'
import { world, type World } from '../../support/world.ts'
import { clientOf, pairedIn } from '../agency/agency-world.ts'
import { consent } from '../crm/ghl-world.ts'

const ok = async (w: World, method: string, path: string, body?: object, headers?: Record<string, string>) => {
  const answer = await w.api(method, path, body, { ...(headers && { headers }) })
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
  return answer.body
}

test('D-10 what was revoked and transferred stays so when a backup from before it was made is restored first', async () => {
  const w = await world({ home: newHome() })
  const [before, since] = [await clientOf(w, { name: 'Before' }), await clientOf(w, { name: 'Since' })]
  const given = await pairedIn(w, before, '12025550171')
  const first = await backUp(w)
  const leaked = await w.key()
  const deleted = await w.pair('12025550172')
  const second = await backUp(w)
  expect((await asConsole(w)('DELETE', `/v1/keys/${leaked.id}`)).status).toBeLessThan(300)
  await ok(w, 'POST', `/v1/agency/instances/${given.id}/transfer`, { account_id: since.id })
  await w.api('DELETE', `/v1/instances/${deleted.id}?confirm=true`)

  const between = await goBack(w, first, 'a person restores it')
  const after = await goBack(between, second, 'a person restores it')
  expect((await after.api('GET', '/v1/me', undefined, { key: leaked.key })).status).toBe(401)
  const seenBy = async (key: string) => (await after.api('GET', `/v1/instances/${given.id}`, undefined, { key })).status
  expect([await seenBy(before.key), await seenBy(since.key)]).toEqual([404, 200])
  expect(await ok(after, 'GET', `/v1/instances/${deleted.id}`)).toMatchObject({
    status: 'disconnected',
    last_disconnect_reason: 'restored',
  })
})

test('D-10 a number that was paired again after a restore is not signed out by the next one', async () => {
  const w = await world({ home: newHome() })
  const line = await w.pair('12025550173')
  const name = await backUp(w)
  await w.api('DELETE', `/v1/instances/${line.id}?confirm=true`)
  const between = await goBack(w, name, 'a person restores it')
  const { pairing_code } = await ok(between, 'POST', `/v1/instances/${line.id}/qr/refresh`)
  await ok(between, 'POST', '/v1/sandbox/phones/12025550173/scan', { pairing_code })
  await between.quiet()
  expect((await ok(between, 'GET', `/v1/instances/${line.id}`)).status).toBe('connected')
  const newer = await backUp(between)

  const after = await goBack(between, newer, 'the database is damaged')
  expect((await ok(after, 'GET', `/v1/instances/${line.id}`)).status).toBe('connected')
})

test('D-10 a request that is repeated after a restore starts no second campaign', async () => {
  const w = await world({ home: newHome() })
  const line = await w.pair('12025550174')
  const name = await backUp(w)
  const wish = {
    ...{ instance_ids: [line.id], name: 'Offer', messages: [{ text: 'Hi' }], start: true },
    ...{ recipients: [{ phone: '12025550175' }], config: { minDelay: 0, maxDelay: 0, checkNumbers: false } },
  }
  const key = { 'idempotency-key': 'campaign-1' }
  const made = await ok(w, 'POST', '/v1/campaigns', wish, key)
  await w.pass(5_000)

  const after = await goBack(w, name, 'a person restores it')
  const again = await ok(after, 'POST', '/v1/campaigns', wish, key)
  expect(again.campaign_id).toBe(made.campaign_id)
  expect((await ok(after, 'GET', '/v1/campaigns')).data).toHaveLength(1)
})

test('D-10 a scheduled campaign that was deleted comes back paused', async () => {
  const w = await world({ home: newHome() })
  const line = await w.pair('12025550176')
  const { campaign_id: id } = await ok(w, 'POST', '/v1/campaigns', {
    ...{ instance_ids: [line.id], name: 'Offer', messages: [{ text: 'Hi' }], recipients: [{ phone: '12025550177' }] },
    ...{ start: true, scheduled_at: new Date(w.clock.now() + 86_400_000).toISOString() },
    config: { checkNumbers: false },
  })
  expect((await ok(w, 'GET', `/v1/campaigns/${id}`)).status).toBe('scheduled')
  const name = await backUp(w)
  await ok(w, 'PATCH', `/v1/campaigns/${id}`, { scheduled_at: null })
  expect((await w.api('DELETE', `/v1/campaigns/${id}?confirm=true`)).status).toBeLessThan(300)

  const after = await goBack(w, name, 'a person restores it')
  expect(await ok(after, 'GET', `/v1/campaigns/${id}`)).toMatchObject({ status: 'paused', pause_reason: 'restored' })
})

test('D-10 opt-outs of a client, and people reached by its campaign, stay known when the client is missing for a while', async () => {
  const w = await world({ home: newHome() })
  const first = await backUp(w)
  const client = await clientOf(w, { name: 'Since' })
  const line = await pairedIn(w, client, '12025550178')
  const as = { key: client.key }
  const [stopped, reached] = ['12025550179', '12025550180']
  const made = await w.api(
    'POST',
    '/v1/campaigns',
    {
      ...{ instance_ids: [line.id], name: 'Offer', messages: [{ text: 'Hi' }], start: false },
      ...{ recipients: [{ phone: reached }, { phone: stopped }] },
      config: { minDelay: 20, maxDelay: 20, checkNumbers: false },
    },
    as,
  )
  expect(made.status, made.text).toBe(201)
  const second = await backUp(w)
  const start = await w.api('POST', `/v1/campaigns/${made.body.campaign_id}/start`, undefined, as)
  expect(start.status).toBe(200)
  await w.pass(5_000)
  await w.api('POST', `/v1/sandbox/phones/${stopped}/messages`, { to: '12025550178', text: 'STOP' }, as)
  await w.quiet()
  const texts = async (of: World, phone: string) =>
    (await of.api('GET', `/v1/sandbox/phones/${phone}/messages`, undefined, as)).body.data.filter(
      ({ text }: { text: string }) => text === 'Hi',
    ).length
  expect([await texts(w, reached), await texts(w, stopped)]).toEqual([1, 0])

  const between = await goBack(w, first, 'a person restores it')
  const after = await goBack(between, second, 'a person restores it')
  const optOuts = await after.api('GET', '/v1/opt-outs', undefined, as)
  expect(optOuts.body.data).toMatchObject([{ phone: stopped }])
  const campaign = await after.api('GET', `/v1/campaigns/${made.body.campaign_id}`, undefined, as)
  const act = campaign.body.status === 'draft' ? 'start' : 'resume'
  await after.api('POST', `/v1/campaigns/${made.body.campaign_id}/${act}`, undefined, as)
  await after.pass(600_000)
  expect([await texts(after, reached), await texts(after, stopped)]).toEqual([1, 0])
})

test('D-10 a chat taken over by a person stays theirs, and a client keeps its slots, when the client is missing for a while', async () => {
  const w = await world({ home: newHome() })
  const first = await backUp(w)
  const client = await clientOf(w, { name: 'Since', slots_allocated: 7 })
  const line = await pairedIn(w, client, '12025550181')
  const at = `/v1/instances/${line.id}/ai`
  expect((await client.api('POST', `${at}/agents`, { name: 'Reception', provider: 'builtin' })).status).toBe(201)
  expect((await client.api('PATCH', `${at}/settings`, { enabled: true, timezone: 'UTC' })).status).toBe(200)
  const second = await backUp(w)
  const paused = await client.api('POST', `${at}/conversations/12025550182/pause`, {})
  expect(paused.status, paused.text).toBe(200)

  const between = await goBack(w, first, 'a person restores it')
  const after = await goBack(between, second, 'a person restores it')
  const chat = await after.api('GET', `${at}/conversations/12025550182`, undefined, { key: client.key })
  expect(chat.body).toMatchObject({ ai_active: false })
  expect(await ok(after, 'GET', `/v1/agency/accounts/${client.id}`)).toMatchObject({ slots_allocated: 7 })
})

test('D-10 the backup made by a restore brings back what the restore removed, and nothing that a person had removed', async () => {
  const w = await world({ home: newHome() })
  const line = await w.pair('12025550183')
  const first = await backUp(w)
  const client = await clientOf(w, { name: 'Since' })
  const hook = (url: string) => ok(w, 'POST', '/v1/webhooks', { url, events: ['*'] })
  const kept = await hook('https://catcher.sandbox/kept')
  await ok(w, 'PUT', `/v1/instances/${line.id}/crm-webhook`, { url: 'https://crm.example.com/hook' })
  await ok(w, 'PUT', `/v1/instances/${line.id}/webhook`, { url: 'https://catcher.sandbox/one' })
  const member = await asConsole(w)('POST', '/v1/members', { name: 'Bia', email: 'bia@example.com' })
  expect(member.status).toBe(201)
  const removed = await hook('https://catcher.sandbox/removed')
  const before = await backUp(w)
  await w.api('DELETE', `/v1/webhooks/${removed.id}`)

  const between = await goBack(w, first, 'a person restores it')
  expect((await ok(between, 'GET', '/v1/webhooks')).data).toEqual([])
  // The member whom the restore took out was not removed by anybody, and comes back.
  const preview = await asConsole(between)('GET', `/v1/service/backups/${before}/restore`)
  expect(preview.body.kept).toMatchObject({ revocations: 0 })
  const after = await goBack(between, before, 'a person restores it')
  expect((await ok(after, 'GET', '/v1/webhooks')).data.map(({ id }: { id: string }) => id)).toEqual([kept.id])
  expect(await ok(after, 'GET', `/v1/instances/${line.id}/crm-webhook`)).toMatchObject({ connected: true })
  expect(await ok(after, 'GET', `/v1/instances/${line.id}/webhook`)).toMatchObject({
    url: 'https://catcher.sandbox/one',
  })
  expect((await asConsole(after)('GET', '/v1/members')).body.data).toMatchObject([{ name: 'Bia' }])
  expect(await ok(after, 'GET', `/v1/agency/accounts/${client.id}`)).toMatchObject({ status: 'active' })
})

test('D-10 the backup made by a restore brings back the tokens of a CRM and the state of a number that the restore removed', async () => {
  const w = await world({ home: newHome() })
  const first = await backUp(w)
  const client = await clientOf(w, { name: 'Since' })
  const line = await pairedIn(w, client, '12025550184')
  const other = await pairedIn(w, client, '12025550185')
  const { key } = client
  const connect = async (id: string, location: string) => {
    const begun = await w.api('POST', `/v1/instances/${id}/ghl/connect`, { mode: 'oauth' }, { key })
    expect((await consent(w, begun.body.authorization_url, { location })).status).toBe(200)
    return (await w.api('GET', `/v1/instances/${id}/ghl`, undefined, { key })).body.location_id as string
  }
  const location = await connect(line.id, 'Main office')
  const ended = await connect(other.id, 'Second office')
  const before = await backUp(w)
  expect((await w.api('DELETE', `/v1/instances/${other.id}/ghl?confirm=true`, undefined, { key })).status).toBe(204)

  const between = await goBack(w, first, 'a person restores it')
  expect((await between.api('GET', `/v1/instances/${line.id}/ghl`, undefined, { key })).status).toBe(401)
  const after = await goBack(between, before, 'a person restores it')

  const link = (await after.api('GET', `/v1/instances/${line.id}/ghl`, undefined, { key })).body
  expect(link).toMatchObject({ connected: true, location_id: location })
  const sessions = await after.rows('SELECT resource_id AS id FROM crm_sessions', {})
  expect(sessions).toContainEqual({ id: location })
  expect(sessions).not.toContainEqual({ id: ended })
  expect(await after.rows('SELECT number FROM sandbox_lines ORDER BY number', {})).toEqual([
    { number: '12025550184' },
    { number: '12025550185' },
  ])
})

test.each(['a person restores it', 'the database is damaged'] as const)(
  'D-10 a half-sent campaign stays paused, and messages nobody twice, when after its restore %s again',
  async (way) => {
    const w = await world({ home: newHome() })
    const line = await w.pair('12025550186')
    const phones = Array.from({ length: 20 }, (_, nth) => String(12_025_551_000 + nth))
    const made = await ok(w, 'POST', '/v1/campaigns', {
      ...{ instance_ids: [line.id], name: 'Offer', messages: [{ text: 'Hi' }], start: false },
      ...{
        recipients: phones.map((phone) => ({ phone })),
        config: { minDelay: 20, maxDelay: 20, checkNumbers: false },
      },
    })
    const path = `/v1/campaigns/${made.campaign_id}`
    const name = await backUp(w)
    await ok(w, 'POST', `${path}/start`)
    await w.pass(190_000)
    const texts = async (of: World) => {
      const all = phones.map(async (phone) => (await ok(of, 'GET', `/v1/sandbox/phones/${phone}/messages`)).data.length)
      return Promise.all(all)
    }
    const before = await texts(w)
    expect(before.filter((count) => count === 1).length).toBeGreaterThan(3)
    expect(before).toContain(0)

    const first = await goBack(w, name, 'a person restores it')
    expect(await ok(first, 'GET', path)).toMatchObject({ status: 'paused', pause_reason: 'restored' })
    await ok(first, 'POST', `${path}/resume`)
    await first.pass(70_000)
    const since = await texts(first)
    expect(since.filter((count) => count === 1).length).toBeGreaterThan(before.filter((count) => count === 1).length)
    expect(since).toContain(0)

    const again = await goBack(first, name, way)
    expect(await ok(again, 'GET', path)).toMatchObject({ status: 'paused', pause_reason: 'restored' })
    // The simulated phones are in the database: what they got since is lost with it.
    const held = await texts(again)
    if (way === 'a person restores it') expect(held).toEqual(since)
    await again.pass(600_000)
    expect(await texts(again)).toEqual(held)
    await ok(again, 'POST', `${path}/resume`)
    await again.pass(1_200_000)
    expect(await ok(again, 'GET', path)).toMatchObject({ status: 'completed' })
    const end = await texts(again)
    // Everybody who had not got it, and nobody else.
    expect(end.map((count, nth) => count - (held[nth] ?? 0))).toEqual(since.map((count) => 1 - count))
  },
)

test('D-10 a client that was suspended stays so when a backup from before it was made is restored first', async () => {
  const w = await world({ home: newHome() })
  const first = await backUp(w)
  const client = await clientOf(w, { name: 'Since' })
  const line = await pairedIn(w, client, '12025550187')
  const link = await w.api('POST', `/v1/instances/${line.id}/access-links`, { permanent: true }, { key: client.key })
  const second = await backUp(w)
  await ok(w, 'POST', `/v1/agency/accounts/${client.id}/suspend`)
  const { pathname } = new URL(link.body.url)
  await w.api('DELETE', `/v1/instances/${line.id}/access-links/${link.body.id}`, undefined, { key: client.key })

  const between = await goBack(w, first, 'a person restores it')
  expect((await between.api('GET', `/v1/agency/accounts/${client.id}`)).status).toBe(404)
  const after = await goBack(between, second, 'a person restores it')
  expect(await ok(after, 'GET', `/v1/agency/accounts/${client.id}`)).toMatchObject({ status: 'suspended' })
  await ok(after, 'POST', `/v1/agency/accounts/${client.id}/activate`)
  expect((await after.api('GET', pathname, undefined, { key: null })).status).toBe(404)
})
