import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, afterAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../main/contract/scopes.ts'
import type { Statement } from '../../../main/kernel/sql.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { clientOf, pairedIn } from './agency-world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const AGENCY = '/v1/agency/accounts'

describe('a sub-account', () => {
  test('is a separate account: its key works only there, and the agency’s key does not work in it', async () => {
    const client = await clientOf(w, { name: 'Bakery' })
    expect((await client.api('GET', '/v1/me')).body.account).toEqual({ id: client.id, name: 'Bakery' })
    const { id } = (await client.api('POST', '/v1/instances', {})).body
    expect((await client.api('GET', `/v1/instances/${id}`)).status).toBe(200)
    expect((await w.api('GET', `/v1/instances/${id}`)).body.error.code).toBe('not_found')
    expect((await w.api('GET', `${AGENCY}/${client.id}`)).body).toMatchObject({ slots_used: 1, slots_allocated: 10 })
  })

  test('cannot have a sub-account itself', async () => {
    const client = await clientOf(w)
    expect((await client.api('POST', AGENCY, { name: 'Below' })).body.error.code).toBe('invalid_state')
  })

  test('is created once per Idempotency-Key, and its external_ref is unique', async () => {
    const headers = { 'idempotency-key': 'client-1' }
    const wish = { name: 'Once', external_ref: 'once' }
    const first = await w.api('POST', AGENCY, wish, { headers })
    const again = await w.api('POST', AGENCY, wish, { headers })
    expect([again.status, again.body.id, again.headers['idempotent-replayed']]).toEqual([201, first.body.id, 'true'])
    expect((await w.api('POST', AGENCY, wish)).body.error.code).toBe('external_ref_conflict')
    expect((await w.api('GET', `${AGENCY}?external_ref=once`)).body.data).toHaveLength(1)
  })

  test('cannot get a key with a scope that the calling key lacks, under either name of the scope', async () => {
    const { id } = await clientOf(w)
    const { key } = await w.key({ scopes: ['agency:manage', 'instances:write'] })
    const give = (scopes: string[]) => w.api('POST', `${AGENCY}/${id}/keys`, { name: 'K', scopes }, { key })
    expect((await give(['messages:send'])).body.error.code).toBe('insufficient_scope')
    expect((await give(['ai:manage'])).body.error.code).toBe('insufficient_scope')
    expect((await give(['instances:manage'])).status).toBe(201)
  })

  test('its keys are listed without their value and end when they are revoked', async () => {
    const client = await clientOf(w)
    const [key] = (await w.api('GET', `${AGENCY}/${client.id}/keys`)).body.data
    expect(JSON.stringify(key)).not.toContain('swb_')
    expect((await w.api('DELETE', `${AGENCY}/${client.id}/keys/${key.id}`)).status).toBe(204)
    expect((await client.api('GET', '/v1/me')).status).toBe(401)
  })

  test('can have a key that is limited to some of its instances', async () => {
    const client = await clientOf(w)
    const { id } = (await client.api('POST', '/v1/instances', {})).body
    const mine = await w.instance()
    const limited = (ids: string[]) =>
      w.api('POST', `${AGENCY}/${client.id}/keys`, { name: 'K', scopes: ['instances:read'], allowed_instance_ids: ids })
    expect((await limited([mine.id])).body.error.code).toBe('not_found')
    const { key } = (await limited([id])).body
    expect((await w.api('GET', '/v1/me', undefined, { key })).body.allowed_instance_ids).toEqual([id])
  })

  test('can be deleted only without instances; its keys then stop working and its usage stays', async () => {
    const own = await worldOfTest()
    const client = await clientOf(own)
    await client.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/gone', events: ['*'] })
    const line = await pairedIn(own, client, '12025551111')
    await client.api('POST', `/v1/instances/${line.id}/messages`, { to: '12025550177', text: 'Hi' })
    await own.quiet()
    const remove = (query = '?confirm=true') => own.api('DELETE', `${AGENCY}/${client.id}${query}`)
    expect((await remove('')).body.error.code).toBe('confirmation_required')
    expect((await remove()).body.error.code).toBe('invalid_state')
    await client.api('DELETE', `/v1/instances/${line.id}?confirm=true`)
    await own.quiet()
    expect((await remove()).status).toBe(204)
    expect((await remove()).body.error.code).toBe('not_found')
    expect((await client.api('GET', '/v1/me')).status).toBe(401)
    expect((await own.api('GET', '/v1/agency')).body.slots.used).toBe(0)
    const { data, totals } = (await own.api('GET', '/v1/agency/usage')).body
    expect(data).toMatchObject([{ account_id: client.id, instance_id: line.id, sent: 1 }])
    expect(totals.sent).toBe(1)
  })

  test('has its webhooks removed later without a restart if storage failed to remove them', async () => {
    const own = await worldOfTest()
    const client = await clientOf(own)
    await client.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/gone', events: ['*'] })
    expect((await own.api('DELETE', `${AGENCY}/${client.id}?confirm=true`)).status).toBe(204)
    const restore: Statement<{ id: string }> = { text: 'UPDATE webhooks SET deleted_at = NULL WHERE account_id = :id' }
    await own.service.db.commit((tx) => tx.run(restore, { id: client.id }))
    await own.pass(180_000)
    const left = await own.rows('SELECT id FROM webhooks WHERE account_id = :id AND deleted_at IS NULL', client)
    expect(left).toEqual([])
  })
})

describe('slots', () => {
  test('allocated to a client leave the pool, and return when the allocation is reduced', async () => {
    const own = await worldOfTest({ settings: { slots: 10 } })
    const client = await clientOf(own, { slots_allocated: 6 })
    const slots = async () => (await own.api('GET', '/v1/agency')).body.slots
    expect(await slots()).toEqual({ total: 10, used: 6, free: 4 })
    for (let n = 0; n < 4; n++) await own.instance()
    expect((await own.api('POST', '/v1/instances', {})).body.error.code).toBe('no_free_slot')
    const set = (slots_allocated: number) => own.api('PUT', `${AGENCY}/${client.id}/slots`, { slots_allocated })
    expect((await set(7)).body.error.code).toBe('no_free_slot')
    await client.api('POST', '/v1/instances', {})
    expect((await set(0)).body.error.code).toBe('no_free_slot')
    expect((await set(1)).body.slots_allocated).toBe(1)
    expect((await client.api('POST', '/v1/instances', {})).body.error.code).toBe('no_free_slot')
    expect(await slots()).toEqual({ total: 10, used: 5, free: 5 })
  })

  test('can be allocated beyond the pool with overcommit, but instances cannot exceed the pool', async () => {
    const own = await worldOfTest({ settings: { slots: 2, agencyOvercommit: true } })
    const [one, other] = [await clientOf(own, { slots_allocated: 2 }), await clientOf(own, { slots_allocated: 2 })]
    expect((await one.api('POST', '/v1/instances', {})).status).toBe(201)
    expect((await other.api('POST', '/v1/instances', {})).status).toBe(201)
    expect((await other.api('POST', '/v1/instances', {})).body.error.code).toBe('no_free_slot')
  })
})

describe('a feature that is off', () => {
  test('is refused with an explanation from the next request, and works again once it is on', async () => {
    const client = await clientOf(w, { features: ['mcp'] })
    const list = () => client.api('GET', '/v1/campaigns')
    const refused = await list()
    expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_scope'])
    expect(refused.body.error.message).toBe('This account may not use campaigns. Ask your agency to turn it on.')
    await w.api('PATCH', `${AGENCY}/${client.id}`, { features: ['campaigns'] })
    expect((await list()).status).toBe(200)
    expect((await w.api('GET', '/v1/campaigns')).status).toBe(200)
  })

  test('hides its tools, and without the feature MCP there are no tools', async () => {
    const connect = async (key: string) => {
      const assistant = new Client({ name: 't', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
      const requestInit = { headers: { authorization: `Bearer ${key}` } }
      await assistant.connect(
        new StreamableHTTPClientTransport(new URL(`${w.service.url}/mcp?toolsets=all`), { requestInit }),
      )
      return assistant
    }
    const namesFor = async (features: string[]) => {
      const assistant = await connect((await clientOf(w, { features })).key)
      const { tools } = await assistant.listTools()
      await assistant.close()
      return tools.map(({ name }) => name)
    }
    expect(await namesFor(['mcp', 'campaigns'])).toContain('list_campaigns')
    const without = await namesFor(['mcp'])
    expect(without).toContain('list_instances')
    expect(without.filter((name) => name.includes('campaign'))).toEqual([])
    await expect(connect((await clientOf(w, { features: [] })).key)).rejects.toThrow()
  })
})

describe('a suspended sub-account', () => {
  test('sends nothing, keeps incoming messages, and continues where it stopped once it is active', async () => {
    const own = await worldOfTest()
    const client = await clientOf(own)
    const line = await pairedIn(own, client, '12025551111')
    const hook = { url: 'https://catcher.sandbox/held', events: ['message.received'] }
    await client.api('POST', '/v1/webhooks', hook)
    const older = { url: 'https://catcher.sandbox/older', events: ['MESSAGE'] }
    expect((await client.api('PUT', `/v1/instances/${line.id}/webhook`, older)).status).toBe(200)
    const caughtBy = async (name: string) =>
      (await client.api('GET', `/v1/sandbox/catcher/${name}`)).body.data.length as number
    const send = () => client.api('POST', `/v1/instances/${line.id}/messages`, { to: '12025550177', text: 'Hi' })
    expect((await own.api('POST', `${AGENCY}/${client.id}/suspend`)).body.status).toBe('suspended')
    expect((await own.api('POST', `${AGENCY}/${client.id}/suspend`)).status).toBe(200)

    for (const refused of [
      await send(),
      await client.api('POST', `/v1/instances/${line.id}/engine/smv2/send/text`, { to: '12025550177', text: 'Hi' }),
      await client.api('POST', '/v1/campaigns', { instance_ids: [line.id], name: 'C', messages: [{ text: 'x' }] }),
      await client.api('POST', `/v1/instances/${line.id}/access-links`, {}),
    ])
      expect([refused.status, refused.body.error.code]).toEqual([403, 'account_suspended'])
    expect((await client.api('GET', `/v1/instances/${line.id}`)).body.status).toBe('connected')
    await client.api('POST', '/v1/sandbox/phones/12025550177/messages', { to: '12025551111', text: 'Are you there?' })
    await own.pass(5_000)
    const deliveries = async (status: string) =>
      (await client.api('GET', `/v1/webhooks/deliveries?status=${status}`)).body.data.length
    expect([await deliveries('pending'), await deliveries('delivered')]).toEqual([1, 0])
    expect([await caughtBy('held'), await caughtBy('older')]).toEqual([0, 0])

    expect((await own.api('POST', `${AGENCY}/${client.id}/activate`)).body.status).toBe('active')
    await own.pass(5_000)
    expect([await deliveries('pending'), await deliveries('delivered')]).toEqual([0, 1])
    expect((await send()).status).toBe(201)
    expect([await caughtBy('held'), await caughtBy('older')]).toEqual([1, 1])
  })

  test('has waiting campaigns that say why and reach everybody once when it is active again', async () => {
    const own = await worldOfTest()
    const client = await clientOf(own)
    const line = await pairedIn(own, client, '12025551111')
    const recipients = Array.from({ length: 6 }, (_, n) => ({ phone: `1202555200${n}` }))
    const wish = {
      ...{ instance_ids: [line.id], name: 'C', messages: [{ text: 'Hello' }], recipients, start: true },
      config: { minDelay: 2, maxDelay: 2 },
    }
    const { campaign_id: id } = (await client.api('POST', '/v1/campaigns', wish)).body
    await own.pass(3_000)
    await own.api('POST', `${AGENCY}/${client.id}/suspend`)
    await own.pass(15_000)
    const read = async () => (await client.api('GET', `/v1/campaigns/${id}`)).body
    const held = await read()
    expect(held).toMatchObject({ status: 'paused', pause_reason: 'account_suspended' })
    expect(held.counts.sent).toBeLessThan(6)
    await own.api('POST', `${AGENCY}/${client.id}/activate`)
    await own.pass(40_000)
    expect(await read()).toMatchObject({ status: 'completed', counts: { sent: 6, failed: 0 } })
    for (const { phone } of recipients)
      expect((await client.api('GET', `/v1/sandbox/phones/${phone}/messages`)).body.data).toHaveLength(1)
  })

  test('is still suspended after a restart', async () => {
    const first = await world()
    const client = await clientOf(first)
    await first.api('POST', `${AGENCY}/${client.id}/suspend`)
    const { home, allScopes } = first
    await first.service.close()
    const again = await worldOfTest({ home, seed: 2 })
    const refused = await again.api('POST', '/v1/campaigns', {}, { key: client.key })
    expect(refused.body.error.code).toBe('account_suspended')
    expect((await again.api('GET', `${AGENCY}/${client.id}`, undefined, { key: allScopes })).body.status).toBe(
      'suspended',
    )
  })
})

describe('usage', () => {
  test('of the agency and its clients is available as JSON and CSV, only for the agency', async () => {
    const own = await worldOfTest()
    const client = await clientOf(own, { timezone: 'America/Sao_Paulo' })
    const theirs = await pairedIn(own, client, '12025551111')
    const mine = await own.pair()
    await client.api('POST', `/v1/instances/${theirs.id}/messages`, { to: '12025550177', text: 'Hi' })
    await own.api('POST', `/v1/instances/${mine.id}/messages`, { to: '12025550177', text: 'Hi' })
    await own.api('POST', `/v1/instances/${mine.id}/messages`, { to: '12025550404', text: 'Hi' })
    await own.quiet()
    const { data, totals } = (await own.api('GET', '/v1/agency/usage?from=2026-01-01&to=2026-01-31')).body
    expect(data).toHaveLength(2)
    expect(totals).toMatchObject({ sent: 2, failed: 1, received: 0 })
    const only = (await own.api('GET', `/v1/agency/usage?account_id=${client.id}`)).body
    expect(only.totals.sent).toBe(1)
    expect((await client.api('GET', '/v1/agency/usage')).body.totals.sent).toBe(1)
    const csv = await own.api('GET', '/v1/agency/usage', undefined, { headers: { accept: 'text/csv' } })
    const [header, ...lines] = csv.text.trim().split('\r\n')
    expect(header).toBe(
      'account_id,instance_id,day,sent,received,failed,campaign_sends,calls,call_seconds,ai_tokens,media_bytes',
    )
    expect(lines).toHaveLength(2)
    expect((await own.api('GET', '/v1/agency/usage?from=2026-02-02&to=2026-02-01')).status).toBe(400)
    const { key } = await own.key({ scopes: SCOPES, instances: [mine.id] })
    expect((await own.api('GET', '/v1/agency/usage', undefined, { key })).body.error.code).toBe('key_restricted')
  })
})

describe('the brand', () => {
  test('is inherited by a client without its own, and every text on its colors is readable', async () => {
    const client = await clientOf(w)
    const brand = async () => (await client.api('GET', '/v1/agency')).body.branding
    await w.api('PATCH', '/v1/agency/branding', { display_name: 'North', colors: { primary: '#ffee00' } })
    expect(await brand()).toMatchObject({ display_name: 'North', colors: { primary: '#ffee00' } })
    await client.api('PATCH', '/v1/agency/branding', { display_name: 'Bakery' })
    expect(await brand()).toMatchObject({ display_name: 'Bakery', colors: { primary: '#ffee00' } })
    const bad = await w.api('PATCH', '/v1/agency/branding', { logo: 'data:image/svg+xml;base64,AAAA' })
    expect(bad.status).toBe(400)
  })
})
